// How fast a context grows, from its last calls. Pure.

/** As many calls as a turn of work has: fewer jump with each output, more forget a change of pace. */
export const RECENT_CALLS = 10;

/** A call whose prompt was reported; `prompt` in tokens. */
type SizedCall = { readonly prompt: number };

export type Growth = { readonly tokensPerCall: number; readonly calls: number };

/** Of the last calls of one epoch, oldest first: the mean of what each added to the one before it. Null with one call. */
export function growthOf(calls: readonly SizedCall[]): Growth | null {
  const recent = calls.slice(-1 - RECENT_CALLS);
  const [first, last] = [recent[0], recent.at(-1)];
  if (first === undefined || last === undefined || recent.length < 2) return null;
  const steps = recent.length - 1;
  return { tokensPerCall: Math.round((last.prompt - first.prompt) / steps), calls: steps };
}

/** Whole calls until `line`; 0 when the load is at it. Null where the context does not grow. */
export function callsLeft(load: number, line: number, growth: Growth | null): number | null {
  if (load >= line) return 0;
  return growth === null || growth.tokensPerCall <= 0 ? null : Math.floor((line - load) / growth.tokensPerCall);
}
