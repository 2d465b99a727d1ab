// Cursor's transcripts: prompts out of their tags, calls without ids, plain text with the bytes of each part.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isDocument, type Draft } from "#lib/kernel/draft.ts";
import { cursor } from "./cursor-format.ts";

const fixture = (name: string): Buffer => readFileSync(join(import.meta.dirname, "fixtures", name));

const read = (name: string, path?: string) => readBytes(fixture(name), path);

function readBytes(bytes: Buffer, path = "/x/notes") {
  const file = { path, head: bytes, sidecars: new Map<string, string>() };
  const state = cursor.start(file);
  let at = 0;
  const texts = isDocument(cursor, file) ? [bytes.toString()] : bytes.toString().split("\n");
  const drafts = texts.flatMap((text, i): Draft[] => {
    const record = { bytes: Buffer.from(text), byteStart: at, byteEnd: at + text.length, line: i + 1 };
    at += text.length + 1;
    return text === "" ? [] : cursor.parse(record, state);
  });
  return { bytes, drafts, id: cursor.identify(state) };
}
const eventsOf = (drafts: readonly Draft[]) => drafts.flatMap((draft) => (draft.kind === "event" ? [draft] : []));

test("lines: a prompt is what stands in its tag, calls have names of their own, an answer is a model call", () => {
  const { drafts } = read("cursor-synthetic-session.jsonl");
  const users = eventsOf(drafts).flatMap(({ body, startsTurn }) => (body.type === "user" ? [startsTurn] : []));
  expect(users).toEqual([false, true]);
  expect(eventsOf(drafts).filter(({ startsTurn }) => startsTurn)).toMatchObject([
    { body: { text: "Which quay is deep?" } },
  ]);
  const ids = eventsOf(drafts).flatMap(({ body }) => (body.type === "tool_call" ? [body.toolCallId] : []));
  expect(new Set(ids).size).toBe(4);
  expect(drafts.filter(({ kind }) => kind === "call")).toHaveLength(4);
});

test("text: thoughts, calls with their results, and words at the margin, each with its bytes", () => {
  const { bytes, drafts } = read("cursor-synthetic-transcript.txt");
  expect(eventsOf(drafts).map(({ body }) => body.type)).toEqual([
    ...["user", "reasoning", "tool_call", "tool_result", "assistant"],
    ...["user", "tool_call", "assistant"],
  ]);
  const [, , call, result] = eventsOf(drafts);
  expect(call!.body).toMatchObject({ toolName: "Read", input: { path: "quays.txt" } });
  expect(result!.body).toMatchObject({ text: "1 deep\n2 shallow" });
  expect(bytes.subarray(result!.byteStart, result!.byteEnd).toString()).toMatch(/^\[Tool result\] Read\n/);
});

test("a transcript has the name of its file, and that of a sub-agent its parent", () => {
  const folder = "/home/ada/.cursor/projects/home-ada/agent-transcripts/0a0a0000-0000-4000-8000-000000000001";
  const path = `${folder}/subagents/0a0a0000-0000-4000-8000-000000000002.jsonl`;
  const { drafts, id } = read("cursor-synthetic-session.jsonl", path);
  expect(id).toBe("0a0a0000-0000-4000-8000-000000000002");
  expect(cursor.wants(path)).toBe(true);
  expect(drafts[0]).toMatchObject({
    patch: { parent: "0a0a0000-0000-4000-8000-000000000001", relation: "subagent" },
  });
});

test("a prompt stands without its tag, and without what the client wrote around it", () => {
  const state = cursor.start({ path: "/x/notes", head: new Uint8Array(), sidecars: new Map() });
  const saidOf = (text: string): string[] => {
    const bytes = Buffer.from(JSON.stringify({ role: "user", message: { content: text } }));
    return eventsOf(cursor.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, state)).map(
      ({ body, startsTurn }) => `${startsTurn ? "prompt" : "frame"}: ${body.type === "user" ? body.text : body.type}`,
    );
  };
  expect(saidOf("<timestamp>Monday</timestamp>\n<user_query>\nDeep?\n</user_query>\n<note>x</note>")).toEqual([
    ...["frame: <timestamp>Monday</timestamp>\n", "prompt: Deep?", "frame: \n<note>x</note>"],
  ]);
  expect(saidOf("<user_query>One</user_query><user_query>Two")).toEqual(["prompt: One", "prompt: Two"]);
  expect(saidOf("<rules>x</rules>")).toEqual(["frame: <rules>x</rules>"]);
  expect(saidOf("<user_query></user_query>")).toEqual(["prompt: <user_query></user_query>"]);
  expect(saidOf("Plain <b>")).toEqual(["prompt: Plain <b>"]);
});

