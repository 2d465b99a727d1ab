// Which lines of two texts are the same: the fewest changes while there is time, else by the lines that occur once in
// both. Pure but for the clock of the library; it lives in the worker.
import { diffArrays } from "diff";

/** A run of lines: the same on both sides, or removed and added. */
export type Run = {
  readonly isSame: boolean;
  /** First lines, from 0, and how many. */
  readonly left: number;
  readonly leftCount: number;
  readonly right: number;
  readonly rightCount: number;
};

export type LineDiff = {
  readonly runs: Run[];
  readonly isFewest: boolean;
  readonly added: number;
  readonly removed: number;
};

/** Between two lines that hold, a search for the fewest changes gives up after so many. */
const GAP_EDITS = 200;

export function diffLines(left: readonly string[], right: readonly string[], timeoutMs: number): LineDiff {
  const ids = new Map<string, number>();
  const idsOf = (lines: readonly string[]): number[] =>
    lines.map((line) => {
      const known = ids.get(line);
      if (known !== undefined) return known;
      ids.set(line, ids.size);
      return ids.size - 1;
    });
  const a = idsOf(left);
  const b = idsOf(right);
  const runs = new Runs();
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  runs.same(head);
  const middle = { a: a.slice(head, a.length - tail), b: b.slice(head, b.length - tail) };
  const isFewest = addChanges(runs, middle.a, middle.b, { timeout: timeoutMs });
  if (!isFewest) addByAnchors(runs, middle.a, middle.b);
  runs.same(tail);
  return { runs: runs.all, isFewest, added: runs.added, removed: runs.removed };
}

class Runs {
  readonly all: Run[] = [];
  added = 0;
  removed = 0;
  #left = 0;
  #right = 0;

  same(count: number): void {
    this.#add(true, count, count);
  }
  change(removed: number, added: number): void {
    this.removed += removed;
    this.added += added;
    this.#add(false, removed, added);
  }
  #add(isSame: boolean, leftCount: number, rightCount: number): void {
    if (leftCount + rightCount === 0) return;
    const last = this.all.at(-1);
    const run = { isSame, left: this.#left, leftCount, right: this.#right, rightCount };
    // What follows its own kind is one run with it.
    if (last?.isSame === isSame)
      this.all[this.all.length - 1] = {
        ...last,
        leftCount: last.leftCount + leftCount,
        rightCount: last.rightCount + rightCount,
      };
    else this.all.push(run);
    this.#left += leftCount;
    this.#right += rightCount;
  }
}

/** False when the library gave up, and then nothing was added. */
function addChanges(
  runs: Runs,
  a: readonly number[],
  b: readonly number[],
  limit: { timeout: number } | { maxEditLength: number },
): boolean {
  if (a.length === 0 || b.length === 0) {
    runs.change(a.length, b.length);
    return true;
  }
  const changes = diffArrays([...a], [...b], limit);
  if (changes === undefined) return false;
  for (const { added, removed, value } of changes) {
    if (added) runs.change(0, value.length);
    else if (removed) runs.change(value.length, 0);
    else runs.same(value.length);
  }
  return true;
}

/** Lines that occur once on both sides, in an order that both have, hold the rest in place. */
function addByAnchors(runs: Runs, a: readonly number[], b: readonly number[]): void {
  const inA = onceIn(a);
  const inB = onceIn(b);
  const pairs: { a: number; b: number }[] = [];
  for (const [id, at] of inA) {
    const other = inB.get(id);
    if (other !== undefined) pairs.push({ a: at, b: other });
  }
  let fromA = 0;
  let fromB = 0;
  for (const pair of [...longestRising(pairs), { a: a.length, b: b.length }]) {
    addGap(runs, a.slice(fromA, pair.a), b.slice(fromB, pair.b));
    if (pair.a < a.length) runs.same(1);
    fromA = pair.a + 1;
    fromB = pair.b + 1;
  }
}

function addGap(runs: Runs, a: readonly number[], b: readonly number[]): void {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  runs.same(head);
  const restA = a.slice(head, a.length - tail);
  const restB = b.slice(head, b.length - tail);
  if (!addChanges(runs, restA, restB, { maxEditLength: GAP_EDITS })) runs.change(restA.length, restB.length);
  runs.same(tail);
}

/** Positions of what occurs once, in order. */
function onceIn(ids: readonly number[]): Map<number, number> {
  const positions = new Map<number, number>();
  const twice = new Set<number>();
  ids.forEach((id, at) => (positions.has(id) ? twice.add(id) : positions.set(id, at)));
  for (const id of twice) positions.delete(id);
  return positions;
}

/** The longest part of pairs (in the order of `a`) that rises in `b` too. */
function longestRising(pairs: readonly { a: number; b: number }[]): { a: number; b: number }[] {
  const ends: number[] = [];
  const before = new Int32Array(pairs.length).fill(-1);
  pairs.forEach(({ b }, i) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] as number]?.b ?? 0) < b) low = middle + 1;
      else high = middle;
    }
    if (low > 0) before[i] = ends[low - 1] as number;
    ends[low] = i;
  });
  const found: { a: number; b: number }[] = [];
  for (let i = ends.at(-1) ?? -1; i >= 0; i = before[i] as number) found.push(pairs[i] as { a: number; b: number });
  return found.toReversed();
}
