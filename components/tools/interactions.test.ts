import { expect, test } from "vitest";
import type { InteractionRow } from "#lib/wire/events.ts";
import { chosenRows, countsOf } from "./interactions.ts";

const row = (callSeq: number, patch: Partial<InteractionRow>): InteractionRow => ({
  callSeq,
  resultSeq: callSeq + 1,
  toolCallId: `c${callSeq}`,
  toolName: "Read",
  label: "Read a.ts",
  status: "success",
  hosted: false,
  turn: 1,
  call: 1,
  startedAt: null,
  durationMs: null,
  bytes: 10,
  tokens: 3,
  origin: "counted",
  enteredAt: 2,
  callsResident: 4,
  lifetimeTokens: 12,
  artifact: null,
  repeats: 1,
  ...patch,
});

const rows = [
  row(1, { bytes: 5 }),
  row(3, { status: "error", toolName: "Bash", bytes: 50, durationMs: 900 }),
  row(5, { repeats: 3, bytes: 50 }),
  row(7, { status: "pending", resultSeq: null, lifetimeTokens: null }),
];

test("a filter keeps what it says, and its count is what it shows", () => {
  for (const show of ["all", "pending", "error", "orphan", "repeated"] as const)
    expect(chosenRows(rows, { show, tool: null, sort: "order" })).toHaveLength(countsOf(rows)[show]);
  expect(chosenRows(rows, { show: "all", tool: "Bash", sort: "order" }).map((one) => one.callSeq)).toEqual([3]);
});

test("the heaviest come first, equals in their order, and what is not known last", () => {
  const seqs = (sort: "bytes" | "duration" | "lifetime") =>
    chosenRows(rows, { show: "all", tool: null, sort }).map((one) => one.callSeq);
  expect(seqs("bytes")).toEqual([3, 5, 7, 1]);
  expect(seqs("duration")[0]).toBe(3);
  expect(seqs("lifetime").at(-1)).toBe(7);
});
