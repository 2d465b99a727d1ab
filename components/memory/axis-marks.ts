// Where memory stands on the session's axis of calls: epochs, items where they were made, recalls, and the calls that an item
// came from. Pure.
import type { MemoryAnswer, MemoryItemRow } from "#lib/wire/memory-schema.ts";
import { indexOfSeq, type LoadView, type Span } from "../shared/load-view.ts";
import type { Epoch, RecallRow } from "./memory-view.ts";

export type MarkLane = "episodic" | "semantic" | "recall";

/** Items of one kind that were made at one position, deleted ones where there are no others; or recalls into one call. */
export type AxisMark = {
  readonly lane: MarkLane;
  /** The call behind it; between two epochs the first one of the later. */
  readonly index: number;
  readonly items: readonly MemoryItemRow[];
  readonly recalls: readonly RecallRow[];
};

export const markKey = ({ lane, index }: Pick<AxisMark, "lane" | "index">): string => `${lane} ${index}`;

/** The calls of each epoch; null for one without. */
export function epochSpans(view: LoadView, epochs: readonly Epoch[]): readonly (Span | null)[] {
  return epochs.map(({ fromSeq, toSeq }) => spanOf(view, ({ seq }) => seq >= fromSeq && seq <= toSeq));
}

export function axisMarks(view: LoadView, answer: MemoryAnswer): readonly AxisMark[] {
  if (view.calls.length === 0) return [];
  const marks = new Map<string, { lane: MarkLane; index: number; items: MemoryItemRow[]; recalls: RecallRow[] }>();
  const markAt = (lane: MarkLane, index: number) => {
    const key = markKey({ lane, index });
    const mark = marks.get(key) ?? { lane, index, items: [], recalls: [] };
    marks.set(key, mark);
    return mark;
  };
  for (const item of answer.items) markAt(item.kind, indexOfItem(view, answer, item)).items.push(item);
  for (const mark of marks.values()) if (mark.items.some(isLive)) mark.items = mark.items.filter(isLive);
  for (const recall of answer.recalls) markAt("recall", indexOfRecall(view, recall)).recalls.push(recall);
  return [...marks.values()].toSorted((a, b) => a.index - b.index);
}

const isLive = ({ deletedAt }: MemoryItemRow): boolean => deletedAt === null;

/** What a lane holds, as the filters of the list count it: without deleted items. */
export const countOf = (marks: readonly AxisMark[], lane: MarkLane): number =>
  marks.reduce(
    (sum, mark) => (mark.lane === lane ? sum + mark.items.filter(isLive).length + mark.recalls.length : sum),
    0,
  );

const lastOf = (view: LoadView): number => view.calls.length - 1;

function indexOfItem(view: LoadView, answer: MemoryAnswer, { compactionId, seqs }: MemoryItemRow): number {
  const compaction = answer.compactions.find(({ id }) => id === compactionId);
  if (compaction === undefined) return seqs.length === 0 ? lastOf(view) : indexOfSeq(view, Math.max(...seqs));
  const before = indexOfSeq(view, compaction.at);
  // A plan changed nothing: it is at the call that it looked at.
  return compaction.kind === "plan" ? before : Math.min(before + 1, lastOf(view));
}

function indexOfRecall(view: LoadView, { at, turn }: RecallRow): number {
  if (at !== null) return indexOfSeq(view, at);
  const first = view.calls.findIndex((call) => call.turn === turn);
  return first < 0 ? lastOf(view) : first;
}

/** The calls that items came from: their turns or events; of an agent's own summary, the epoch before it. */
export function sourceSpans(view: LoadView, answer: MemoryAnswer, items: readonly MemoryItemRow[]): readonly Span[] {
  const lit = new Set<number>();
  for (const item of items) for (const index of sourceOf(view, answer, item)) lit.add(index);
  const spans: { from: number; to: number }[] = [];
  for (const index of [...lit].toSorted((a, b) => a - b)) {
    const last = spans.at(-1);
    if (last !== undefined && last.to === index) last.to = index + 1;
    else spans.push({ from: index, to: index + 1 });
  }
  return spans;
}

function sourceOf(view: LoadView, answer: MemoryAnswer, { madeBy, turns, seqs }: MemoryItemRow): readonly number[] {
  if (madeBy === "summary") {
    const at = Math.max(...seqs);
    const next = answer.epochs.findIndex(({ fromSeq, toSeq }) => fromSeq <= at && toSeq >= at);
    const { fromSeq, toSeq } = answer.epochs[Math.max(0, next - 1)]!;
    return indices(view, ({ seq }) => seq >= fromSeq && seq <= toSeq);
  }
  if (turns.length > 0) return indices(view, ({ turn }) => turns.includes(turn));
  return view.calls.length === 0 ? [] : seqs.map((seq) => indexOfSeq(view, seq));
}

type Call = LoadView["calls"][number];

const indices = (view: LoadView, fits: (call: Call) => boolean): number[] =>
  view.calls.flatMap((call, i) => (fits(call) ? [i] : []));

function spanOf(view: LoadView, fits: (call: Call) => boolean): Span | null {
  const found = indices(view, fits);
  return found.length === 0 ? null : { from: found[0]!, to: found.at(-1)! + 1 };
}
