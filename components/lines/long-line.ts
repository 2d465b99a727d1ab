// How much of a long line is shown at a time. 100,000 characters stand in one line of a page without holding it up; a line
// of a megabyte is for the download, or for grep and jq. Pure.
import { LIMITS } from "#lib/kernel/limits.ts";

const STEP_CHARS = 20_000;

/** So many characters are shown next; null when that is as far as it goes. */
export function moreChars(shown: number, all: number): number | null {
  if (shown >= LIMITS.longLineChars) return null;
  return Math.min(all, shown < STEP_CHARS ? STEP_CHARS : LIMITS.longLineChars);
}
