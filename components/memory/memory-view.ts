// The timeline and the items of the Memory tab from its answer. Pure.
import type { CompactionRow, MemoryAnswer, MemoryItemRow } from "#lib/wire/memory-schema.ts";
import type { MemoryKind } from "../shared/url-state.ts";

export type Epoch = MemoryAnswer["epochs"][number];
export type RecallRow = MemoryAnswer["recalls"][number];

export type TimelineEntry =
  | { readonly kind: "epoch"; readonly epoch: Epoch }
  | { readonly kind: "compaction"; readonly compaction: CompactionRow; readonly items: number };

/**
 * Epochs with what parts them: a compaction that the log has stands before the epoch it began; plans, failures and what was
 * undone stand in the epoch that they looked at, at its end, in the order they were made.
 */
export function timeline({ epochs, compactions, items }: MemoryAnswer): readonly TimelineEntry[] {
  const counts = new Map<string, number>();
  for (const { compactionId, deletedAt } of items)
    if (compactionId !== null && deletedAt === null) counts.set(compactionId, (counts.get(compactionId) ?? 0) + 1);
  const entryOf = (compaction: CompactionRow): TimelineEntry => ({
    kind: "compaction",
    compaction,
    items: counts.get(compaction.id) ?? 0,
  });
  const began = new Set(epochs.flatMap(({ compactionId }) => (compactionId === null ? [] : [compactionId])));
  const others = compactions.filter(({ id }) => !began.has(id)).toSorted((a, b) => a.at - b.at || before(a, b));
  const entries: TimelineEntry[] = [];
  let next = 0;
  epochs.forEach((epoch, i) => {
    const start = compactions.find(({ id }) => id === epoch.compactionId);
    if (start !== undefined) entries.push(entryOf(start));
    entries.push({ kind: "epoch", epoch });
    const until = i === epochs.length - 1 ? Number.POSITIVE_INFINITY : epoch.toSeq;
    for (let other = others[next]; other !== undefined && other.at <= until; other = others[next]) {
      entries.push(entryOf(other));
      next++;
    }
  });
  return [...entries, ...others.slice(next).map(entryOf)];
}

const before = (a: CompactionRow, b: CompactionRow): number => (a.startedAt ?? "").localeCompare(b.startedAt ?? "");

/** Whose compaction it is and what became of it, in one word for its badge. */
export function stateOf({ kind, status }: CompactionRow): string {
  if (status === "undone" || status === "failed") return status;
  if (status === "nothing_to_compact") return "nothing to compact";
  return kind === "agent" ? "the agent's" : kind === "plan" ? "plan" : "applied";
}

/** It stands, and a person may take it back. */
export const canUndo = ({ kind, status }: CompactionRow): boolean =>
  kind !== "agent" && (status === "complete" || status === "planned");

export type ItemChoice = {
  readonly items: MemoryKind;
  readonly from: string | null;
  readonly turn: number | null;
};

/** Pinned first, then what matters most, then the newest. Deleted items are shown only where they are asked for. */
export function chosenItems(all: readonly MemoryItemRow[], { items, from, turn }: ItemChoice): MemoryItemRow[] {
  return all
    .filter(
      (item) =>
        isOfKind(item, items) &&
        (from === null || item.compactionId === from) &&
        (turn === null || item.turns.includes(turn)),
    )
    .toSorted(
      (a, b) =>
        Number(b.pinned) - Number(a.pinned) || b.salience - a.salience || b.createdAt.localeCompare(a.createdAt),
    );
}

function isOfKind(item: MemoryItemRow, kind: MemoryKind): boolean {
  if (kind === "deleted") return item.deletedAt !== null;
  if (item.deletedAt !== null) return false;
  return kind === "all" || (kind === "pinned" ? item.pinned : item.kind === kind);
}

export const countsOf = (items: readonly MemoryItemRow[]): Record<MemoryKind, number> => ({
  all: items.filter((item) => isOfKind(item, "all")).length,
  episodic: items.filter((item) => isOfKind(item, "episodic")).length,
  semantic: items.filter((item) => isOfKind(item, "semantic")).length,
  pinned: items.filter((item) => isOfKind(item, "pinned")).length,
  deleted: items.filter((item) => isOfKind(item, "deleted")).length,
});

/** Turns that something was made from or recalled into, with how much. */
export function turnsOf({ items, recalls }: MemoryAnswer): { readonly turn: number; readonly count: number }[] {
  const counts = new Map<number, number>();
  const add = (turn: number) => counts.set(turn, (counts.get(turn) ?? 0) + 1);
  for (const { turns, deletedAt } of items) if (deletedAt === null) turns.forEach(add);
  for (const { turn } of recalls) if (turn !== null) add(turn);
  return [...counts].map(([turn, count]) => ({ turn, count })).toSorted((a, b) => a.turn - b.turn);
}

/** `unresolved_work` as it reads. */
export const categoryWords = (category: string): string => category.replaceAll("_", " ");

/** Lines and characters of an item before the rest is asked for: a fact has one line, the summary of an epoch a hundred. */
const HEAD_LINES = 5;
const HEAD_CHARS = 600;

/** The beginning of a long text, cut at a line or a word; a text that is hardly longer stays whole. */
export function headOf(text: string): string {
  const lines = text.split("\n");
  const head = lines.length > HEAD_LINES + 2 ? lines.slice(0, HEAD_LINES).join("\n") : text;
  return head.length > HEAD_CHARS * 1.2
    ? head
        .slice(0, HEAD_CHARS)
        .toWellFormed()
        .replace(/\s+\S*$/u, "")
    : head;
}

export type TextPart = { readonly text: string; readonly pointer: boolean };

/** A text with the pointers to artifacts in it apart. */
export function pointerParts(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let at = 0;
  for (const match of text.matchAll(/\bart:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gu)) {
    if (match.index > at) parts.push({ text: text.slice(at, match.index), pointer: false });
    parts.push({ text: match[0], pointer: true });
    at = match.index + match[0].length;
  }
  if (at < text.length) parts.push({ text: text.slice(at), pointer: false });
  return parts;
}

/** What a hand wrote into the field of tags. */
export const tagsOf = (text: string): string[] => [
  ...new Set(
    text
      .split(",")
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ""),
  ),
];

/** `12, 14–18`, or what is wrong with it. */
export function seqsOf(text: string): { readonly seqs: readonly number[] } | { readonly wrong: string } {
  const seqs: number[] = [];
  for (const part of text.split(/[\s,]+/u)) {
    if (part === "") continue;
    const found = /^(\d{1,9})(?:[-–](\d{1,9}))?$/u.exec(part);
    const from = Number(found?.[1] ?? 0);
    const to = Number(found?.[2] ?? from);
    if (!found || from < 1 || to < from) return { wrong: `"${part}" is not an event number or range.` };
    if (to - from >= MOST_SEQS - seqs.length) return { wrong: `At most ${MOST_SEQS} events.` };
    for (let seq = from; seq <= to; seq++) seqs.push(seq);
  }
  return { seqs: [...new Set(seqs)].toSorted((a, b) => a - b) };
}

/** As the door has it. */
const MOST_SEQS = 1000;
