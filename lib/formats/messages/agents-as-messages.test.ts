// Files without a format of their own, which are messages: what Bedrock's Converse was sent.
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
