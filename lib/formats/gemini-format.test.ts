// Gemini CLI's chats. All are written by hand; figures of a fixture are counted from its JSON by other means.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft, SourceFile } from "#lib/kernel/draft.ts";
import { bodies, calls, events, linesOf, patches, recordsOf } from "./codex/testing-codex.ts";
import { gemini } from "./gemini-format.ts";

const fixture = (name: string): Uint8Array => readFileSync(join(import.meta.dirname, "fixtures", name));

function read(bytes: Uint8Array, path = "/home/ada/.gemini/tmp/reef/chats/session-1.jsonl", root?: string) {
  const beside = "/home/ada/.gemini/tmp/reef/.project_root";
  const sidecars = new Map(root === undefined ? [] : [[beside, root]]);
  const file: SourceFile = { path, head: bytes.subarray(0, 65_536), sidecars };
  const state = gemini.start(file);
  const whole = [{ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }];
  const records = gemini.isDocument?.(file) === true ? whole : recordsOf(bytes);
  const drafts: Draft[] = records.flatMap((record) => gemini.parse(record, state));
  return { drafts, name: gemini.identify(state) };
}

const session = () => read(fixture("gemini-synthetic-session.jsonl"));
const HEAD = {
  sessionId: "0c0ffee0-0000-4000-8000-0000000000e9",
  projectHash: "ab",
  startTime: "2026-03-01T10:00:00Z",
};
const message = (n: number, type: string, content: unknown, more: object = {}) => ({
  id: `${String(n).padStart(8, "0")}-0000-4000-8000-00000000000b`,
  timestamp: new Date(Date.UTC(2026, 2, 1, 10, 0, n)).toISOString(),
  type,
  content,
  ...more,
});

test("a message that grew is read once, with its calls and results", () => {
  const { drafts, name } = session();
  expect(name).toBe("0c0ffee0-0000-4000-8000-0000000000e1");
  const first = bodies(drafts).filter(({ type }) =>
    ["reasoning", "assistant", "tool_call", "tool_result"].includes(type),
  );
  expect(first.slice(0, 6)).toMatchObject([
    { type: "reasoning", text: "Where\nIn the file of corals." },
    { type: "assistant", text: "I look." },
    { type: "tool_call", toolCallId: "shell_1_0" },
    { type: "tool_result", toolCallId: "shell_1_0", isError: false, detail: { exitCode: 2 } },
    { type: "tool_call", toolCallId: "read_1_1" },
    { type: "tool_result", toolCallId: "read_1_1", isError: true, text: "File not found." },
  ]);
  expect(patches(drafts)).toMatchObject({ cwd: "/home/ada/reef", agentName: "Gemini CLI", title: "Counting corals" });
});

test("tokens are those of the last form of each message: thoughts beside the output, tools beside the prompt", () => {
  const lines = new TextDecoder().decode(fixture("gemini-synthetic-session.jsonl")).trim().split("\n");
  const told = new Map<string, Record<string, number>>();
  for (const line of lines) {
    const { id, tokens } = JSON.parse(line) as { id?: string; tokens?: Record<string, number> };
    if (id !== undefined && tokens != null) told.set(id.slice(0, 18), tokens);
  }
  const { drafts } = session();
  const used = new Map(calls(drafts).flatMap(({ key, usage }) => (usage === null ? [] : [[key, usage] as const])));
  expect([...used.keys()].toSorted()).toEqual([...told.keys()].toSorted());
  for (const [id, { input, output, cached, thoughts, tool, total }] of told) {
    const { inputUncached, cacheRead, output: answered, reasoning } = used.get(id)!;
    expect(inputUncached + cacheRead).toBe(input! + tool!);
    expect(cacheRead).toBe(cached);
    expect(answered).toBe(output! + thoughts!);
    expect(reasoning).toBe(thoughts);
    expect(inputUncached + cacheRead + answered).toBe(total);
  }
});

