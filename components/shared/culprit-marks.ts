// Which events are culprits, with the rank that Load's table gives them. Pure.
import type { CulpritRow } from "#lib/wire/ledger-schema.ts";
import { keyOf, rankCulprits } from "./ledger-view.ts";

export type CulpritMark = {
  /** From 1, in the order of Load. */
  readonly rank: number;
  readonly key: string;
  readonly culprit: CulpritRow;
};

/** By event. One that stands in several culprits has the mark of the first of them. */
export function culpritMarks(culprits: readonly CulpritRow[]): ReadonlyMap<number, CulpritMark> {
  const marks = new Map<number, CulpritMark>();
  for (const [at, culprit] of rankCulprits(culprits, "cost").entries()) {
    const mark = { rank: at + 1, key: keyOf(culprit), culprit };
    for (const seq of culprit.seq === null ? culprit.seqs : [culprit.seq, ...culprit.seqs])
      if (!marks.has(seq)) marks.set(seq, mark);
  }
  return marks;
}
