// The layout of a transcript, from its outline alone: which rows stand, how tall each will be before it
// is measured, how long its bar is, and which row an event is in. Pure.
import { ROW_FLAG } from "#lib/kernel/log/row-filter.ts";
import type { OutlineAnswer } from "#lib/wire/events-schema.ts";
import { NO_FORKS, type ForkRows } from "./fork-rows.ts";

/** Events of one request for bodies: 100 of them are 2–3 screens and parse in under 5 ms. */
export const PAGE = 100;

/** The longest bar, in px: the largest item of its epoch. */
const BAR_PX = 104;

export type Rows = {
  readonly outline: OutlineAnswer;
  /** Indices into the outline's columns, in order. */
  readonly shown: readonly number[];
  /** Rows that are hidden by default. */
  readonly hiddenCount: number;
  /** Names the filter; empty where none holds. */
  readonly filterKey: string;
  /** The index of the one shown row that does not pass: it is wanted all the same. */
  readonly outside: number | null;
  /** Sub-agents that did the same. */
  readonly forks: ForkRows;
  /** Largest row of the epoch that each outline entry is in, in tokens. */
  readonly scale: Float64Array;
  /** Seqs that start a turn. */
  readonly turnAt: ReadonlyMap<number, number>;
  /** Heights of the shown rows before they are measured: the list asks for thousands of them in a frame. */
  readonly heights: Uint16Array;
};

type RowsRequest = {
  /** Whether a row is shown, by its index. */
  readonly passes: (i: number) => boolean;
  /** The event that is shown in any case. */
  readonly wanted?: number | null;
  readonly filterKey?: string;
  readonly forks?: ForkRows;
};

export function rowsOf(
  outline: OutlineAnswer,
  { passes, wanted = null, filterKey = "", forks = NO_FORKS }: RowsRequest,
): Rows {
  const shown: number[] = [];
  let hiddenCount = 0;
  let outside: number | null = null;
  for (let i = 0; i < outline.seq.length; i++) {
    if (((outline.flags[i] ?? 0) & ROW_FLAG.hidden) !== 0) hiddenCount++;
    const isThrough = passes(i) && !forks.folded.has(i);
    if (!isThrough && !isIn(outline, i, wanted)) continue;
    if (!isThrough) outside = i;
    shown.push(i);
  }
  const turnAt = new Map(outline.turns.map((turn) => [turn.seq, turn.turn]));
  const heights = Uint16Array.from(shown, (i) => heightOf(outline, i, turnAt.has(outline.seq[i] ?? 0)));
  return { outline, shown, hiddenCount, filterKey, outside, forks, scale: scaleOf(outline), turnAt, heights };
}

/** The position in `shown` of the row that holds an event, or of the last row before it; −1 when none. */
export function positionOf(rows: Rows, seq: number): number {
  const { outline, shown } = rows;
  let low = 0;
  let high = shown.length - 1;
  let found = -1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if ((outline.seq[shown[middle] as number] ?? 0) <= seq) {
      found = middle;
      low = middle + 1;
    } else high = middle - 1;
  }
  // A result stands in the row of its call, which may lie some rows above when calls ran side by side.
  for (let at = found; at >= 0 && at > found - 200; at--) if (isIn(outline, shown[at] as number, seq)) return at;
  return found;
}

/**
 * Where a step by keyboard starts: the chosen event while it is on screen, else the top row, which the first press chooses.
 * Before it is known what is on screen, the chosen event is taken to be: two quick presses are two steps.
 */
export function stepsFrom(
  rows: Rows,
  chosen: number | null,
  shown: { readonly first: number; readonly last: number } | null,
): { readonly at: number; readonly isChosen: boolean } {
  const at = chosen === null ? -1 : positionOf(rows, chosen);
  const top = Math.max(0, shown === null ? 0 : positionOf(rows, shown.first));
  const isOnScreen = at >= 0 && (shown === null || (at >= top && at <= positionOf(rows, shown.last)));
  return isOnScreen ? { at, isChosen: true } : { at: top, isChosen: false };
}

/** The row with an error after a position, or before it, of those that pass; round at the ends. Null when none has one. */
export function errorRow(
  rows: Rows,
  from: number,
  step: 1 | -1,
): { readonly at: number; readonly hasWrapped: boolean } | null {
  const count = rows.shown.length;
  for (let by = 1; by <= count; by++) {
    const at = from + by * step;
    const within = ((at % count) + count) % count;
    const i = rows.shown[within] as number;
    if (i !== rows.outside && ((rows.outline.flags[i] ?? 0) & ROW_FLAG.error) !== 0)
      return { at: within, hasWrapped: at !== within };
  }
  return null;
}

/** True when a shown row holds the event itself, not only something before it. */
export function hasRow(rows: Rows, seq: number): boolean {
  const at = positionOf(rows, seq);
  return at >= 0 && isIn(rows.outline, rows.shown[at] as number, seq);
}

