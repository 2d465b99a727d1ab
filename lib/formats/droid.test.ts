// Droid sessions: what is a prompt and what is not, sub-agents, and the sums that stand in a file beside.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { droid } from "./droid.ts";
import type { DroidState } from "./droid/droid-state.ts";

const PATH = "/home/ada/.factory/sessions/-home-ada-tides/d001.jsonl";
const settings = (output: number): ReadonlyMap<string, string> =>
  new Map([
    [
      PATH.replace(".jsonl", ".settings.json"),
      JSON.stringify({
        model: "claude-opus-5",
        tokenUsage: {
          inputTokens: 9,
          outputTokens: output,
          cacheCreationTokens: 7,
          cacheReadTokens: 50,
          thinkingTokens: 4,
        },
      }),
    ],
  ]);
const fixture = (name: string): Buffer => readFileSync(join(import.meta.dirname, "fixtures", name));
const linesOf = (bytes: Buffer): string[] => bytes.toString().split("\n").filter(Boolean);
const start = (bytes: Buffer, sidecars: ReadonlyMap<string, string> = new Map()): DroidState =>
  droid.start({ path: PATH, head: bytes, sidecars });
const read = (lines: readonly string[], state: DroidState): Draft[] =>
  lines.flatMap((line, i) =>
    droid.parse({ bytes: Buffer.from(line), byteStart: 0, byteEnd: line.length, line: i + 1 }, state),
  );

test("what the client wrote for the model is no prompt, and what the person alone saw was not sent", () => {
  const bytes = fixture("droid-synthetic-session.jsonl");
  const drafts = read(linesOf(bytes), start(bytes));
  const said = drafts.flatMap((draft) =>
    draft.kind === "event" && draft.body.type === "user" ? [[draft.body.injected ?? "", draft.startsTurn]] : [],
  );
  expect(said).toEqual([
    ["reminder", false],
    ["", true],
    ["automation", false],
  ]);
  const types = drafts.flatMap((draft) => (draft.kind === "event" ? [draft.body.type] : []));
  expect(types.filter((type) => type === "compaction")).toHaveLength(1);
  expect(types.at(-1)).toBe("unknown");
  expect(drafts.filter(({ kind }) => kind === "call")).toHaveLength(3);
});

test("a sub-agent names the call that started it", () => {
  const bytes = fixture("droid-synthetic-subagent.jsonl");
  const drafts = read(linesOf(bytes), start(bytes));
  const titles = drafts.flatMap((draft) => (draft.kind === "session" ? (draft.patch.title ?? []) : []));
  expect(titles).toEqual(["Count the lines."]);
  expect(drafts[0]).toMatchObject({
    patch: {
      relation: "subagent",
      parent: "5c0e0000-0000-4000-8000-00000000d001",
      parentToolCallId: "toolu_d1",
    },
  });
});

test("the sums beside it are told once, and again when they have grown", () => {
  const bytes = fixture("droid-synthetic-session.jsonl");
  const lines = linesOf(bytes);
  const state = start(bytes, settings(20));
  const sums = (drafts: readonly Draft[]) =>
    drafts.flatMap((draft) => (draft.kind === "reported" ? [draft.usage] : []));
  expect(sums(read(lines.slice(0, 6), state))).toMatchObject([
    { "claude-opus-5": { inputUncached: 9, cacheRead: 50, cacheWrite: 7, output: 20, reasoning: 4 } },
  ]);
  const stored = JSON.parse(JSON.stringify(state)) as DroidState;
  const resumed = droid.resume!(stored, { path: PATH, head: bytes, sidecars: settings(33) });
  expect(sums(read(lines.slice(6), resumed))).toMatchObject([{ "claude-opus-5": { output: 33 } }]);
});

test("a prompt behind a reminder is one, and gives the title", () => {
  const lines = [
    "<system-reminder>\nBe brief.\n</system-reminder>\n\nCount the tides",
    "<system-reminder>x</system-reminder>",
  ]
    .map((text, i) => ({ type: "message", id: `m${i}`, message: { role: "user", content: [{ type: "text", text }] } }))
    .map((record) => JSON.stringify(record));
  const drafts = read(lines, start(Buffer.from(lines.join("\n"))));
  expect(drafts.flatMap((draft) => (draft.kind === "event" ? [draft.startsTurn] : []))).toEqual([true, false]);
  expect(drafts).toContainEqual({ kind: "session", lane: "", patch: { title: "Count the tides", titleRank: 0 } });
});
