import { expect, test } from "vitest";
import type { InteractionRow } from "#lib/wire/events-schema.ts";
import { likelyResults } from "./likely-results.ts";

const row = (seq: number, toolName: string, input: string, more: Partial<InteractionRow> = {}): InteractionRow => ({
  callSeq: seq,
  resultSeq: seq + 1,
  toolCallId: `t${seq}`,
  toolName,
  label: `${toolName} ${input}`.trim(),
  status: "success",
  hosted: false,
  turn: 1,
  call: null,
  startedAt: null,
  durationMs: null,
  bytes: 10,
  tokens: 5,
  origin: "estimated",
  textTokens: 5,
  enteredAt: null,
  callsResident: null,
  lifetimeTokens: null,
  artifact: null,
  repeats: 1,
  ...more,
});

const told = (rows: readonly InteractionRow[], seq: number) =>
  likelyResults(rows, seq).map(({ row: { resultSeq }, why, isLater }) => [resultSeq, why, isLater]);

test("the same call comes first, earlier before later, the nearest first", () => {
  const same = { repeats: 4 };
  const rows = [1, 11, 21, 31].map((seq) => row(seq, "Bash", "go test ./...", same));
  expect(told(rows, 22)).toEqual([
    [12, "call", false],
    [2, "call", false],
    [32, "call", true],
  ]);
  // The call names its row as its result does.
  expect(told(rows, 21)).toEqual(told(rows, 22));
});

test("then the same file at other lines, and the same command with other words", () => {
  const rows = [
    row(1, "Read", "src/a.ts"),
    row(11, "Read", "src/b.ts"),
    row(21, "Read", "src/a.ts from line 40, 20 lines"),
    row(31, "Bash", "npm run build"),
    row(41, "Bash", "npm run test"),
    row(51, "Bash", "npm ci"),
  ];
  expect(told(rows, 22)).toEqual([[2, "file", false]]);
  expect(told(rows, 32)).toEqual([[42, "command", true]]);
  expect(told(rows, 52)).toEqual([]);
});

test("what has no result, or no other of its kind, has nothing to be compared with", () => {
  const rows = [row(1, "Read", "a.ts"), row(11, "Read", "a.ts", { resultSeq: null }), row(21, "Task", "look")];
  expect(told(rows, 2)).toEqual([]);
  expect(told(rows, 11)).toEqual([]);
  expect(told(rows, 22)).toEqual([]);
  expect(told(rows, 99)).toEqual([]);
});

test("a label that two inputs share is not one call, unless both were repeated as often", () => {
  const rows = [row(1, "Grep", "x", { repeats: 2 }), row(11, "Grep", "x"), row(21, "Grep", "x", { repeats: 2 })];
  expect(told(rows, 22)).toEqual([[2, "call", false]]);
});
