// What a ledger leaves over, in words. Where a log holds more than the prompts that were reported, the rest is below
// nothing: "158 % unattributed" would say the opposite.

type Left = { readonly reported: number | null; readonly sum: number; readonly unattributed: number };

/** So much of what is left over must be surplus for it to be named so. */
const MOSTLY = 0.9;

/** The surplus of the log as a share of the reported prompts; null where tokens are missing from it, or both. */
export function logSurplus(calls: readonly Left[]): number | null {
  const rests = calls.map(({ reported, unattributed }) => (reported === null ? 0 : unattributed));
  const rest = total(rests);
  return rest >= 0 || -rest < MOSTLY * total(rests.map(Math.abs)) ? null : surplusShare(calls);
}

/** … where it is known that the log holds more: its items come to more than was reported. */
export function surplusShare(calls: readonly Left[]): number {
  const reported = calls.filter((call) => call.reported !== null);
  return -total(reported.map(({ unattributed }) => unattributed)) / total(reported.map(({ sum }) => sum));
}

const total = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);
