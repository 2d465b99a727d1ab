// The ledger held against reality: where an agent cleared old results by itself, the prompt's fall says what they weighed.
import type { CompactionFacts } from "./culprits/culprit-types.ts";
import type { Ledger } from "./ledger-types.ts";

export type Clearing = {
  /** The compaction's event, and the first call after it. */
  readonly seq: number;
  readonly call: number | null;
  /** What the ledger had for the cleared results. */
  readonly predicted: number;
  /** What the prompt fell by, what came in meanwhile taken off; null where another cut hides it. */
  readonly reported: number | null;
  /** What the agent said that it saved. */
  readonly agentSaid: number | null;
};

export function clearingsOf({ calls, items }: Ledger, compactions: readonly CompactionFacts[]): readonly Clearing[] {
  return compactions
    .filter(({ kind }) => kind === "micro")
    .map(({ seq, cleared, tokensBefore, tokensAfter }) => {
      const k = calls.findIndex(({ firstSeq }) => firstSeq > seq);
      const [before, after] = [calls[k - 1], calls[k]];
      const taken = items.filter((item) => item.seq !== null && cleared.has(item.seq) && item.to === k);
      const came = items.filter((item) => item.from === k && item.kind !== "unattributed");
      // Another cut between the two calls takes out more than this one: then nothing can be compared.
      const isAlone =
        before !== undefined &&
        after !== undefined &&
        before.reported !== null &&
        after.reported !== null &&
        before.epoch === after.epoch &&
        !compactions.some((other) => other.seq !== seq && other.seq > before.firstSeq && other.seq < after.firstSeq);
      return {
        seq,
        call: after?.call ?? null,
        predicted: sum(taken.map(({ tokens }) => tokens)),
        reported: isAlone ? before.reported! + sum(came.map(({ estimated }) => estimated)) - after.reported! : null,
        agentSaid: tokensBefore !== null && tokensAfter !== null ? tokensBefore - tokensAfter : null,
      };
    });
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
