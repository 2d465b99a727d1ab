// The row of the transcript that the inspector shows, by the chosen event. Pure.
import type { EventView } from "#lib/wire/events-schema.ts";
import { positionOf, type Rows } from "../shared/transcript-rows.ts";

export type InspectedRow = {
  /** Its position among the shown rows, and how many there are. */
  readonly at: number;
  readonly count: number;
  readonly seq: number;
  /** The result of a tool call; null where there is none. */
  readonly pair: number | null;
  readonly type: string;
  readonly label: string;
  readonly previous: number | null;
  readonly next: number | null;
};

/** The events of the row, once they are there. */
export type RowEvents = { readonly event: EventView; readonly result: EventView | null };

/** Null where nothing is chosen, or no row holds it. */
export function inspectedRow(rows: Rows, chosen: number | null): InspectedRow | null {
  const at = chosen === null ? -1 : positionOf(rows, chosen);
  const i = rows.shown[at];
  if (i === undefined) return null;
  const { outline } = rows;
  const seqAt = (position: number): number | null => outline.seq[rows.shown[position] ?? -1] ?? null;
  return {
    at,
    count: rows.shown.length,
    seq: outline.seq[i] ?? 0,
    pair: outline.pair[i] || null,
    type: outline.types[outline.type[i] ?? 0] ?? "unknown",
    label: outline.labels[i] ?? "",
    previous: seqAt(at - 1),
    next: seqAt(at + 1),
  };
}

/** What the model or a tool gave: of a tool interaction its result. */
export const outputOf = ({ event, result }: RowEvents): EventView => result ?? event;
