// How an event is known again when its file was read anew and its number is another.
import { hash } from "node:crypto";
import { scalar, query } from "#db/statement.ts";
import { eventText, type EventBody } from "#lib/kernel/event.ts";
import type { Archive } from "../base/archive-type.ts";
import { eventRowId, rowRange, seqOfRow } from "../base/row-keys.ts";

/** Null where there is no such event. */
export function anchorOf(archive: Archive, row: number): string | null {
  const body = scalar(archive.sqlite, "events.body", "FROM events WHERE id = ?").get(row);
  return body === undefined ? null : digestOf(body);
}

const digestOf = (json: string): string => {
  const body = JSON.parse(json) as EventBody;
  return hash("sha256", `${body.type}\n${eventText(body)}`, "hex").slice(0, 16);
};

/** The event that a mark is on now: the one with its number, else the nearest that says the same; null where it is gone. */
export function markedEvent(archive: Archive, pk: number, seq: number, anchor: string | null): number | null {
  if (anchor === null || anchorOf(archive, eventRowId(pk, seq)) === anchor) return seq;
  const rows = query(
    archive.sqlite,
    { id: "events.id", body: "events.body" },
    "SELECT id, body FROM events WHERE id BETWEEN ? AND ? ORDER BY abs(id - ?)",
  );
  for (const { id, body } of rows.iterate(...rowRange(pk), eventRowId(pk, seq)))
    if (digestOf(body) === anchor) return seqOfRow(id);
  return null;
}
