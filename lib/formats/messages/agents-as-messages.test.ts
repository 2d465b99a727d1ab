// Files of agents without a format of their own, which are messages: Continue, and what Bedrock's Converse was sent.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { bodies, calls, events, patches } from "../codex/testing-codex.ts";
import { FORMATS } from "../index.ts";

const messages = FORMATS.find(({ id }) => id === "messages")!;

function read(name: string): { drafts: Draft[]; id: string | null } {
  const bytes = readFileSync(join(import.meta.dirname, `../fixtures/messages-synthetic-${name}.json`));
  const file = { path: "x", head: bytes, sidecars: new Map<string, string>() };
  const state = messages.start(file);
  const drafts = messages.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, state);
  return { drafts, id: messages.identify(state) };
}

test("Continue: results and files stand beside their messages; a thought is no call of its own", () => {
  const { drafts, id } = read("continue");
  expect(id).toBe("0c0c0000-0000-4000-8000-000000000001");
  expect(patches(drafts)).toMatchObject({ cwd: "/home/ada/my reef" });
  expect(drafts[0]).toMatchObject({ kind: "session", patch: { title: "Corals (synthetic)", titleRank: 1 } });
  expect(bodies(drafts)).toMatchObject([
    { type: "user", text: "How many corals?" },
    { type: "user", text: "reef.md\nCorals stand here.", injected: "file" },
    { type: "reasoning", text: "Look first." },
    { type: "tool_call", toolCallId: "call_k1", input: { filepath: "reef.md" } },
    { type: "tool_result", toolCallId: "call_k1", text: "seven", isError: false },
    { type: "assistant", text: "Seven." },
  ]);
  expect(events(drafts).filter(({ startsTurn }) => startsTurn)).toHaveLength(1);
  expect(calls(drafts).map(({ usage }) => usage)).toMatchObject([
    { inputUncached: 40, cacheRead: 60, output: 9 },
    { inputUncached: 130, output: 3 },
  ]);
});

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
