import { expect, test } from "vitest";
import type { InteractionRow } from "#lib/wire/events-schema.ts";
import { chosenRows, countsOf, directionOf, rankedTotals, type Choice } from "./interactions.ts";

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
  textTokens: 3,
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

const first: Choice = { show: "all", tool: null, sort: "order", reverse: false };

test("a filter keeps what it says, and its count is what it shows", () => {
  for (const show of ["all", "pending", "error", "orphan", "repeated"] as const)
    for (const tool of [null, "Bash", "Read", "none"])
      expect(chosenRows(rows, { ...first, show, tool })).toHaveLength(countsOf(rows, tool)[show]);
  expect(chosenRows(rows, { ...first, tool: "Bash" }).map((one) => one.callSeq)).toEqual([3]);
  expect(rankedTotals(rows, "error").map(({ toolName, calls }) => [toolName, calls])).toEqual([["Bash", 1]]);
});

test("the heaviest come first, equals in their order, and what is not known last", () => {
  const seqs = (sort: Choice["sort"], reverse = false) =>
    chosenRows(rows, { ...first, sort, reverse }).map((one) => one.callSeq);
  expect(seqs("bytes")).toEqual([3, 5, 7, 1]);
  expect(seqs("duration")[0]).toBe(3);
  expect(seqs("lifetime").at(-1)).toBe(7);
  expect(seqs("lifetime", true).at(-1)).toBe(7);
  expect(seqs("bytes", true)).toEqual([1, 7, 3, 5]);
  expect(seqs("order", true)).toEqual([7, 5, 3, 1]);
  expect(seqs("tool")).toEqual([3, 1, 5, 7]);
});

test("the arrow says how the values stand", () => {
  expect(directionOf({ sort: "order", reverse: false })).toBe("asc");
  expect(directionOf({ sort: "tool", reverse: true })).toBe("desc");
  expect(directionOf({ sort: "bytes", reverse: false })).toBe("desc");
  expect(directionOf({ sort: "bytes", reverse: true })).toBe("asc");
});
