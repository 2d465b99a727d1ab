// The load chart's numbers. The provider's prompt size is the sum; what the events weigh is counted or estimated and stacked
// under it; the hidden prefix is what the first call had beside them; the rest is shown as unattributed, never smeared.
import type { CallPlace, CompactionPlace } from "./residency.ts";
import { residencyIn } from "./residency.ts";
import type { WeighingCategory } from "./weigh.ts";

export const STACK = ["prefix", "memory", "unattributed", "result", "call", "reasoning", "assistant", "user"] as const;
export type StackCategory = (typeof STACK)[number];

export type Item = {
  readonly seq: number;
  readonly category: WeighingCategory;
  readonly label: string;
  readonly tokens: number;
  readonly estimated: boolean;
};

export type LoadedCall = CallPlace & {
  /** Reported prompt tokens, or null when nothing was reported. */
  readonly prompt: number | null;
  readonly cacheRead: number;
};

export type StackedCall = {
  readonly prompt: number;
  readonly reported: boolean;
  readonly epoch: number;
  /** In the order of STACK; they sum to `prompt`. */
  readonly stack: number[];
  readonly estimated: number[];
  readonly entered: readonly Item[];
  readonly cacheBreak: boolean;
};

/** Items that a hover names, at most, for one call. */
const ENTERED = 3;

/** One entry a call. Cost: items + calls × categories. */
export function stackLoad(
  calls: readonly LoadedCall[],
  items: readonly Item[],
  compactions: readonly CompactionPlace[],
): StackedCall[] {
  const resident = residencyIn(calls, compactions);
  const change = calls.map(() => ({
    add: new Float64Array(STACK.length),
    guess: new Float64Array(STACK.length),
    entered: [] as Item[],
  }));
  for (const item of items) {
    const { from, to } = resident(item.seq);
    if (from >= to) continue;
    const slot = STACK.indexOf(item.category);
    change[from]!.add[slot]! += item.tokens;
    change[from]!.entered.push(item);
    if (item.estimated) change[from]!.guess[slot]!++;
    if (to >= calls.length) continue;
    change[to]!.add[slot]! -= item.tokens;
    if (item.estimated) change[to]!.guess[slot]!--;
  }
  const fulls = compactions.filter((place) => place.kind === "full").map((place) => place.seq);
  const sums = new Float64Array(STACK.length);
  const guesses = new Float64Array(STACK.length);
  let prefix: number | null = null;
  let before: LoadedCall | null = null;
  let epochBefore = 0;
  return calls.map((call, k) => {
    const { add, guess, entered } = change[k]!;
    for (let i = 0; i < sums.length; i++) {
      sums[i]! += add[i]!;
      guesses[i]! += guess[i]!;
    }
    const epoch = 1 + fulls.filter((seq) => seq < call.firstSeq).length;
    const visible = sums.reduce((sum, tokens) => sum + tokens, 0);
    const reported = call.prompt !== null;
    const prompt = call.prompt ?? Math.round(visible);
    if (reported && prefix === null) prefix = Math.max(0, prompt - visible);
    const hidden = reported ? Math.min(prefix ?? 0, Math.max(0, prompt)) : 0;
    const stack = STACK.map((_, i) => Math.round(sums[i]!));
    stack[0]! += Math.round(hidden);
    stack[2] = prompt - stack.reduce((sum, tokens) => sum + tokens, 0);
    const estimated = STACK.map((name, i) =>
      name === "prefix" || name === "unattributed" ? 1 : guesses[i]! > 0 ? 1 : 0,
    );
    const previous = before?.prompt ?? 0;
    const cacheBreak =
      reported &&
      epoch === epochBefore &&
      previous > 2000 &&
      call.cacheRead < 0.5 * previous &&
      prompt >= 0.5 * previous;
    before = call;
    epochBefore = epoch;
    return { prompt, reported, epoch, stack, estimated, entered: largest(entered), cacheBreak };
  });
}

const largest = (items: readonly Item[]): readonly Item[] =>
  items.toSorted((a, b) => b.tokens - a.tokens).slice(0, ENTERED);
