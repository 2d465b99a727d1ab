// The load chart's numbers: the ledger's items by category, call by call. They sum to the prompt on every call.
import { brokenCalls } from "./cache-breaks.ts";
import type { Ledger, LedgerItem } from "./ledger-types.ts";

export const STACK = ["prefix", "memory", "unattributed", "result", "call", "reasoning", "assistant", "user"] as const;

export type StackedCall = {
  /** Reported prompt tokens, or what the items come to where nothing was reported. */
  readonly prompt: number;
  readonly epoch: number;
  /** In the order of STACK; they sum to `prompt`. */
  readonly stack: number[];
  /** 1 where a category's number is an estimate. */
  readonly estimated: number[];
  readonly entered: readonly LedgerItem[];
  readonly cacheBreak: boolean;
};

/** Items that a hover names, at most, for one call. */
const ENTERED = 3;
/** A category whose items are unsure by more than this share of it is an estimate … */
const SURE = 0.05;
/** … and one that is what the estimates leave over, whenever they are unsure at all: so its items say, and so does a context. */
const sureOf = (kind: (typeof STACK)[number]): number => (kind === "prefix" || kind === "unattributed" ? 0 : SURE);

/** Cost: items + calls × categories. */
export function stackOf({ calls, items }: Ledger): StackedCall[] {
  const changes = calls.map(() => ({
    tokens: new Float64Array(STACK.length),
    unsure: new Float64Array(STACK.length),
    entered: [] as LedgerItem[],
  }));
  for (const item of items) {
    const slot = STACK.indexOf(item.kind);
    const unsure = item.grade === "estimated" ? Math.max(1, item.plusMinus) : 0;
    changes[item.from]!.tokens[slot]! += item.tokens;
    changes[item.from]!.unsure[slot]! += unsure;
    if (item.seq !== null) changes[item.from]!.entered.push(item);
    if (item.to >= calls.length) continue;
    changes[item.to]!.tokens[slot]! -= item.tokens;
    changes[item.to]!.unsure[slot]! -= unsure;
  }
  const tokens = new Float64Array(STACK.length);
  const unsure = new Float64Array(STACK.length);
  const broken = new Set(brokenCalls(calls));
  return calls.map((call, k) => {
    const change = changes[k]!;
    for (let i = 0; i < tokens.length; i++) {
      tokens[i]! += change.tokens[i]!;
      unsure[i]! += change.unsure[i]!;
    }
    const isEmpty = call.reported === 0;
    return {
      prompt: call.sum,
      epoch: call.epoch,
      stack: STACK.map((_, i) => (isEmpty ? 0 : tokens[i]!)),
      estimated: STACK.map((kind, i) => (unsure[i]! > sureOf(kind) * Math.abs(tokens[i]!) ? 1 : 0)),
      entered: change.entered.toSorted((a, b) => b.tokens - a.tokens).slice(0, ENTERED),
      cacheBreak: broken.has(k),
    };
  });
}
