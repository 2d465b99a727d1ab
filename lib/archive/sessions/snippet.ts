// The words around a search hit. The index keeps no text, so the event's own is looked at.
import { select } from "#db/statement.ts";
import { redactText } from "#lib/kernel/artifacts/redact.ts";
import { eventText, type EventBody } from "#lib/kernel/event.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Archive } from "../base/archive-type.ts";
import { isOffloaded, lineWith, storedHead } from "../artifacts/stored-text.ts";
import { readText } from "../artifacts/whole-text.ts";

const AROUND = 60;

/**
 * Text around the first hit in an event, each hit between \u0002 and \u0003. A kept output is looked through to its end, as
 * the index was. The index finds a word by its stem: without the word itself, what begins as it does is the hit. Without
 * that (a joined word) it is the beginning.
 */
export async function snippetOf(archive: Archive, rowId: number, q: string): Promise<string | null> {
  const row = select(archive.sqlite, "events", ["body", "artifact"], "WHERE id = ?").get(rowId);
  if (row === undefined) return null;
  const body = JSON.parse(row.body) as EventBody;
  const words = markedWords(q);
  const head = eventText(body);
  const isInHead = row.artifact === null || firstHit(searched(head), words) >= 0 || !("saw" in body);
  if (!isInHead && isOffloaded(body, row.artifact)) {
    const found = lineWith((await storedHead(archive, row.artifact, LIMITS.searchChars)) ?? "", words);
    // The event shows an envelope: it is said where the words stand, and secrets of what was put away stay masked.
    if (found !== null) return `line ${found.line} of ${row.artifact}: ${excerpt(redactText(found.text).text, words)}`;
  }
  const text = isInHead || body.saw !== "full" ? head : await readText(archive, row.artifact!).catch(() => head);
  return excerpt(text, words);
}

/** The words of a query as they are looked for in a text. */
export const markedWords = (q: string): string[] =>
  (q.match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []).map((word) => word.toLowerCase());

/** The text around the first of the words, each between \u0002 and \u0003. */
export function excerpt(text: string, given: readonly string[]): string {
  const lower = searched(text);
  const words = firstHit(lower, given) >= 0 ? given : given.map((word) => beginningIn(lower, word));
  const at = firstHit(lower, words);
  const from = Math.max(0, at - AROUND);
  const part = text.slice(from, from + 3 * AROUND).replace(/[\u0002\u0003\s]+/g, " ");
  return `${from > 0 ? "…" : ""}${mark(part, words)}${from + 3 * AROUND < text.length ? "…" : ""}`;
}

/** Letters that a stem may leave out, and the fewest that it has. */
const ENDING = 5;
const LEAST_STEM = 4;

/** The longest beginning of a word that stands in the text; the word where none does. */
function beginningIn(lower: string, word: string): string {
  for (let chars = word.length - 1; chars >= Math.max(LEAST_STEM, word.length - ENDING); chars--) {
    const beginning = word.slice(0, chars);
    if (lower.includes(beginning)) return beginning;
  }
  return word;
}

/** What of a text is looked through, as words are compared. */
const searched = (text: string): string => text.slice(0, LIMITS.searchChars).toLowerCase();

/** Where the first of the words stands, or -1. */
function firstHit(lower: string, words: readonly string[]): number {
  return words.reduce((first, word) => {
    const found = lower.indexOf(word);
    return found >= 0 && (first < 0 || found < first) ? found : first;
  }, -1);
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