test("an answer's tokens may first stand in a list of all messages", () => {
  const answer = (tokens: object | null) => message(2, "gemini", "Corals.", { model: "m1", tokens });
  const counted = { input: 200, cached: 50, output: 7, thoughts: 0, tool: 0, total: 207 };
  const all = [HEAD, message(1, "user", "Which?"), answer(null)];
  const { drafts } = read(linesOf(...all, { $set: { messages: [all[1], answer(counted)] } }));
  expect(calls(drafts).at(-1)).toMatchObject({ usage: { inputUncached: 150, cacheRead: 50, output: 7 } });
  expect(new Set(calls(drafts).map(({ key }) => key)).size).toBe(1);
  expect(bodies(drafts).map(({ type }) => type)).toEqual(["meta", "user", "assistant"]);
});

test("a list of all messages that lacks some is a compaction; what it keeps stays, its snapshot is the summary", () => {
  const all = events(session().drafts);
  const at = all.findIndex(({ body }) => body.type === "compaction");
  const kept = all.find(({ body }) => body.type === "assistant" && body.text === "Four fans.");
  expect(all[at]!.body).toMatchObject({ kind: "full", preserved: [kept!.recordKey] });
  expect(all.slice(at + 1, at + 3).map(({ body }) => body)).toMatchObject([
    { type: "user", injected: "summary" },
    { type: "assistant", text: "Got it." },
  ]);
  expect(all.filter(({ body }) => body.type === "assistant" && body.text === "Four fans.")).toHaveLength(1);
});

test("what a compaction tells again under new ids is sent, and is no call and no turn of its own", () => {
  const call = { functionCall: { id: "c1", name: "ls", args: {} } };
  const answer = { functionResponse: { id: "c1", name: "ls", response: { output: "fan coral" } } };
  const tokens = { input: 90, output: 5, cached: 0, thoughts: 0, tool: 0, total: 95 };
  const said = [
    message(1, "user", "Look"),
    message(2, "gemini", [{ text: "I look." }, call], { tokens }),
    message(3, "user", [answer]),
    message(4, "gemini", "Fans.", { tokens }),
  ];
  const messages = [
    message(11, "user", [{ text: "<state_snapshot>Fans were counted.</state_snapshot>" }]),
    message(12, "gemini", [{ text: "Got it." }]),
    message(13, "user", "Look"),
    message(14, "gemini", [{ text: "I look." }, call]),
    message(15, "user", [answer]),
    message(16, "gemini", "Fans."),
  ];
  const after = [message(17, "user", "And now?"), message(18, "gemini", "Still fans.", { tokens })];
  const { drafts } = read(linesOf(HEAD, ...said, { $set: { messages } }, ...after));
  expect(calls(drafts)).toHaveLength(3);
  const all = events(drafts);
  expect(all.filter(({ startsTurn }) => startsTurn)).toHaveLength(2);
  const sent = all.slice(all.findIndex(({ body }) => body.type === "compaction") + 1);
  expect(sent.map(({ body, callKey }) => [body.type, callKey !== null])).toEqual([
    ...[
      ["user", false],
      ["assistant", false],
      ["user", false],
      ["assistant", false],
      ["tool_call", false],
    ],
    ...[
      ["tool_result", false],
      ["assistant", false],
      ["user", false],
      ["assistant", true],
    ],
  ]);
});

test("a list that comes again behind a compaction brings no call and nothing twice", () => {
  const tokens = { input: 90, output: 5, cached: 0, thoughts: 0, tool: 0, total: 95 };
  const said = [message(1, "user", "Look"), message(2, "gemini", "Fans.", { tokens })];
  const messages = [
    message(11, "user", [{ text: "<state_snapshot>Fans were counted.</state_snapshot>" }]),
    message(12, "gemini", [{ text: "Got it." }]),
    message(13, "gemini", "Fans."),
  ];
  const next = message(14, "user", "And now?");
  const lines = [HEAD, ...said, { $set: { messages } }, next, { $set: { messages: [...messages, next] } }];
  const { drafts } = read(linesOf(...lines));
  expect(calls(drafts)).toHaveLength(1);
  expect(bodies(drafts).filter(({ type }) => type === "assistant")).toHaveLength(3);
});

