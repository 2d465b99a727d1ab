// Rows of a comparison, side by side or below each other, with unchanged stretches folded. Any window of them is found
// without making the others. Pure; it lives in the worker.
import type { Run } from "./line-diff.ts";

/** Unchanged lines that stay beside a change. */
const CONTEXT = 3;

export type Mode = "split" | "unified";

/** Rows that belong together. `fold`: one row in place of `leftCount` unchanged ones. */
export type Span = {
  readonly kind: "same" | "change" | "fold";
  /** Of its run, by which a fold is opened. */
  readonly run: number;
  readonly left: number;
  readonly leftCount: number;
  readonly right: number;
  readonly rightCount: number;
  readonly rows: number;
  /** Rows before it. */
  readonly at: number;
};

export type DiffPosition =
  | { readonly kind: "fold"; readonly run: number; readonly lines: number }
  /** Lines from 0, null where a side has none. */
  | { readonly kind: "line"; readonly left: number | null; readonly right: number | null; readonly isSame: boolean };

export class DiffRows {
  readonly #spans: Span[] = [];
  readonly count: number;
  /** First rows of changes. */
  readonly changes: number[] = [];

  constructor(runs: readonly Run[], mode: Mode, opened: ReadonlySet<number>, isAllOpen: boolean) {
    let at = 0;
    const push = (kind: Span["kind"], index: number, run: Run, skip: number, count: number): void => {
      if (count <= 0 && kind !== "change") return;
      const isChange = kind === "change";
      const leftCount = isChange ? run.leftCount : count;
      const rightCount = isChange ? run.rightCount : count;
      const both = mode === "split" ? Math.max(leftCount, rightCount) : leftCount + rightCount;
      const rows = kind === "fold" ? 1 : isChange ? both : count;
      if (isChange) this.changes.push(at);
      this.#spans.push({
        kind,
        run: index,
        left: run.left + skip,
        leftCount,
        right: run.right + skip,
        rightCount,
        rows,
        at,
      });
      at += rows;
    };
    runs.forEach((run, i) => {
      if (!run.isSame) return push("change", i, run, 0, 0);
      const before = i === 0 ? 0 : CONTEXT;
      const after = i === runs.length - 1 ? 0 : CONTEXT;
      const hidden = run.leftCount - before - after;
      if (hidden <= 1 || isAllOpen || opened.has(i)) return push("same", i, run, 0, run.leftCount);
      push("same", i, run, 0, before);
      push("fold", i, run, before, hidden);
      push("same", i, run, before + hidden, after);
    });
    this.count = at;
    this.mode = mode;
  }

  readonly mode: Mode;

  window(from: number, to: number): DiffPosition[] {
    const positions: DiffPosition[] = [];
    const end = Math.min(to, this.count);
    let row = Math.max(0, from);
    for (let i = this.#spanAt(row); row < end; i++) {
      const span = this.#spans[i] as Span;
      for (; row < Math.min(end, span.at + span.rows); row++) positions.push(this.#positionAt(span, row - span.at));
    }
    return positions;
  }

  #positionAt(span: Span, nth: number): DiffPosition {
    const { kind, run, left, leftCount, right, rightCount } = span;
    if (kind === "fold") return { kind: "fold", run, lines: leftCount };
    if (kind === "same") return { kind: "line", left: left + nth, right: right + nth, isSame: true };
    if (this.mode === "split")
      return {
        kind: "line",
        left: nth < leftCount ? left + nth : null,
        right: nth < rightCount ? right + nth : null,
        isSame: false,
      };
    return nth < leftCount
      ? { kind: "line", left: left + nth, right: null, isSame: false }
      : { kind: "line", left: null, right: right + nth - leftCount, isSame: false };
  }

  /** The line on the other side that a changed line is read against. */
  partner(row: number): { readonly left: number; readonly right: number } | null {
    const span = this.#spans[this.#spanAt(row)];
    if (!span || span.kind !== "change") return null;
    const nth = row - span.at;
    const pair = this.mode === "split" || nth < span.leftCount ? nth : nth - span.leftCount;
    return pair < span.leftCount && pair < span.rightCount
      ? { left: span.left + pair, right: span.right + pair }
      : null;
  }

  #spanAt(row: number): number {
    let low = 0;
    let high = this.#spans.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#spans[middle] as Span).at <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
