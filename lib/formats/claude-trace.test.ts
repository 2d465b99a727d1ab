// Logs of claude-trace: what is new of each request, conversations apart, system prompt and tools once, answers from streams.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { claudeTrace } from "./claude-trace.ts";

const bytes = readFileSync(join(import.meta.dirname, "fixtures", "claude-trace-synthetic-log.jsonl"));
const lines = bytes.toString().split("\n").filter(Boolean);

function read(given: readonly string[]): { drafts: Draft[]; id: string | null } {
  const head = Buffer.from(given.join("\n"));
  const state = claudeTrace.start({ path: "/log.jsonl", head, sidecars: new Map() });
  const drafts = given.flatMap((line, i) =>
    claudeTrace.parse({ bytes: Buffer.from(line), byteStart: 0, byteEnd: line.length, line: i + 1 }, state),
  );
  return { drafts, id: claudeTrace.identify(state) };
}
const told = (drafts: readonly Draft[], lane = ""): string[] =>
  drafts.flatMap((draft) =>
    draft.kind === "event" && draft.lane === lane && draft.body.type !== "meta" ? [draft.body.type] : [],
  );

test("the conversation is told once, and a request beside it is its own", () => {
  const { drafts, id } = read(lines);
  expect(id).toBe("7e570000-0000-4000-8000-00000000b001/claude-trace");
  expect(told(drafts)).toEqual(["user", "assistant", "tool_call", "tool_result", "assistant", "user", "error"]);
  expect(told(drafts, "request-2")).toEqual(["user", "assistant"]);
});

test("system prompt and tools are told where they come first", () => {
  const parts = read(lines).drafts.flatMap((draft) =>
    draft.kind === "event" && draft.body.type === "meta" && draft.body.part !== undefined
      ? [`${draft.lane} ${draft.body.subtype}`]
      : [],
  );
  expect(parts).toEqual([" system_prompt", " tool_schema", "request-2 system_prompt"]);
});

test("an answer's events are one message, under the key of the agent's own file", () => {
  const calls = read(lines).drafts.flatMap((draft) => (draft.kind === "call" ? [draft] : []));
  expect(calls.map(({ key, usage }) => [key, usage?.cacheRead, usage?.cacheWrite, usage?.output])).toEqual([
    ["msg_t1:req_t1", 0, 300, 25],
    ["msg_t2:req_t2", 0, 0, 2],
    ["msg_t3:req_t3", 300, 20, 6],
  ]);
});

test("a request that no session is named in has a name of its own", () => {
  const unnamed = lines.map((line) => line.replaceAll(/"user_id":"[^"]*"/g, '"user_id":""'));
  expect(read(unnamed).id).toMatch(/^\w+\.\w+\.\w+$/);
});
