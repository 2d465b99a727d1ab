// CodeBuddy's sessions: items of an answer are one call, counts as they meet its total, what is no prompt, sub-agents.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { codebuddy } from "./codebuddy.ts";
import { codeBuddyUsage } from "./codebuddy/codebuddy-usage.ts";
import { calls, events, patches } from "./codex/testing-codex.ts";

const ID = "c0de0000-0000-4000-8000-0000000000aa";
const PATH = `/home/ada/.codebuddy/projects/home-ada-fjord/${ID}.jsonl`;
const fixture = (name: string): Buffer =>
  readFileSync(join(import.meta.dirname, `fixtures/codebuddy-synthetic-${name}.jsonl`));

function read(bytes: Buffer, path = PATH): { drafts: Draft[]; id: string | null } {
  const state = codebuddy.start({ path, head: bytes, sidecars: new Map<string, string>() });
  const lines = bytes.toString().split("\n").filter(Boolean);
  const drafts = lines.flatMap((line, i) =>
    codebuddy.parse({ bytes: Buffer.from(line), byteStart: 0, byteEnd: line.length, line: i + 1 }, state),
  );
  return { drafts, id: codebuddy.identify(state) };
}
const line = (record: object): Buffer => Buffer.from(`${JSON.stringify(record)}\n`);

test("a file is named by the first record that says whose it is, and calls of one answer are told apart", () => {
  const call = { type: "function_call", id: "a1", timestamp: 1_788_256_800_002, name: "Bash", arguments: "{}" };
  const records = [
    {
      type: "message",
      timestamp: 1_788_256_800_000,
      id: "u1",
      role: "user",
      content: "Go",
      providerData: {},
      cwd: "/a",
    },
    { type: "message", timestamp: 1_788_256_800_001, id: "a1", role: "assistant", content: "I look.", sessionId: ID },
    { ...call, callId: "c1" },
    { ...call, callId: "c2" },
  ];
  const whole = read(Buffer.concat(records.map(line)), "/tmp/one.jsonl");
  const state = codebuddy.start({ path: "/tmp/one.jsonl", head: line(records[0]!), sidecars: new Map() });
  for (const bytes of records.map(line))
    codebuddy.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, state);
  expect([whole.id, codebuddy.identify(state)]).toEqual([ID, ID]);
  expect(events(whole.drafts).map(({ recordKey }) => recordKey)).toEqual([
    "u1",
    "a1",
    "a1/function_call/c1",
    "a1/function_call/c2",
  ]);
});

test("items are events; what the client wrote in the person's place is no prompt", () => {
  const { drafts, id } = read(fixture("session"));
  expect(id).toBe(ID);
  const own = events(drafts);
  expect(own.map(({ body }) => body)).toMatchObject([
    { type: "user", text: "Count the puffins (synthetic)" },
    { type: "meta", subtype: "file-history-snapshot" },
    { type: "user", injected: "reminder" },
    { type: "reasoning", text: "A list may be there." },
    { type: "assistant", text: "I look." },
    { type: "tool_call", toolCallId: "call_p1", toolName: "Bash", input: { command: "wc -l puffins.txt" } },
    { type: "tool_call", toolCallId: "call_p2", toolName: "Agent" },
    { type: "tool_result", toolCallId: "call_p1", text: "12 puffins.txt", isError: false },
    { type: "tool_result", toolCallId: "call_p2", text: "One list.", isError: false },
    { type: "assistant", text: "Twelve puffins." },
    { type: "meta", subtype: "topic" },
    { type: "meta", subtype: "ai-title" },
    { type: "user", injected: "command" },
    { type: "user", text: "And the auks?" },
    { type: "tool_call", toolName: "Read" },
    { type: "tool_result", text: "No such file (synthetic)", isError: true },
    { type: "rewind", after: "a2m" },
    { type: "user", text: "And the terns?" },
    { type: "unknown" },
    { type: "compaction", kind: "full", trigger: "auto" },
    { type: "user", injected: "summary" },
    { type: "assistant", text: "Five terns." },
  ]);
  expect(own.flatMap(({ body, startsTurn }) => (startsTurn && body.type === "user" ? [body.text] : []))).toEqual([
    "Count the puffins (synthetic)",
    "And the auks?",
    "And the terns?",
  ]);
  expect(own.map(({ recordKey }) => recordKey)).toContain("a2m");
  expect(patches(drafts)).toMatchObject({ agentName: "CodeBuddy", cwd: "/home/ada/fjord", model: "glm-5.2" });
  const titles = drafts.flatMap((draft) => (draft.kind === "session" ? (draft.patch.title ?? []) : []));
  expect(titles).toEqual(["Count the puffins (synthetic)", "Puffins (synthetic)", "Counting puffins (synthetic)"]);
});

test("records of one answer are one call, and its counts are told once", () => {
  const counted = new Map(
    calls(read(fixture("session")).drafts).flatMap(({ key, usage, model }) =>
      usage === null ? [] : [[key, { ...usage, model }] as const],
    ),
  );
  expect([...counted.keys()]).toEqual(["a1", "a2", "a3", "a4"]);
  const none = { cacheWrite: 0, cacheWrite1h: 0, reasoning: 0, webSearches: 0, model: "glm-5.2" };
  expect([...counted.values()]).toEqual([
    { ...none, inputUncached: 5000, cacheRead: 4000, output: 120, reasoning: 30 },
    // Here the total has the cache beside the input.
    { ...none, inputUncached: 100, cacheRead: 1344, cacheWrite: 10, output: 47 },
    { ...none, inputUncached: 500, cacheRead: 9000, output: 20 },
    { ...none, inputUncached: 700, cacheRead: 0, output: 8 },
  ]);
});

