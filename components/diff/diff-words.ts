// What a page and the worker of its comparison tell each other.
import type { Marks } from "./word-marks.ts";
import type { Mode } from "./diff-rows.ts";

/** Stored bytes, or a text that the page has. */
export type SideSource =
  | { readonly url: string; readonly bytes: number; readonly json: "document" | "lines" | null }
  | { readonly text: string; readonly json: null };

/** How JSON is compared: as it is stored, laid out, laid out with its keys sorted. */
export type Layout = "stored" | "laid" | "sorted";

export type DiffAsk = { readonly left: SideSource; readonly right: SideSource; readonly layout: Layout };

export type Summary = {
  readonly added: number;
  readonly removed: number;
  readonly leftLines: number;
  readonly rightLines: number;
  /** Characters of the longest line, as far as lines are shown. */
  readonly longest: number;
  /** False when the time was over, and changes were found by the lines that occur once. */
  readonly isFewest: boolean;
  /** What must be known, in sentences. */
  readonly notes: readonly string[];
  readonly ms: number;
};

/** Characters of a line that are shown. */
export const LINE_CHARS = 2000;

export type SideLine = {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** Characters before and after it that are not shown. */
  readonly before: number;
  readonly more: number;
  readonly marks: Marks;
};

export type DiffRow =
  | { readonly kind: "fold"; readonly run: number; readonly lines: number }
  | {
      readonly kind: "line";
      readonly left: SideLine | null;
      readonly right: SideLine | null;
      readonly isSame: boolean;
    };

export type Questions = {
  compare: { ask: DiffAsk; answer: Summary };
  /** Rows of a mode with these folds open; `changes` are first rows of changes. */
  arrange: {
    ask: { mode: Mode; opened: readonly number[]; isAllOpen: boolean };
    answer: { count: number; changes: readonly number[] };
  };
  rows: { ask: { from: number; to: number }; answer: { from: number; rows: readonly DiffRow[] } };
};
