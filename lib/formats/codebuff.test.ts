// Chats of Codebuff: blocks of an answer, sub-agents inside it, and counts where a file has them. Synthetic.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codebuff } from "./codebuff.ts";
import { calls, events, patches } from "./codex/testing-codex.ts";

const bytes = readFileSync(join(import.meta.dirname, "fixtures/codebuff-synthetic-chat.json"));
const PATH = "/home/ada/.config/manicode/projects/shags/chats/2026-09-01T10-19-59.000Z/chat-messages.json";

function read(given: Uint8Array = bytes, path = PATH) {
  const state = codebuff.start({ path, head: given, sidecars: new Map<string, string>() });
  const record = { bytes: given, byteStart: 0, byteEnd: given.length, line: 1 };
  return { drafts: codebuff.parse(record, state), id: codebuff.identify(state) };
}

test("a chat is named after its beginning; its messages, blocks and sub-agents are events", () => {
  const { drafts, id } = read();
  expect(id).toBe("2026-09-01T10-19-59.000Z");
  expect(patches(drafts.filter((draft) => draft.kind !== "session" || draft.lane === ""))).toMatchObject({
    ...{ title: "Count the shags", titleRank: 0, startedAt: Date.UTC(2026, 8, 1, 10, 19, 59), agentName: "Codebuff" },
  });
  const own = events(drafts).filter(({ lane }) => lane === "");
  expect(own.map(({ body }) => body)).toMatchObject([
    { type: "user", text: "Count the shags" },
    { type: "user", text: "A list of synthetic shags", injected: "file" },
    { type: "reasoning", text: "Two places to look." },
    { type: "assistant", text: "I look." },
    { type: "tool_call", toolCallId: "tool-1", input: { command: "wc -l shags.txt" } },
    { type: "tool_result", toolCallId: "tool-1", text: "12 shags.txt" },
    { type: "tool_call", toolCallId: "tool-2", toolName: "spawn_agents" },
    { type: "tool_result", toolCallId: "tool-2", text: "One file." },
    { type: "meta", subtype: "mode-divider", text: "MAX" },
    { type: "assistant", text: "Twelve shags." },
    { type: "meta", subtype: "credits", text: "1.5 credits" },
    { type: "user", text: "And the grebes?" },
    { type: "assistant", text: "I see none." },
    { type: "tool_call", toolCallId: "bash-1" },
    { type: "tool_result", toolCallId: "bash-1" },
    { type: "meta", subtype: "answer" },
    { type: "error", text: "Out of credits" },
  ]);
  expect(own.filter(({ startsTurn }) => startsTurn)).toHaveLength(2);
  const inside = events(drafts).filter(({ lane }) => lane === "agent-7");
  expect(inside.map(({ body }) => body)).toMatchObject([
    { type: "user", text: "Find lists of shags" },
    { type: "assistant", text: "shags.txt is one." },
    { type: "meta", subtype: "agent", text: "complete" },
  ]);
  expect(drafts).toContainEqual({ kind: "link", lane: "", toolCallId: "tool-2", agentId: "agent-7" });
});

test("an answer has the count that is its own; of a history only what came after the last prompt; a command has none", () => {
  expect(calls(read().drafts).map(({ lane, key, model, usage }) => ({ lane, key, model, usage }))).toMatchObject([
    { lane: "agent-7", model: null, usage: null },
    {
      ...{ key: "ai-1788258001000", model: "anthropic/claude-sonnet-4.5" },
      usage: { inputUncached: 500, cacheRead: 100, cacheWrite: 300, output: 200 },
    },
    { key: "ai-1788258061000/0", model: "openai/gpt-5", usage: { inputUncached: 700, output: 30 } },
    { key: "ai-1788258061000", model: null, usage: { inputUncached: 150, cacheRead: 600, output: 8 } },
  ]);
});

test("an answer without a count has a call without usage, and a time of the day alone is none", () => {
  const message = { id: "a", variant: "ai", content: "Hello", timestamp: "10:32 AM" };
  const { drafts } = read(Buffer.from(JSON.stringify([message])));
  expect(calls(drafts)).toMatchObject([{ key: "a", ts: null, model: null, usage: null }]);
});

test("chats lie below the projects of each channel; another list is none", () => {
  expect(codebuff.sources({ HOME: "/home/ada" }, "linux")).toEqual(["/home/ada/.config/manicode*/projects"]);
  expect(codebuff.wants(PATH)).toBe(true);
  expect(codebuff.wants(PATH.replace("chat-messages", "run-state"))).toBe(false);
  const known = (value: unknown): boolean =>
    codebuff.detect({ path: "x", head: Buffer.from(JSON.stringify(value)), sidecars: new Map<string, string>() });
  expect(known([{ role: "user", content: "Hi" }])).toBe(false);
  expect(known([{ variant: "primary", content: "Hi" }])).toBe(false);
  expect(known([])).toBe(false);
});

test("sub-agents within sub-agents without end leave the messages after them", () => {
  const nested = `{"type":"agent","agentId":"g","blocks":[`.repeat(20_000) + "]}".repeat(20_000);
  const text = `[{"variant":"ai","id":"a","blocks":[${nested}]},{"variant":"ai","id":"b","content":"Twelve."}]`;
  const bodies = events(read(Buffer.from(text)).drafts).map(({ body }) => body);
  expect(bodies.filter(({ type }) => type === "unknown")).toHaveLength(1);
  expect(bodies).toContainEqual({ type: "assistant", text: "Twelve." });
});
