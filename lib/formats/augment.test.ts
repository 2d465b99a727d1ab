// Sessions of Auggie: exchanges, each with what was sent and what came back. Synthetic.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { augment } from "./augment.ts";
import { bodies, calls, events, patches } from "./codex/testing-codex.ts";

const bytes = readFileSync(join(import.meta.dirname, "fixtures/augment-synthetic-session.json"));

function read() {
  const state = augment.start({ path: "x.json", head: bytes, sidecars: new Map<string, string>() });
  const record = { bytes, byteStart: 0, byteEnd: bytes.length, line: 1 };
  return { drafts: [...augment.parse(record, state)], id: augment.identify(state) };
}

test("an exchange is one request; what its nodes repeat is read once", () => {
  const { drafts, id } = read();
  expect(id).toBe("a09e0000-0000-4000-8000-000000000001");
  expect(patches(drafts)).toMatchObject({ cwd: "/home/ada/gannets", title: "Count the gannets", titleRank: 0 });
  expect(bodies(drafts)).toMatchObject([
    { type: "meta", subtype: "session" },
    { type: "meta", subtype: "credits", text: "12.5 credits" },
    { type: "user", text: "Count the gannets" },
    { type: "reasoning", text: "Look first." },
    { type: "assistant", text: "I look." },
    { type: "tool_call", toolCallId: "call_g1", toolName: "launch-process", input: { command: "wc -l rock" } },
    { type: "tool_result", toolCallId: "call_g1", text: "80 gannets", isError: false },
    { type: "assistant", text: "Eighty gannets." },
    { type: "user", text: "And the terns?" },
    { type: "meta", subtype: "exchange" },
  ]);
  expect(events(drafts).filter(({ startsTurn }) => startsTurn)).toHaveLength(2);
});

test("the counts of an exchange stand apart, and one without an answer has no call", () => {
  expect(calls(read().drafts)).toMatchObject([
    {
      ...{ key: "a09e0000-0000-4000-8000-0000000000a1", model: "claude-sonnet-4-5" },
      usage: { inputUncached: 12, cacheRead: 9000, cacheWrite: 300, output: 45 },
    },
    {
      ...{ key: "a09e0000-0000-4000-8000-0000000000a2", model: "claude-sonnet-4-5" },
      usage: { inputUncached: 8, cacheRead: 9300, cacheWrite: 60, output: 6 },
    },
  ]);
});

test("each request of an exchange counts once, and tools of a server have its name", () => {
  const node = (type: number, more: object) => ({ type, tool_use: null, token_usage: null, ...more });
  const used = (output: number, ms: number) => ({
    token_usage: { input_tokens: 1, output_tokens: output, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    timestamp_ms: ms,
  });
  const response_nodes = [
    node(5, { tool_use: { mcp_server_name: "rock", mcp_tool_name: "survey" } }),
    ...[node(10, used(20, 1_788_000_000_000)), node(10, used(30, 1_788_000_060_000))],
    node(8, used(30, 1_788_000_060_000)),
  ];
  const exchange = { request_id: "r1", request_message: "Survey", response_text: "Done.", response_nodes };
  const text = JSON.stringify({ sessionId: "a09e", modified: "2026-09-01", chatHistory: [{ exchange }] });
  const record = { bytes: Buffer.from(text), byteStart: 0, byteEnd: text.length, line: 1 };
  const state = augment.start({ path: "x.json", head: record.bytes, sidecars: new Map<string, string>() });
  const drafts = [...augment.parse(record, state)];
  expect(calls(drafts).map(({ key, ts, usage }) => [key, ts, usage?.output])).toEqual([
    ["r1", 1_788_000_000_000, 20],
    ["r1/2", 1_788_000_060_000, 30],
  ]);
  expect(bodies(drafts)).toContainEqual({
    ...{ type: "tool_call", toolCallId: null, toolName: "mcp__rock__survey", input: {} },
  });
});

test("sessions lie where Auggie keeps them; a document of another agent is none", () => {
  expect(augment.sources({ HOME: "/home/ada" }, "linux")).toEqual(["/home/ada/.augment/sessions"]);
  expect(augment.wants("/home/ada/.augment/sessions/a09e0000-0000-4000-8000-000000000001.json")).toBe(true);
  expect(augment.wants("/home/ada/.augment/session.json")).toBe(false);
  const known = (value: object): boolean =>
    augment.detect({ path: "x", head: Buffer.from(JSON.stringify(value)), sidecars: new Map<string, string>() });
  expect(known({ sessionId: "a", modified: "2026-09-01", agentState: {} })).toBe(true);
  expect(known({ sessionId: "a", chatHistory: [{ exchange: {} }] })).toBe(true);
  expect(known({ sessionId: "a", history: [{ message: {} }] })).toBe(false);
  for (const turn of [
    { role: "user", content: "Auks?" },
    { prompt: "Auks?", response: "Two." },
  ])
    expect(known({ sessionId: "a", chatHistory: [turn, turn] })).toBe(false);
});
