import { expect, test } from "vitest";
import type { CulpritRow } from "#lib/wire/ledger-schema.ts";
import { culpritMarks } from "./culprit-marks.ts";

const row = (detector: string, seq: number | null, seqs: number[], avoidableUsd: number): CulpritRow =>
  ({ detector, seq, seqs, avoidableUsd, fromCall: 3, lifetimeTokens: 1 }) as unknown as CulpritRow;

test("every event of a culprit is marked, the costliest first, and the rank is that of Load", () => {
  const marks = culpritMarks([
    row("stale-result", 4, [4, 9], 0.5),
    row("oversized-output", 9, [9], 2),
    row("cache-break", null, [], 1),
  ]);
  expect([...marks].map(([seq, { rank, key }]) => [seq, rank, key]).toSorted()).toEqual([
    [4, 3, "stale-result.4"],
    [9, 1, "oversized-output.9"],
  ]);
});
