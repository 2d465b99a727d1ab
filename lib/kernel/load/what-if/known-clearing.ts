// The replay held against reality: an agent cleared old results by itself, and said which. The same rule, replayed from the
// call before, predicts a drop; the provider's next prompt says what it was.
import type { CompactionFacts } from "../culprits/culprit-types.ts";
import type { Ledger, LedgerItem } from "../ledger-types.ts";
import { NO_POLICY, type WhatIfPolicy } from "./what-if-types.ts";
import { whatIf, type WhatIfInput } from "./what-if.ts";

export type ReplayedClearing = {
  /** What the agent did, as a policy. */
  readonly policy: WhatIfPolicy;
  /** Tokens that the replay takes off the first prompt after it. */
  readonly drop: number;
};

/** Null where no call follows, or where nothing that was cleared stood in the prompt. */
export function replayClearing(input: WhatIfInput, { seq, cleared }: CompactionFacts): ReplayedClearing | null {
  const { calls, items } = input.ledger;
  const k = calls.findIndex(({ firstSeq }) => firstSeq > seq);
  if (k < 1) return null;
  const gone = (item: LedgerItem): boolean => item.seq !== null && cleared.has(item.seq) && item.to === k;
  const tokens = items.filter(gone).reduce((sum, item) => sum + item.tokens, 0);
  const results = items.filter((item) => item.kind === "result" && item.from <= k && (item.to > k || gone(item)));
  const last = results.findLastIndex(gone);
  if (tokens === 0 || last < 0) return null;
  const left = results.slice(0, last).filter((item) => !gone(item));
  const policy: WhatIfPolicy = {
    ...NO_POLICY,
    mask: results.slice(last + 1).filter(({ toolName }) => !left.some((one) => one.toolName === toolName)).length,
    keepTools: [...new Set(left.flatMap(({ toolName }) => toolName ?? []))],
    fromCall: calls[k]!.call,
  };
  const { calls: replayed } = whatIf({ ...input, ledger: uncleared(input.ledger, k, gone, tokens) }, policy);
  const { actual, predicted } = replayed[k]!;
  return { policy, drop: actual - predicted };
}

/** The session up to that call, as if nothing had been cleared. */
function uncleared({ calls, items }: Ledger, k: number, gone: (item: LedgerItem) => boolean, tokens: number): Ledger {
  const after = calls[k]!;
  const reported = after.reported === null ? null : after.reported + tokens;
  return {
    calls: [...calls.slice(0, k), { ...after, sum: after.sum + tokens, reported }],
    items: items
      .filter(({ from }) => from <= k)
      .map((item) => ({ ...item, to: gone(item) ? k + 1 : Math.min(item.to, k + 1) })),
  };
}
