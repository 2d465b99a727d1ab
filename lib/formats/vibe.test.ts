// Vibe's sessions: what is a prompt and what is not, results, sub-agents, and the sums that stand in a file beside.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { calls, events, patches } from "./codex/testing-codex.ts";
import { vibe } from "./vibe.ts";
import type { VibeState } from "./vibe/vibe-state.ts";

const FOLDER = "/home/ada/.vibe/logs/session/session_20260901_100000_7b1e0000";
const PATH = `${FOLDER}/messages.jsonl`;
const META = readFileSync(join(import.meta.dirname, "fixtures-beside/vibe/synthetic-meta.json"), "utf8");
const fixture = (name: string): Buffer => readFileSync(join(import.meta.dirname, "fixtures", name));
const session = fixture("vibe-synthetic-session.jsonl");
const linesOf = (bytes: Buffer): string[] => bytes.toString().split("\n").filter(Boolean);

const fileOf = (bytes: Buffer, meta: string | null = META, path = PATH) => ({
  ...{ path, head: bytes },
  sidecars: new Map(meta === null ? [] : [[path.replace("messages.jsonl", "meta.json"), meta]]),
});
const parse = (lines: readonly string[], state: VibeState): Draft[] =>
  lines.flatMap((line, i) =>
    vibe.parse({ bytes: Buffer.from(line), byteStart: 0, byteEnd: line.length, line: i + 1 }, state),
  );
function read(bytes = session, meta: string | null = META, path = PATH) {
  const state = vibe.start(fileOf(bytes, meta, path));
  return { drafts: parse(linesOf(bytes), state), state };
}
const withMeta = (more: object): string => JSON.stringify({ ...(JSON.parse(META) as object), ...more });
const sums = (drafts: readonly Draft[]) => drafts.filter((draft) => draft.kind === "reported");

test("messages are events; what the client wrote in the person's place is no prompt", () => {
  const own = events(read().drafts);
  expect(own.map(({ body }) => body)).toMatchObject([
    { type: "system", subtype: "prompt", text: "You count birds. (synthetic)" },
    { type: "user", text: "Count the eiders in the bay (synthetic)" },
    { type: "reasoning" },
    { type: "assistant", text: "I look in two places." },
    { type: "tool_call", toolCallId: "Vb1aaaaaa", toolName: "bash", input: { command: "wc -l eiders.txt" } },
    { type: "tool_call", toolCallId: "Vb1bbbbbb", toolName: "task" },
    { type: "tool_result", toolCallId: "Vb1aaaaaa", isError: false, detail: { durationMs: 250 } },
    { type: "tool_result", toolCallId: "Vb1bbbbbb", isError: true },
    { type: "assistant", text: "There are twelve." },
    { type: "user", injected: "command" },
    { type: "user", injected: "client" },
    { type: "user", text: "And the scoters in this picture?" },
    { type: "meta", subtype: "image", text: "scoters.png" },
    { type: "tool_call", toolName: "read_file" },
    { type: "tool_result", isError: true, detail: { interrupted: true } },
    { type: "compaction", kind: "full" },
    { type: "user", injected: "summary" },
    { type: "assistant", text: "I see five scoters." },
    { type: "unknown" },
  ]);
  expect(own.flatMap(({ body, startsTurn }) => (startsTurn && body.type === "user" ? [body.text] : []))).toEqual([
    "Count the eiders in the bay (synthetic)",
    "And the scoters in this picture?",
  ]);
});

test("each answer is a call, whose tokens no file has", () => {
  expect(calls(read().drafts).map(({ model, usage }) => [model, usage])).toEqual(Array(4).fill(["devstral-2", null]));
});

test("the file beside it says what the session is about, which model it had, and what it used", () => {
  const { drafts, state } = read();
  expect(vibe.identify(state)).toBe("7b1e0000-0000-4000-8000-0000000000aa");
  expect(patches(drafts.slice(0, 1))).toMatchObject({
    ...{ agentName: "Mistral Vibe", title: "Eiders (synthetic)", titleRank: 1, cwd: "/home/ada/bay", branch: "bay" },
    ...{ model: "devstral-2", startedAt: Date.UTC(2026, 8, 1, 10, 0, 0, 250) },
  });
  // What was read from the cache is a part of the prompt.
  expect(sums(drafts)).toMatchObject([
    { usd: 0.003_84, usage: { "devstral-2": { inputUncached: 5000, cacheRead: 4000, cacheWrite: 0, output: 120 } } },
  ]);
  expect(drafts).toContainEqual({
    ...{ kind: "link", lane: "", toolCallId: "Vb1bbbbbb", agentId: "7b1e0000-0000-4000-8000-0000000000bb" },
  });
});

