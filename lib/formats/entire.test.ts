// Entire's own transcripts. All are written by hand.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { bodies, calls, linesOf, patches, recordsOf } from "./codex/testing-codex.ts";
import { entire } from "./entire.ts";

function read(bytes: Uint8Array) {
  const state = entire.start({ path: "transcript.jsonl", head: bytes.subarray(0, 65_536), sidecars: new Map() });
  const drafts: Draft[] = recordsOf(bytes).flatMap((record) => entire.parse(record, state));
  return { drafts, name: entire.identify(state) };
}
const session = () => readFileSync(join(import.meta.dirname, "fixtures", "entire-synthetic-session.jsonl"));

test("an answer in several lines is one call, and results stand in their calls", () => {
  const { drafts } = read(session());
  const counts = new Map(calls(drafts).map(({ key, usage }) => [key, [usage?.inputUncached, usage?.output]]));
  expect([...counts.values()]).toEqual([
    [6, 90],
    [1, 20],
    [2, 5],
  ]);
  expect(bodies(drafts).filter(({ type }) => type === "tool_result")).toMatchObject([
    { toolCallId: "toolu_synthetic_1", text: "fan.txt", isError: false },
    { toolCallId: "toolu_synthetic_2", text: "File not found.", isError: true },
  ]);
  expect(patches(drafts)).toMatchObject({ agentName: "Claude Code", quality: expect.stringContaining("lower bounds") });
});

test("a later snapshot has the same name; another session has another", () => {
  const lines = new TextDecoder().decode(session()).trim().split("\n");
  const part = new TextEncoder().encode(`${lines.slice(0, 2).join("\n")}\n`);
  expect(read(part).name).toBe(read(session()).name);
  expect(read(new TextEncoder().encode(`${lines.slice(4).join("\n")}\n`)).name).not.toBe(read(session()).name);
});

test("the agent's own file beside it is read instead", () => {
  expect(entire.repeats?.("c/ab/0123456789/0/transcript.jsonl")).toBe("c/ab/0123456789/0/full.jsonl");
  expect(entire.repeats?.("c/transcript_full.jsonl")).toBeNull();
});

test("a line of another type is a note, and a block that is not known is kept", () => {
  const line = (type: string, content: unknown) => ({ v: 1, agent: "pi", cli_version: "1", type, ts: null, content });
  const { drafts } = read(linesOf(line("summary", "S"), line("assistant", [{ type: "bubble" }]), line("user", [])));
  expect(bodies(drafts).map(({ type }) => type)).toEqual(["meta", "unknown", "meta"]);
});
