import type { z } from "zod";
import type { findAnswer } from "#lib/wire/events.ts";
import type { Archive } from "./archive.ts";
import { findSession } from "./find-session.ts";
import { rowRange, seqOfRow } from "./keys.ts";

const FOUND = 2000;

/** Events of a session that hold all the words, folded text included; in order, at most 2,000. */
export async function findInSession(archive: Archive, name: string, q: string): Promise<z.infer<typeof findAnswer>> {
  const pk = findSession(archive, name);
  const match = matchOf(q);
  if (match === null) return { seqs: [], total: 0, capped: false };
  const rows = archive.sqlite
    .prepare("SELECT rowid FROM search WHERE search MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid LIMIT ?")
    .pluck()
    .all(match, ...rowRange(pk), FOUND + 1) as number[];
  return { seqs: rows.slice(0, FOUND).map(seqOfRow), total: Math.min(rows.length, FOUND), capped: rows.length > FOUND };
}

/**
 * A person's words as an FTS5 query: every word must occur, the last one may go on. Quotes make each word text, so that
 * no character of the query language gets through. Null when there is no word.
 */
export function matchOf(q: string): string | null {
  const words = q.match(/[\p{L}\p{M}\p{N}_]+/gu)?.slice(0, 32) ?? [];
  if (words.length === 0) return null;
  return words.map((word, i) => `"${word}"${i === words.length - 1 ? "*" : ""}`).join(" ");
}

/** Characters of a name that are looked for. SQLite refuses patterns over 50,000 bytes. */
const PATTERN_CHARS = 1000;

/** A LIKE pattern of what a person typed, anywhere in a text; for use with ESCAPE and a backslash. */
export const likeOf = (q: string): string =>
  `%${q
    .trim()
    .slice(0, PATTERN_CHARS)
    .replace(/[\\%_]/g, "\\$&")}%`;
