// What differs inside two lines that are read against each other. Pure; it lives in the worker.
import { diffWordsWithSpace } from "diff";

/** Parts of a line, [from, to). */
export type Marks = readonly (readonly [number, number])[];
type Both = { readonly left: Marks; readonly right: Marks };

/** Longer lines are told apart by their beginning and end: comparing words takes the square of their number. */
const WORDS_CHARS = 2000;
const MOST_EDITS = 300;
const NONE: Both = { left: [], right: [] };

export function wordMarks(left: string, right: string): Both {
  if (left.length <= WORDS_CHARS && right.length <= WORDS_CHARS) {
    const changes = diffWordsWithSpace(left, right, { maxEditLength: MOST_EDITS });
    if (changes !== undefined) {
      const marks = { left: [] as [number, number][], right: [] as [number, number][] };
      let same = 0;
      let a = 0;
      let b = 0;
      for (const { value, added, removed } of changes) {
        if (added) marks.right.push([b, b + value.length]);
        else if (removed) marks.left.push([a, a + value.length]);
        else same += value.trim().length;
        if (!added) a += value.length;
        if (!removed) b += value.length;
      }
      return tooDifferent(same, left, right) ? NONE : marks;
    }
  }
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head++;
  let tail = 0;
  while (
    tail < left.length - head &&
    tail < right.length - head &&
    left[left.length - 1 - tail] === right[right.length - 1 - tail]
  )
    tail++;
  if (tooDifferent(head + tail, left, right)) return NONE;
  const part = (text: string): Marks => (text.length - tail > head ? [[head, text.length - tail]] : []);
  return { left: part(left), right: part(right) };
}

/** Lines that share less than a third are different lines: marking all of them says nothing. */
const tooDifferent = (same: number, left: string, right: string): boolean =>
  same * 3 < Math.max(left.trim().length, right.trim().length);