test("a call that a list has as a part, and then with its result, is one; thoughts that a list leaves out are not said again", () => {
  const call = { functionCall: { id: "c1", name: "ls", args: {} } };
  const thoughts = [{ subject: "Look", description: "first" }];
  const tokens = { input: 90, output: 5, cached: 0, thoughts: 3, tool: 0, total: 98 };
  const result = [{ functionResponse: { id: "c1", name: "ls", response: { output: "fan coral" } } }];
  const toolCalls = [{ id: "c1", name: "ls", args: {}, status: "success", result }];
  const asked = message(1, "user", "Look");
  const answers = [
    message(2, "gemini", [{ text: "I look." }, call], { thoughts }),
    message(2, "gemini", [{ text: "I look." }, call], { tokens }),
    message(2, "gemini", [{ text: "I look." }, call], { tokens, thoughts, toolCalls }),
  ];
  const lists = answers.map((answer) => ({ $set: { messages: [asked, answer] } }));
  const { drafts } = read(linesOf(HEAD, asked, ...lists));
  expect(bodies(drafts).flatMap(({ type }) => (type === "meta" ? [] : [type]))).toEqual([
    ...["user", "reasoning", "assistant", "tool_call", "tool_result"],
  ]);
});

test("a way back goes to before the message; of one that is not known, to the beginning", () => {
  const rewinds = bodies(session().drafts).filter(({ type }) => type === "rewind");
  expect(rewinds).toEqual([{ type: "rewind", text: "", after: "00000006-0000-4000" }]);
  const { drafts } = read(linesOf(HEAD, message(1, "user", "Hello"), { $rewindTo: "nobody" }));
  expect(bodies(drafts).at(-1)).toEqual({ type: "rewind", text: "", after: null });
});

test("a resumed session's list of all messages brings nothing new", () => {
  const context = message(1, "user", [{ text: "<session_context>\nold\n</session_context>" }]);
  const words = [message(2, "user", "Hello"), message(3, "gemini", "Good day.", { model: "m" })];
  const lines = [HEAD, { $set: { messages: [context] } }, ...words, HEAD, { $set: { messages: [context] } }];
  const { drafts } = read(linesOf(...lines, { $set: { messages: [context, ...words] } }, message(4, "user", "Go on")));
  expect(bodies(drafts).filter(({ type }) => type !== "meta")).toMatchObject([
    { type: "user", injected: "environment" },
    { type: "user", text: "Hello" },
    { type: "assistant", text: "Good day." },
    { type: "user", text: "Go on" },
  ]);
});

test("results that the client took back are a small compaction, once", () => {
  const part = (output: string) => ({ functionResponse: { id: "c1", name: "shell", response: { output } } });
  const call = { id: "c1", name: "shell", args: {}, status: "success", result: [part("many words")] };
  const asked = message(2, "gemini", "", { toolCalls: [call] });
  const list = [
    message(1, "user", "Go"),
    asked,
    message(3, "user", [part("<tool_output_masked>\nfew\n</tool_output_masked>")]),
  ];
  const again = { $set: { messages: list } };
  const { drafts } = read(linesOf(HEAD, list[0], asked, message(3, "user", [part("many words")]), again, again));
  const cuts = bodies(drafts).filter(({ type }) => type === "compaction");
  expect(cuts).toMatchObject([
    { kind: "micro", cleared: ["c1"], text: "<tool_output_masked>\nfew\n</tool_output_masked>" },
  ]);
});

