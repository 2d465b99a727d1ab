// What a ledger leaves over, in words. Where a log holds more than the prompts that were reported, the rest is below
// nothing: "158 % unattributed" would say the opposite.

type Left = { readonly reported: number | null; readonly sum: number; readonly unattributed: number };

/** So much of what is left over must be surplus for it to be named so. */
const MOSTLY = 0.9;

/** The surplus of the log as a share of the reported prompts; null where tokens are missing from it, or both. */
export function logSurplus(calls: readonly Left[]): number | null {
  const reported = calls.filter((call) => call.reported !== null);
  const rest = reported.reduce((sum, { unattributed }) => sum + unattributed, 0);
  const apart = reported.reduce((sum, { unattributed }) => sum + Math.abs(unattributed), 0);
  if (rest >= 0 || -rest < MOSTLY * apart) return null;
  return -rest / reported.reduce((all, call) => all + call.sum, 0);
}
