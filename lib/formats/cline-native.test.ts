// Tasks of Cline's editor with the provider's own calls, which words answer: releases of early 2026. Synthetic.
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { cline } from "./cline.ts";
import { bodies, calls, events, patches } from "./codex/testing-codex.ts";

const TASK = "/home/ada/.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1772447000000";
const text = (words: string): object => ({ type: "text", text: words });
const use = (id: string, name: string): object => ({ type: "tool_use", id, name, input: { path: "a" } });
const ENVIRONMENT = text("<environment_details>\n# Current Mode\nACT MODE\n</environment_details>");
const modelInfo = { modelId: "claude-opus-4-5-20251101", providerId: "anthropic", mode: "act" };
const answer = (tokens: object, ...content: object[]): object => ({
  ...{ role: "assistant", content, modelInfo },
  metrics: { tokens },
});
const MESSAGES = [
  { role: "user", content: [text("<task>\nCount\n</task>"), text("\n# task_progress RECOMMENDED\n"), ENVIRONMENT] },
  answer({ prompt: 10, completion: 81, cached: 900 }, use("t1", "read_file"), use("t2", "read_file")),
  {
    role: "user",
    content: [
      text("[read_file for 'a'] Result:\nthree"),
      text("Tool [read_file] was not executed because a tool has already been used in this message."),
      ENVIRONMENT,
    ],
  },
  answer({ prompt: 10, completion: 9, cached: 1200 }, use("t3", "c0mcp0query")),
  { role: "user", content: [text("[use_mcp_tool for 'reef'] Result:\nfour"), ENVIRONMENT] },
  answer({ prompt: 10, completion: 5, cached: 1300 }, text("Seven.")),
];

const panel = (ts: number, conversationHistoryIndex: number, counts: object): object => ({
  ...{ ts, type: "say", say: "api_req_started", modelInfo, conversationHistoryIndex },
  text: JSON.stringify({ request: "…", tokensIn: 10, ...counts, cost: 0.01 }),
});
const PANEL = [
  panel(1_772_447_001_000, -1, { tokensOut: 81, cacheWrites: 900, cacheReads: 0 }),
  panel(1_772_447_002_000, 1, { tokensOut: 9, cacheWrites: 300, cacheReads: 900 }),
  panel(1_772_447_003_000, 3, { tokensOut: 5, cacheWrites: 100, cacheReads: 1200 }),
];

function read(beside: Readonly<Record<string, unknown>> = {}): Draft[] {
  const bytes = Buffer.from(JSON.stringify(MESSAGES));
  const sidecars = new Map(Object.entries(beside).map(([name, value]) => [name, JSON.stringify(value)]));
  const file = { path: `${TASK}/api_conversation_history.json`, head: bytes, sidecars };
  return [...cline.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, cline.start(file))];
}

test("words answer the calls of the provider's own, and one that was not run has failed", () => {
  expect(bodies(read()).slice(1)).toMatchObject([
    { type: "user", text: "Count" },
    { type: "user", injected: "reminder" },
    { type: "user", injected: "environment" },
    { type: "tool_call", toolCallId: "t1" },
    { type: "tool_call", toolCallId: "t2" },
    { type: "tool_result", toolCallId: "t1", text: "three", isError: false },
    { type: "tool_result", toolCallId: "t2", isError: true },
    { type: "user", injected: "environment" },
    { type: "tool_call", toolCallId: "t3" },
    { type: "tool_result", toolCallId: "t3", text: "four" },
    { type: "user", injected: "environment" },
    { type: "assistant", text: "Seven." },
  ]);
  expect(events(read()).filter(({ startsTurn }) => startsTurn)).toHaveLength(1);
});

test("messages without a time have that of their request", () => {
  const drafts = read({ [`${TASK}/ui_messages.json`]: PANEL });
  expect(patches(drafts)).toMatchObject({ startedAt: 1_772_447_001_000 });
  expect(calls(drafts)).toMatchObject([
    { ts: 1_772_447_001_000, usage: { inputUncached: 10, cacheWrite: 900, output: 81 } },
    { ts: 1_772_447_002_000, usage: { inputUncached: 10, cacheRead: 900, cacheWrite: 300, output: 9 } },
    { ts: 1_772_447_003_000, usage: { inputUncached: 10, cacheRead: 1200, cacheWrite: 100, output: 5 } },
  ]);
  expect(events(drafts).at(-1)).toMatchObject({ ts: 1_772_447_003_000 });
});

test("without the panel an answer has its own counts, the cache in one", () => {
  const drafts = read();
  expect(calls(drafts).map(({ usage }) => [usage?.inputUncached, usage?.cacheRead, usage?.output])).toEqual([
    [10, 900, 81],
    [10, 1200, 9],
    [10, 1300, 5],
  ]);
  expect(patches(drafts)).toMatchObject({ quality: expect.stringContaining("one sum") as unknown });
});

test("files that a person attached are no words of the person", () => {
  const attached = 'Files attached by the user:\n\n<file_content path="tides.csv">\n4.2\n</file_content>';
  const bytes = Buffer.from(
    JSON.stringify([{ role: "user", content: [text("<task>\nCount\n</task>"), text(attached)] }]),
  );
  const file = { path: `${TASK}/api_conversation_history.json`, head: bytes, sidecars: new Map<string, string>() };
  const drafts = [...cline.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, cline.start(file))];
  expect(bodies(drafts).filter(({ type }) => type === "user")).toMatchObject([
    { text: "Count" },
    { text: attached, injected: "mention" },
  ]);
});
