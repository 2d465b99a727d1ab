// Where the recorded context was cut between two calls, and whether a smaller prompt could have spared it: what the agent did
// by itself because it was full, yes; what a person asked for or nothing explains, no.
import type { CompactionFacts } from "../culprits/culprit-types.ts";
import type { LedgerCall } from "../ledger-types.ts";

export type Cut = {
  /** Full compactions that it is made of; 0 where the log has no word for it. */
  readonly compactions: number;
  /** Prompt tokens of the last call before it: the load that triggered it. Null: it happens whatever the load is. */
  readonly load: number | null;
};

/** By the index of the first call after the cut. */
export function cutsOf(
  calls: readonly LedgerCall[],
  compactions: readonly Pick<CompactionFacts, "seq" | "kind" | "trigger">[],
): ReadonlyMap<number, Cut> {
  const fulls = compactions.filter(({ kind }) => kind === "full").toSorted((a, b) => a.seq - b.seq);
  const cuts = new Map<number, Cut>();
  let next = 0;
  let load: number | null = null;
  for (const [k, call] of calls.entries()) {
    const here = [];
    while (next < fulls.length && fulls[next]!.seq < call.firstSeq) here.push(fulls[next++]!);
    if (k > 0 && call.epoch !== calls[k - 1]!.epoch) {
      const isForced = here.length === 0 || here.some(({ trigger }) => trigger === "manual");
      cuts.set(k, { compactions: here.length, load: isForced ? null : load });
      load = null;
    }
    if (call.reported !== null && call.reported > 0) load = call.reported;
  }
  return cuts;
}

/** Full compactions of the session, those before its first call and after its last among them. */
export const compactionsIn = (compactions: readonly Pick<CompactionFacts, "kind">[]): number =>
  compactions.filter(({ kind }) => kind === "full").length;