test("a document's messages have their own bytes, and those before a damage are read", () => {
  const bytes = fixture("gemini-synthetic-document.json");
  const { drafts, name } = read(bytes, "/home/ada/.gemini/tmp/reef/chats/session-1.json", "/home/ada/reef\n");
  expect(name).toBe("0c0ffee0-0000-4000-8000-0000000000e2");
  expect(patches(drafts)).toMatchObject({ cwd: "/home/ada/reef", title: "How many corals?", model: "gemini-2.5-pro" });
  const answer = events(drafts).find(({ body }) => body.type === "assistant")!;
  const own = JSON.parse(new TextDecoder().decode(bytes.subarray(answer.byteStart, answer.byteEnd))) as object;
  expect(own).toMatchObject({ type: "gemini", content: "I look." });
  expect(
    bodies(drafts)
      .filter(({ type }) => type === "tool_result")
      .at(-1),
  ).toMatchObject({ detail: { interrupted: true } });
  const cut = read(bytes.subarray(0, bytes.length - 400), "/home/ada/.gemini/tmp/reef/chats/session-1.json");
  expect(cut.name).toBe(name);
  expect(bodies(cut.drafts)).toContainEqual({ type: "assistant", text: "I look." });
  expect(cut.drafts.filter(({ kind }) => kind === "problem")).toMatchObject(
    [{ reason: /ends too early/ }].map(() => ({})),
  );
});

test("a sub-agent's chat lies below its parent's id", () => {
  const path = "/home/ada/.gemini/tmp/reef/chats/0c0ffee0-parent/child.jsonl";
  const lines = linesOf({ ...HEAD, sessionId: "child", kind: "subagent" }, message(1, "user", "Look into it"));
  const { drafts, name } = read(lines, path);
  expect(name).toBe("0c0ffee0-parent/child");
  expect(patches(drafts)).toMatchObject({ parent: "0c0ffee0-parent", relation: "subagent" });
  const call = { id: "c9", name: "investigator", args: {}, agentId: "child" };
  const parent = read(linesOf(HEAD, message(1, "gemini", "", { toolCalls: [call] }))).drafts;
  expect(parent).toContainEqual({ kind: "link", lane: "", toolCallId: "c9", agentId: "child" });
});

test("is found in its folders", () => {
  expect(gemini.sources({ HOME: "/home/ada" }, "linux")).toEqual(["/home/ada/.gemini/tmp", "/home/ada/.qwen/tmp"]);
  expect(gemini.sources({ HOME: "/h", GEMINI_CLI_HOME: "/g" }, "linux")[0]).toBe("/g/.gemini/tmp");
  expect(gemini.wants("/g/.gemini/tmp/reef/chats/session-1.json")).toBe(true);
  expect(gemini.wants("/g/.gemini/tmp/reef/chats/p/child.jsonl")).toBe(true);
  expect(gemini.wants("/g/.gemini/tmp/reef/logs.json")).toBe(false);
});

test("a part that begins with the messages that a compaction kept has no calls and turns of copies", () => {
  const bytes = Buffer.from(fixture("gemini-synthetic-session.jsonl"));
  const { drafts } = read(bytes.subarray(bytes.lastIndexOf("\n", bytes.indexOf("<state_snapshot>")) + 1));
  const [first] = events(drafts);
  expect(first!.body).toMatchObject({ type: "compaction", text: expect.stringContaining("counted") as unknown });
  expect(calls(drafts).filter(({ usage }) => usage === null)).toEqual([]);
});

test("names that are not random are of their chat alone, and of each message one", () => {
  const answers = (sessionId: string, ...ids: readonly string[]) =>
    calls(read(linesOf({ ...HEAD, sessionId }, ...ids.map((id) => message(1, "gemini", id, { id })))).drafts);
  const long = "message-of-the-second-of-march-";
  const names = ["harbour-chat-1", "harbour-chat-2"].flatMap((id) => answers(id, "a1", `${long}1`, `${long}2`));
  expect(new Set(names.map(({ key }) => key)).size).toBe(6);
  // The same chat again, in another file.
  expect(answers("harbour-chat-1", "a1")[0]!.key).toBe(names[0]!.key);
});
