// Giving the growth that a provider reported to the entries that came in: each as its constants say, moved at most CLIP.
import { CLIP, TIGHT } from "./constants.ts";
import type { Entry } from "./entries.ts";

export const sumOf = (entries: readonly Entry[]): number => entries.reduce((sum, { whole }) => sum + whole, 0);
export const estimateOf = (entries: readonly Entry[]): number => entries.reduce((sum, { tokens }) => sum + tokens, 0);

/** Entries that no number speaks of keep their estimates. */
export function applyEstimates(entries: readonly Entry[]): void {
  moveBy(entries, 1);
}

/** Reported outputs are as large as they were said to be. */
export function applyReported(entries: readonly Entry[]): void {
  applyEstimates(entries);
  for (const entry of entries)
    if (entry.basis === "reported")
      entry.grade = entry.isAlone ? "exact" : entry.off !== null && entry.off <= TIGHT ? "tight" : "estimated";
}

function moveBy(entries: readonly Entry[], factor: number): void {
  const whole = roundToSum(entries.map(({ tokens }) => tokens * factor));
  for (const [i, entry] of entries.entries()) entry.whole = whole[i]!;
}

/**
 * No prompt holds more than the provider counted: where a file has more text than that, not all of it was sent. Without this an output
 * of 193,000 tokens in prompts of 11,000 was named the most expensive, with $1.91 in a session of $0.08.
 */
function fitInto(came: readonly Entry[], prompt: number): void {
  const open = came.filter(({ basis }) => basis !== "reported");
  const room = Math.max(0, prompt - (sumOf(came) - sumOf(open)));
  if (sumOf(open) > room) moveBy(open, room / estimateOf(open));
}

/** Takes from what came what the room for it lacks, within the clip. */
export function shrink(came: readonly Entry[], room: number, prompt: number): void {
  moveBy(came, Math.max(1 - CLIP, Math.min(1, room / sumOf(came))));
  fitInto(came, prompt);
}

/** What came keeps its estimates, as far as a prompt holds them; their sum. */
export function estimateWithin(came: readonly Entry[], prompt: number): number {
  applyEstimates(came);
  fitInto(came, prompt);
  return sumOf(came);
}

/** Gives `target` tokens to what came, and not more than a whole prompt; returns how many it could give. */
export function reconcile(came: readonly Entry[], target: number, prompt: number): number {
  const known = came.filter(({ basis }) => basis === "reported");
  const open = came.filter(({ basis }) => basis !== "reported");
  applyReported(known);
  const room = target - sumOf(known);
  const estimated = estimateOf(open);
  const ratio = estimated > 0 && room > 0 ? room / estimated : 1;
  const factor = Math.min(1 + CLIP, Math.max(1 - CLIP, ratio));
  moveBy(open, factor);
  fitInto(came, prompt);
  const isWhole = sumOf(open) === room;
  for (const entry of open)
    entry.grade =
      isWhole && open.length === 1 ? "exact" : isWhole && Math.abs(factor - 1) <= TIGHT ? "tight" : "estimated";
  return sumOf(known) + sumOf(open);
}

/** Whole numbers that sum to the rounded sum of `values`: the largest remainders get the missing ones. */
function roundToSum(values: readonly number[]): number[] {
  const floors = values.map(Math.floor);
  const total = Math.round(values.reduce((sum, value) => sum + value, 0));
  let missing = total - floors.reduce((sum, value) => sum + value, 0);
  const order = values
    .map((value, i) => ({ i, rest: value - floors[i]! }))
    .toSorted((a, b) => b.rest - a.rest || a.i - b.i);
  for (const { i } of order) {
    if (missing <= 0) break;
    floors[i]!++;
    missing--;
  }
  return floors;
}