test.each([
  ["a count that one writer leaves out", { message: { usage: { input_tokens: 100, output_tokens: 5 } } }, 40],
  ["a copy of zeros", { message: { usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 } } }, 40],
  ["no total", {}, 40],
])("%s changes nothing", (_what, more, cached) => {
  const usage = { inputTokens: 100, outputTokens: 5, inputTokensDetails: [{ cached_tokens: cached }] };
  expect(codeBuddyUsage({ ...more, providerData: { usage } })).toMatchObject({
    ...{ inputUncached: 60, cacheRead: 40, output: 5 },
  });
});

test("Anthropic's counts alone stand beside each other, where no total says otherwise", () => {
  const usage = { input_tokens: 5000, output_tokens: 47, cache_read_input_tokens: 1344 };
  const counted = { inputUncached: 5000, cacheRead: 1344, output: 47 };
  expect(codeBuddyUsage({ message: { usage } })).toMatchObject(counted);
  const told = codeBuddyUsage({ message: { usage: { ...usage, total_tokens: 5047 } } });
  expect(told).toMatchObject({ ...counted, inputUncached: 3656 });
});

test("words and a call of one answer are one call where the answer has no other name than their own", () => {
  const counts = { providerData: { usage: { inputTokens: 90, outputTokens: 5, totalTokens: 95 } } };
  const of = { id: "x1", timestamp: 1_790_000_000_000, sessionId: ID, ...counts };
  const said = { ...of, type: "message", role: "assistant", content: [{ type: "output_text", text: "I look." }] };
  const call = { ...of, type: "function_call", callId: "c1", name: "ls", arguments: "{}" };
  const { drafts } = read(Buffer.concat([line(said), line(call)]));
  expect(new Set(drafts.flatMap((draft) => (draft.kind === "call" ? [draft.key] : [])))).toEqual(new Set(["x1"]));
});

test("a record without counts, or with zeros alone, has none", () => {
  expect(codeBuddyUsage({ providerData: { usage: {} } })).toBeNull();
  expect(codeBuddyUsage({ providerData: { rawUsage: { prompt_tokens: 0, completion_tokens: 0 } } })).toBeNull();
});

test("a sub-agent's file lies in its session's folder, and the call that began it names it", () => {
  const path = PATH.replace(".jsonl", "/subagents/agent-b1rd.jsonl");
  const { drafts, id } = read(fixture("subagent"), path);
  expect(codebuddy.wants(path)).toBe(true);
  expect(id).toBe(`${ID}/agent-b1rd`);
  expect(patches(drafts)).toMatchObject({ relation: "subagent", parent: ID });
  expect(events(drafts).map(({ body }) => body)).toMatchObject([
    { type: "user" },
    { type: "tool_call" },
    { type: "tool_result", text: "puffins.txt:1" },
    { type: "assistant" },
  ]);
  const link = { kind: "link", lane: "", toolCallId: "call_p2", agentId: `${ID}/agent-b1rd` };
  expect(read(fixture("session")).drafts).toContainEqual(link);
  const spawned = { type: "agent-spawned", value: '{"taskId":"agent-b1rd"}' };
  const result = {
    ...{ id: "t", timestamp: 1_788_256_800_000, type: "function_call_result", callId: "call_p2", sessionId: ID },
    ...{ output: { type: "text", text: "Started." }, providerData: { toolResult: { renderer: spawned } } },
  };
  expect(read(line(result)).drafts).toContainEqual(link);
});

test("a session that was cleared begins anew; a scheduled prompt begins a turn; a message sent again is no compaction", () => {
  const said = (role: string, providerData: object) => ({
    ...{ id: "m", timestamp: 1_788_256_800_000, type: "message", role, sessionId: ID, cwd: "/w", providerData },
    content: [{ type: "input_text", text: "Terns" }],
  });
  const bodiesOf = (role: string, provider: object) => events(read(line(said(role, provider))).drafts);
  expect(bodiesOf("system", { isSessionSeparator: true })).toMatchObject([{ body: { type: "rewind", after: null } }]);
  expect(bodiesOf("user", { isMeta: true, startsNewUserRequest: true })).toMatchObject([
    { startsTurn: true, body: { injected: "reminder" } },
  ]);
  expect(bodiesOf("user", { isSummary: true, isPtlRecovery: true }).map(({ body }) => body.type)).toEqual(["user"]);
  expect(bodiesOf("user", { agent: "compact" })).toMatchObject([{ body: { injected: "compaction" } }]);
});

test("sessions lie below CodeBuddy's and WorkBuddy's folders; items of a provider are none", () => {
  expect(codebuddy.sources({ HOME: "/h" }, "linux")).toEqual(["/h/.codebuddy/projects", "/h/.workbuddy/projects"]);
  expect(codebuddy.sources({ HOME: "/h", CODEBUDDY_CONFIG_DIR: "/c" }, "linux")[0]).toBe("/c/projects");
  expect(codebuddy.wants(PATH)).toBe(true);
  expect(codebuddy.wants("/h/.codebuddy/traces/7/trace_1.jsonl")).toBe(false);
  const known = (value: object): boolean =>
    codebuddy.detect({ path: "x", head: line(value), sidecars: new Map<string, string>() });
  const call = { type: "function_call", callId: "c", name: "Read", arguments: "{}" };
  expect(known({ ...call, timestamp: 1_788_256_800_000 })).toBe(true);
  expect(known(call)).toBe(false);
  expect(known({ type: "function_call", call_id: "c", name: "Read", timestamp: 1_788_256_800_000 })).toBe(false);
  const { drafts } = read(fixture("session"), PATH.replace(".codebuddy", ".workbuddy"));
  expect(patches(drafts)).toMatchObject({ agentName: "WorkBuddy" });
});
