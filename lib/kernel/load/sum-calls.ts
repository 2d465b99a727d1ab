import { measuredPrompt, promptOf } from "./prompt-size.ts";
import type { Family, LedgerCall, LedgerCallInput, LedgerItem } from "./ledger-types.ts";

/** Between two calls: what was reported, what was estimated, and how much of that is the estimates of what left. */
export type Growth = { readonly reported: number; readonly estimated: number; readonly left: number };

type Walked = {
  readonly epochs: readonly number[];
  readonly growth: readonly (Growth | null)[];
  readonly cleared: readonly number[];
  readonly rewound: readonly boolean[];
};

/** The calls with what their prompts were made of: items + calls, by differences. */
export function sumCalls(
  calls: readonly LedgerCallInput[],
  families: readonly Family[],
  items: readonly LedgerItem[],
  { epochs, growth, cleared, rewound }: Walked,
): LedgerCall[] {
  const parts = { prefix: changes(calls.length), visible: changes(calls.length), unattributed: changes(calls.length) };
  for (const item of items) {
    const part = !item.isHidden
      ? "visible"
      : item.kind === "prefix" || item.kind === "unattributed"
        ? item.kind
        : "visible";
    parts[part][item.from]! += item.tokens;
    parts[part][item.to]! -= item.tokens;
  }
  // Usage may be of answers alone: it says nothing of prompts then.
  const isMeasured = calls.some((call) => measuredPrompt(call) !== null);
  let [prefix, visible, unattributed] = [0, 0, 0];
  return calls.map((call, k) => {
    prefix += parts.prefix[k]!;
    visible += parts.visible[k]!;
    unattributed += parts.unattributed[k]!;
    const reported = call.hasUsage && isMeasured ? promptOf(call) : null;
    // A prompt of no tokens holds nothing, whatever stood before it.
    const held = reported === 0 ? { prefix: 0, visible: 0, unattributed: 0 } : { prefix, visible, unattributed };
    return {
      ...call,
      epoch: epochs[k]!,
      family: families[k]!,
      reported,
      sum: held.prefix + held.visible + held.unattributed,
      ...held,
      growthReported: growth[k]?.reported ?? null,
      growthEstimated: growth[k]?.estimated ?? null,
      growthLeft: growth[k]?.left ?? null,
      cleared: cleared[k] ?? 0,
      ...(rewound[k] === true && { isRewound: true as const }),
    };
  });
}

const changes = (calls: number): Float64Array => new Float64Array(calls + 1);