test("the file beside it comes behind the messages: then the session has its name, its prompt and its sums", () => {
  const state = vibe.start(fileOf(session, null));
  expect(vibe.identify(state)).toBe("session_20260901_100000_7b1e0000");
  expect(vibe.isNamed!(state)).toBe(false);
  const [first, ...rest] = linesOf(session);
  expect(sums(parse([first!], state))).toEqual([]);
  const resumed = vibe.resume!(JSON.parse(JSON.stringify(state)) as VibeState, fileOf(session));
  expect([vibe.identify(resumed), vibe.isNamed!(resumed)]).toEqual(["7b1e0000-0000-4000-8000-0000000000aa", true]);
  const drafts = parse(rest, resumed);
  expect(events(drafts)[0]!.body).toMatchObject({ type: "system", subtype: "prompt" });
  expect(sums(drafts)).toHaveLength(1);
  expect(JSON.stringify(resumed).length).toBeLessThan(4096);
});

test("sums are told again when they have grown", () => {
  const state = vibe.start(fileOf(session));
  expect(sums(parse(linesOf(session).slice(0, 3), state))).toHaveLength(1);
  const grown = withMeta({ stats: { session_prompt_tokens: "9500", session_completion_tokens: 130 } });
  const resumed = vibe.resume!(JSON.parse(JSON.stringify(state)) as VibeState, fileOf(session, grown));
  expect(sums(parse(linesOf(session).slice(3), resumed))).toMatchObject([
    { usd: null, usage: { "devstral-2": { inputUncached: 9500, cacheRead: 0, output: 130 } } },
  ]);
});

test("a sub-agent's folder lies below its session's, and has sums of its own", () => {
  const parent = "7b1e0000-0000-4000-8000-0000000000aa";
  const path = `${FOLDER}/agents/explore_20260901_100100_7b1e0001/messages.jsonl`;
  const meta = withMeta({ session_id: "b", parent_session_id: parent, agent_profile: { name: "explore" } });
  const { drafts } = read(fixture("vibe-synthetic-subagent.jsonl"), meta, path);
  expect(vibe.wants(path)).toBe(true);
  expect(patches(drafts)).toMatchObject({ relation: "subagent", parent, agentName: "explore" });
  expect(sums(drafts)).toHaveLength(1);
});

test("all sub-agents of a session are linked, those that come later once", () => {
  const of = (count: number) =>
    withMeta({
      child_sessions: Array.from({ length: count }, (_, n) => ({ tool_call_id: `call${n}`, session_id: `child${n}` })),
    });
  const linked = (drafts: readonly Draft[]) => drafts.filter((draft) => draft.kind === "link").length;
  const { drafts, state } = read(session, of(20));
  expect(linked(drafts)).toBe(20);
  expect(JSON.stringify(state).length).toBeLessThan(4096);
  const next = vibe.resume!(state, fileOf(session, of(23)));
  expect(linked(parse(['{"role":"user","content":"Go on","injected":false}'], next))).toBe(3);
});

test("a session that goes on from another says that its sums may be those of both", () => {
  const { drafts } = read(session, withMeta({ session_id: "b", parent_session_id: "a" }));
  const qualities = drafts.flatMap((draft) => (draft.kind === "session" ? (draft.patch.quality ?? []) : []));
  expect(qualities.at(-1)).toBe("Tokens and cost may include those of the session before it.");
  expect(patches(drafts)).toMatchObject({ relation: "fork", parent: "a" });
});

test("sessions lie below Vibe's folder; messages of others are none", () => {
  expect(vibe.sources({ HOME: "/home/ada" }, "linux")).toEqual(["/home/ada/.vibe/logs/session"]);
  expect(vibe.sources({ HOME: "/home/ada", VIBE_HOME: "/v" }, "linux")).toEqual(["/v/logs/session"]);
  expect(vibe.wants(PATH)).toBe(true);
  expect(vibe.wants("/home/ada/.vibe/logs/session/unified/7b1e/messages.jsonl")).toBe(false);
  const known = (value: object): boolean => vibe.detect(fileOf(Buffer.from(`${JSON.stringify(value)}\n`)));
  const said = { role: "user", content: "Hi" };
  expect(known({ ...said, injected: false })).toBe(true);
  expect(known({ ...said, message_id: "7b1e0000-0000-4000-8000-000000000001" })).toBe(true);
  expect(known(said)).toBe(false);
  expect(known({ ...said, message_id: "17" })).toBe(false);
  expect(known({ ...said, message_id: "7b1e0000-0000-4000-8000-000000000001", channel: "birds" })).toBe(false);
  expect(known({ ...said, injected: true, timestamp: 1 })).toBe(false);
});