test("its folders are where the editor and the agents keep their conversations", () => {
  expect(cursor.sources({ HOME: "/home/ada" }, "linux")).toEqual([
    ...["/home/ada/.cursor/projects", "/home/ada/.cursor/chats"],
    "/home/ada/.config/Cursor/User/globalStorage/state.vscdb",
  ]);
  expect(cursor.sources({ HOME: "/home/ada", XDG_CONFIG_HOME: "/home/ada/.config" }, "linux")).toContain(
    "/home/ada/.config/cursor/chats",
  );
  expect(cursor.sources({ HOME: "/home/ada", CURSOR_CONFIG_DIR: "/c" }, "darwin")).toContain("/c/chats");
  expect(cursor.sources({ USERPROFILE: "C:\\Users\\ada" }, "win32")).toContain("C:\\Users\\ada\\.cursor\\chats");
  expect(cursor.wants("/home/ada/.cursor/chats/0cc1/0a0a/store.db")).toBe(true);
  expect(cursor.wants("/home/ada/.cursor/extensions/store.db")).toBe(false);
});

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
const asked = (text: string): string => line({ role: "user", message: { content: [{ type: "text", text }] } });
const answered = line({ role: "assistant", message: { content: [{ type: "text", text: "Deep." }] } });

test("a prompt has the time that stands before it, in the person's own zone", () => {
  const times = [
    ["Friday, Jul 17, 2026, 12:26 AM (UTC+9)", "2026-07-16T15:26:00Z"],
    ["Monday, Oct 5, 2026, 9:05 PM (UTC-5:30)", "2026-10-06T02:35:00Z"],
    ["Friday, Jul 17, 2026, 12:26 PM (UTC)", "2026-07-17T12:26:00Z"],
    ["Monday, Jan 1, 2024", null],
  ] as const;
  for (const [said, time] of times) {
    const bytes = Buffer.from(
      asked(`<timestamp>${said}</timestamp>\n<user_query>\nHow deep?\n</user_query>`) + answered,
    );
    const events = eventsOf(readBytes(bytes).drafts);
    const prompt = events.find(({ startsTurn }) => startsTurn);
    expect(prompt).toMatchObject({ body: { text: "How deep?" }, ts: time === null ? null : Date.parse(time) });
    expect(events.at(-1)?.ts).toBeNull();
  }
});

test("the end of a turn is a note, or says why the turn was cut short; a part may begin with it", () => {
  const ends = [
    { type: "turn_ended", status: "success" },
    { type: "turn_ended", status: "aborted", error: "User aborted/interrupted manually." },
  ];
  const bytes = Buffer.from(line(ends[0]) + asked("<user_query>How deep?</user_query>") + answered + line(ends[1]));
  expect(cursor.detect({ path: "x.jsonl", head: bytes, sidecars: new Map() })).toBe(true);
  expect(eventsOf(readBytes(bytes).drafts).map(({ body }) => body.type)).toEqual([
    "meta",
    "user",
    "assistant",
    "error",
  ]);
});

test("a result names a call of which the file has no name: it is of the oldest that waits", () => {
  const line = (role: string, content: object[]) => JSON.stringify({ role, message: { content } });
  const { drafts } = readBytes(
    Buffer.from(
      [
        line("user", [{ type: "text", text: "Which quay?" }]),
        line("assistant", [{ type: "tool_use", name: "Sound", input: {} }]),
        line("user", [{ type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "four" }] }]),
      ].join("\n"),
    ),
  );
  const ids = eventsOf(drafts).flatMap(({ body }) =>
    body.type === "tool_call" || body.type === "tool_result" ? [body.toolCallId] : [],
  );
  expect(ids).toHaveLength(2);
  expect(ids[1]).toBe(ids[0]);
});

test("the editor: a tool beside a prompt is a call with its result", () => {
  const tool = {
    tool: 15,
    name: "run_terminal_cmd",
    toolCallId: "t1",
    status: "completed",
    params: "{}",
    result: "ok",
  };
  const rows = [
    { table: "composer", row: { id: "c-1", createdAt: 1_738_000_000_000 } },
    { table: "bubble", row: { id: "b1", data: { type: 1, text: "Sound the quay", toolFormerData: tool } } },
  ];
  const { drafts } = readBytes(Buffer.from(rows.map((row) => JSON.stringify(row)).join("\n")), "/x/state.vscdb");
  const said = eventsOf(drafts).filter(({ body }) => body.type !== "meta");
  expect(said.map(({ body }) => body.type)).toEqual(["user", "tool_call", "tool_result"]);
  expect(said.map(({ callKey }) => callKey)).toEqual([null, null, null]);
});