/** The event, when its row is not shown: it has to be shown because it is wanted. */
export function unshownEvent(
  outline: OutlineAnswer,
  seq: number | null,
  passes: (i: number) => boolean,
): number | null {
  if (seq === null) return null;
  const i = outline.seq.findIndex((_, at) => isIn(outline, at, seq));
  return i >= 0 && !passes(i) ? seq : null;
}

/** Pages of bodies that rows `from`…`to` of `shown` need, results included. */
export function pagesFor(rows: Rows, from: number, to: number): number[] {
  const pages = new Set<number>();
  for (let at = Math.max(from, 0); at <= Math.min(to, rows.shown.length - 1); at++) {
    const i = rows.shown[at] as number;
    pages.add(pageOf(rows.outline.seq[i] ?? 1));
    const pair = rows.outline.pair[i] ?? 0;
    if (pair > 0) pages.add(pageOf(pair));
  }
  return [...pages].toSorted((a, b) => a - b);
}

export const pageOf = (seq: number): number => Math.floor((Math.max(seq, 1) - 1) / PAGE);

/** Share of the longest bar of its epoch, in px; something never reads as nothing. */
export function barPx(rows: Rows, i: number): number {
  const tokens = rows.outline.tokens[i] ?? 0;
  const most = rows.scale[i] ?? 0;
  return tokens <= 0 || most <= 0 ? 0 : Math.max(2, Math.round((tokens / most) * BAR_PX));
}

/** What would have been there, on the scale of its epoch; `isCut` when it would be longer than the longest bar. */
export function wholeBarPx(rows: Rows, i: number, tokens: number): { readonly px: number; readonly isCut: boolean } {
  const most = rows.scale[i] ?? 0;
  if (tokens <= 0 || most <= 0) return { px: 0, isCut: false };
  const px = Math.max(2, Math.round((tokens / most) * BAR_PX));
  return { px: Math.min(px, BAR_PX), isCut: px > BAR_PX };
}

/** Height of a row before it is measured. Text wraps at about 130 characters in a column of 900 px. */
function heightOf(outline: OutlineAnswer, i: number, startsTurn: boolean): number {
  if (startsTurn) return 45;
  const type = outline.types[outline.type[i] ?? 0];
  const bytes = outline.bytes[i] ?? 0;
  if (type === "assistant" || type === "user") return 17 + 20 * Math.min(Math.ceil(bytes / 130) || 1, 24);
  if (type === "tool_call" || type === "tool_result") return bytes < 60 ? 56 : 106;
  return 37;
}

/** The nearest row before or after a position whose event starts a turn. */
export function turnRow(rows: Rows, position: number, step: 1 | -1): number {
  for (let at = position + step; at >= 0 && at < rows.shown.length; at += step)
    if (rows.turnAt.has(rows.outline.seq[rows.shown[at] as number] ?? 0)) return at;
  return position;
}

/** Compactions and rewinds that lie between two turns, for the side outline. */
export type SideEntry =
  | { readonly kind: "turn"; readonly turn: OutlineAnswer["turns"][number] }
  | {
      readonly kind: "compaction";
      readonly compaction: OutlineAnswer["compactions"][number];
      readonly isRewind?: true;
    };

export function sideEntries(outline: OutlineAnswer): SideEntry[] {
  const entries: { seq: number; entry: SideEntry }[] = [
    ...outline.turns.map((turn) => ({ seq: turn.seq, entry: { kind: "turn", turn } as const })),
    ...outline.compactions.map((compaction) => ({
      seq: compaction.seq - 0.5,
      entry: { kind: "compaction", compaction } as const,
    })),
    ...outline.rewinds.map((compaction) => ({
      seq: compaction.seq - 0.5,
      entry: { kind: "compaction", compaction, isRewind: true } as const,
    })),
  ];
  return entries.toSorted((a, b) => a.seq - b.seq).map(({ entry }) => entry);
}

/** Rows of one turn that weigh something, for its unfolded entry: the heaviest `most`, in order. */
export function turnItems(outline: OutlineAnswer, turn: number, most: number): number[] {
  const items: number[] = [];
  for (let i = 0; i < outline.seq.length; i++)
    if (outline.turn[i] === turn && outline.types[outline.type[i] ?? 0] === "tool_call") items.push(i);
  if (items.length <= most) return items;
  const tokens = (i: number) => outline.tokens[i] ?? 0;
  return items
    .toSorted((a, b) => tokens(b) - tokens(a))
    .slice(0, most)
    .toSorted((a, b) => a - b);
}

function isIn(outline: OutlineAnswer, i: number, seq: number | null): boolean {
  return seq !== null && (outline.seq[i] === seq || (outline.pair[i] === seq && seq > 0));
}

function scaleOf(outline: OutlineAnswer): Float64Array {
  const scale = new Float64Array(outline.seq.length);
  const edges = outline.compactions.map((c) => c.seq);
  let from = 0;
  for (const edge of [...edges, Number.POSITIVE_INFINITY]) {
    let to = from;
    let most = 0;
    while (to < outline.seq.length && (outline.seq[to] ?? 0) < edge) {
      most = Math.max(most, outline.tokens[to] ?? 0);
      to++;
    }
    scale.fill(most, from, to);
    from = to;
  }
  return scale;
}
