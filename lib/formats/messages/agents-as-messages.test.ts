// Files without a format of their own, which are messages: what Bedrock's Converse was sent, and documents of Hermes.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { bodies, calls } from "../codex/testing-codex.ts";
import { FORMATS } from "../index.ts";

const messages = FORMATS.find(({ id }) => id === "messages")!;

function read(name: string): { drafts: Draft[]; id: string | null } {
  const bytes = readFileSync(join(import.meta.dirname, `../fixtures/messages-synthetic-${name}.json`));
  const file = { path: "x", head: bytes, sidecars: new Map<string, string>() };
  const state = messages.start(file);
  const drafts = messages.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, state);
  return { drafts, id: messages.identify(state) };
}

test("Bedrock's Converse: parts are known by their keys, and the answer is the call", () => {
  const { drafts } = read("converse");
  expect(bodies(drafts)).toMatchObject([
    { type: "system", text: "You count. (synthetic)" },
    { type: "user", text: "How many corals?" },
    { type: "reasoning", text: "Look.", signatureChars: 4 },
    { type: "tool_call", toolCallId: "tooluse_1", toolName: "look", input: { at: "reef" } },
    { type: "tool_result", toolCallId: "tooluse_1", text: '{"corals":7}\nand fish' },
    { type: "assistant", text: "Seven." },
  ]);
  expect(new Set(calls(drafts).map(({ key }) => key)).size).toBe(1);
  expect(calls(drafts).at(-1)).toMatchObject({
    ...{ model: "us.amazon.nova-pro-v1:0", usage: { inputUncached: 40, cacheRead: 500, output: 3 } },
  });
});

test("a document of Hermes has its name, start, folder and system prompt", () => {
  const said = [
    { role: "user", content: "How many corals?" },
    { role: "assistant", content: "Seven.", finish_reason: "stop" },
  ];
  const about = { session_id: "20260901_1", model: "m-1", platform: "cli", session_start: "2026-09-01T10:00:00" };
  const drafts = (more: object) => {
    const bytes = Buffer.from(JSON.stringify({ ...about, ...more }));
    const state = messages.start({ path: "x", head: bytes, sidecars: new Map<string, string>() });
    return messages.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, state);
  };
  const told = drafts({ model_config: { cwd: "/w/reef" }, system_prompt: "You count.", messages: said });
  const start = Date.parse(about.session_start);
  const patch = { agentName: "Hermes", model: "m-1", cwd: "/w/reef", startedAt: start };
  expect(told.find(({ kind }) => kind === "session")).toMatchObject({ patch });
  expect(bodies(told).map(({ type }) => type)).toEqual(["system", "user", "assistant"]);
  const first = { role: "system", content: "You count." };
  const twice = bodies(drafts({ system_prompt: "You count.", messages: [first, ...said] }));
  expect(twice.filter(({ type }) => type === "system")).toHaveLength(1);
});
