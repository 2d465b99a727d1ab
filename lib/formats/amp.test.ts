// Threads of Amp: their messages, and the ledger of requests beside them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { amp } from "./amp.ts";
import { bodies, calls, events, patches } from "./codex/testing-codex.ts";

function read(name: string): { drafts: Draft[]; id: string | null } {
  const bytes = readFileSync(join(import.meta.dirname, `fixtures/amp-synthetic-${name}.json`));
  const state = amp.start({ path: "x", head: bytes, sidecars: new Map<string, string>() });
  const drafts = amp.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, state);
  return { drafts, id: amp.identify(state) };
}

test("results name their calls, and what was cached is counted beside the input", () => {
  const { drafts, id } = read("thread");
  expect(id).toBe("T-00000000-0000-4000-8000-000000000001");
  expect(patches(drafts)).toMatchObject({ cwd: "/home/ada/reef", startedAt: 1_770_109_200_000 });
  expect(bodies(drafts)).toMatchObject([
    { type: "user", text: "How many corals?" },
    { type: "reasoning", text: "Look." },
    { type: "tool_call", toolCallId: "toolu_a1" },
    { type: "tool_result", toolCallId: "toolu_a1", text: "seven", isError: false },
    { type: "assistant", text: "Seven." },
  ]);
  expect(calls(drafts)).toMatchObject([
    { model: "claude-sonnet-4-5-20250929", usage: { inputUncached: 10, cacheRead: 4000, cacheWrite: 300, output: 20 } },
    { usage: { inputUncached: 5, cacheRead: 4300, output: 4 } },
  ]);
});

test("an answer without usage has that of its request in the ledger, and each answer its time", () => {
  const { drafts } = read("ledger");
  expect(calls(drafts)).toMatchObject([
    {
      ts: Date.UTC(2025, 10, 23, 10, 0, 5),
      model: "claude-sonnet-4-5-20250929",
      usage: { inputUncached: 1400, cacheRead: 200, cacheWrite: 100, output: 30 },
    },
    {
      ts: Date.UTC(2025, 10, 23, 10, 0, 20),
      usage: { inputUncached: 7, cacheRead: 1500, cacheWrite: 90, output: 12 },
      window: 168_000,
    },
  ]);
  expect(events(drafts)[0]).toMatchObject({ ts: 1_763_892_001_000, startsTurn: true });
  expect(patches(drafts)).toMatchObject({ cwd: "/home/ada/my tides" });
  expect(bodies(drafts)).toMatchObject([
    { type: "user", text: "When is high water?" },
    { type: "tool_call", toolCallId: "toolu_t1" },
    { type: "tool_result", toolCallId: "toolu_t1", text: "no such file", isError: true },
    { type: "assistant", text: "There is no table." },
    { type: "meta", subtype: "usage ledger", text: "0.8125 credits for 3 requests" },
  ]);
});

test("a request that no answer is about is counted by the agent, in no call", () => {
  const reported = read("ledger").drafts.filter((draft) => draft.kind === "reported");
  expect(reported).toHaveLength(1);
  expect(reported[0]).toMatchObject({
    usd: null,
    usage: {
      "claude-haiku-4-5-20251001": { inputUncached: 300, output: 8 },
      "claude-sonnet-4-5-20250929": { inputUncached: 1407, cacheRead: 1700, cacheWrite: 190, output: 42 },
    },
  });
  expect(read("thread").drafts.some(({ kind }) => kind === "reported")).toBe(false);
});

const threadOf = (messages: readonly object[]): Draft[] => {
  const thread = { v: 3, id: "T-00000000-0000-4000-8000-000000000009", created: 1_770_109_200_000, messages };
  const bytes = new TextEncoder().encode(JSON.stringify(thread));
  const file = { path: "x", head: bytes, sidecars: new Map<string, string>() };
  expect(amp.detect(file)).toBe(true);
  return [...amp.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, amp.start(file))];
};

test("what is between a person and a model: a command that a person ran, a summary of all before", () => {
  const drafts = threadOf([
    { role: "user", messageId: 0, content: [{ type: "text", text: "How many?" }] },
    {
      ...{ role: "info", messageId: 1 },
      content: [
        {
          ...{ type: "manual_bash_invocation", args: { cmd: "ls" }, hidden: false },
          toolRun: { status: "done", result: { output: "kelp.txt", exitCode: 0 } },
        },
      ],
    },
    { role: "assistant", messageId: 2, content: [{ type: "text", text: "Seven." }] },
    {
      ...{ role: "info", messageId: 3 },
      content: [{ type: "summary", summary: { type: "message", summary: "Seven corals." } }],
    },
    { role: "user", messageId: 4, content: [{ type: "text", text: "And fish?" }] },
  ]);
  expect(bodies(drafts)).toMatchObject([
    { type: "user", text: "How many?" },
    { type: "user", text: "$ ls\nkelp.txt\n(exit code 0)", injected: "shell" },
    { type: "assistant", text: "Seven." },
    { type: "compaction", kind: "full", text: "Seven corals." },
    { type: "user", text: "Seven corals.", injected: "summary" },
    { type: "user", text: "And fish?" },
  ]);
});

test("of OpenAI's models, what was not cached is input, though Amp counts it as written", () => {
  const usage = { model: "gpt-5.2", inputTokens: 0, cacheCreationInputTokens: 900, cacheReadInputTokens: 4000 };
  const messages = [
    { role: "user", messageId: 0, content: [{ type: "text", text: "How many?" }] },
    {
      ...{ role: "assistant", messageId: 1, content: [{ type: "text", text: "Seven." }] },
      usage: { ...usage, outputTokens: 20, totalInputTokens: 4900 },
    },
  ];
  const drafts = threadOf(messages);
  expect(calls(drafts)).toMatchObject([
    { model: "gpt-5.2", usage: { inputUncached: 900, cacheRead: 4000, cacheWrite: 0, output: 20 } },
  ]);
});

test("threads lie where Amp keeps its data", () => {
  expect(amp.sources({ HOME: "/home/ada" }, "linux")).toEqual(["/home/ada/.local/share/amp/threads"]);
  expect(amp.sources({ HOME: "/home/ada", XDG_DATA_HOME: "/data" }, "linux")).toEqual(["/data/amp/threads"]);
  expect(amp.sources({ USERPROFILE: "C:\\Users\\ada" }, "win32")).toEqual([
    "C:\\Users\\ada\\.local\\share\\amp\\threads",
  ]);
  expect(amp.wants("/home/ada/.local/share/amp/threads/T-1.json")).toBe(true);
  expect(amp.wants("/home/ada/.local/share/amp/session.json")).toBe(false);
});
