// The running sums and the epochs of a load: what a chart of it stands on, on a page and in a report.
import { peakCallOf } from "#lib/kernel/load/peak-call.ts";
import { CATEGORIES, type Category, type Origin } from "./common-schema.ts";
import type { LoadAnswer, LoadCall } from "./load-schema.ts";

/** Upper edge of each category in stacking order, by call. Negative parts take no room here: they are said in words. */
export function stackTops(calls: readonly Pick<LoadCall, "stack">[]): readonly Float64Array[] {
  let below = new Float64Array(calls.length);
  return CATEGORIES.map((_, c) => {
    const top = Float64Array.from(below, (base, i) => base + Math.max(calls[i]?.stack[c] ?? 0, 0));
    below = top;
    return top;
  });
}

/** The call of the peak, as lists have it; -1 without calls. */
export const peakIndexOf = (calls: readonly Pick<LoadCall, "prompt" | "origin">[]): number =>
  peakCallOf(
    calls,
    ({ prompt }) => prompt,
    ({ origin }) => origin === "reported",
  );

/** Indices of the calls before which a full compaction lies, ascending, none at either end. */
export const epochBreaks = ({ calls, compactions }: Pick<LoadAnswer, "calls" | "compactions">): readonly number[] =>
  breaksAt(
    calls,
    compactions.filter((compaction) => compaction.kind === "full"),
  );

/** The same of rewinds. */
export const rewindBreaks = ({ calls, rewinds }: Pick<LoadAnswer, "calls" | "rewinds">): readonly number[] =>
  breaksAt(calls, rewinds);

function breaksAt(calls: LoadAnswer["calls"], cuts: readonly { readonly afterCall: number }[]): readonly number[] {
  const numberAt = new Map(calls.map((call, i) => [call.call, i]));
  const breaks = cuts.map(({ afterCall }) => (afterCall === 0 ? 0 : (numberAt.get(afterCall) ?? -1) + 1));
  return [...new Set(breaks)].filter((at) => at > 0 && at < calls.length);
}

export type Part = { readonly category: Category; readonly tokens: number; readonly origin: Origin };

/** The parts of a call's prompt, in stacking order. They sum to the prompt. */
export function partsOf(call: LoadCall): Part[] {
  return CATEGORIES.map((category, c) => ({
    category,
    tokens: call.stack[c] ?? 0,
    origin: originOf(call, category, (call.estimated[c] ?? 0) !== 0),
  }));
}

// The prefix and what is left over are differences: as well known as the prompt, where nothing in it is estimated.
function originOf(call: LoadCall, category: Category, isEstimated: boolean): Origin {
  if (isEstimated) return "estimated";
  return category === "prefix" || category === "unattributed" ? call.origin : "counted";
}
