// The words around a search hit. The index keeps no text, so the event's own is looked at.
import { eventText, type EventBody } from "#lib/kernel/event.ts";
import type { Archive } from "./archive.ts";

const AROUND = 60;

/** Text around the first hit in an event, each hit between \u0002 and \u0003; the beginning where the hit is further on. */
export function snippetOf(archive: Archive, rowId: number, q: string): string | null {
  const row = archive.sqlite.prepare("SELECT body FROM events WHERE id = ?").pluck().get(rowId) as string | undefined;
  if (row === undefined) return null;
  const text = eventText(JSON.parse(row) as EventBody).replace(/[\u0002\u0003\s]+/g, " ");
  const words = (q.match(/[\p{L}\p{N}_]+/gu) ?? []).map((word) => word.toLowerCase());
  const lower = text.toLowerCase();
  const at = words.reduce((first, word) => {
    const found = lower.indexOf(word);
    return found >= 0 && (first < 0 || found < first) ? found : first;
  }, -1);
  if (at < 0) return text.slice(0, 2 * AROUND);
  const from = Math.max(0, at - AROUND);
  const part = text.slice(from, at + AROUND * 2);
  return `${from > 0 ? "…" : ""}${mark(part, words)}${from + part.length < text.length ? "…" : ""}`;
}

function mark(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  let marked = "";
  for (let at = 0; at < text.length;) {
    const word = words.find((one) => lower.startsWith(one, at));
    marked += word === undefined ? text[at]! : `\u0002${text.slice(at, at + word.length)}\u0003`;
    at += word?.length ?? 1;
  }
  return marked;
}
