import { query, scalar, select } from "#db/statement.ts";
import type { z } from "zod";
import { eventText, type EventBody } from "#lib/kernel/event.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { occurrencesOf } from "#lib/kernel/log/occurrences.ts";
import { hasUnspaced } from "#lib/kernel/search/unspaced.ts";
import { isPlainQuery, markedText, parseSearch } from "#lib/kernel/search/search-query.ts";
import type { findAnswer } from "#lib/wire/events-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { eventRowId, rowRange, SEARCH_RANGE, seqOfRow } from "../base/row-keys.ts";
import { findEvents } from "../search/found-events.ts";
import { isOffloaded, lineWith, storedHead } from "../artifacts/stored-text.ts";
import { wholeText } from "../artifacts/whole-text.ts";

const FOUND = 2000;

/** Characters that are read to count occurrences: some 60 ms; in events past them one stands for what there is. */
const COUNTED_CHARS = 16 * 1024 * 1024;

/** Events of a session that hold all the words, folded text included, and how often; in order, at most 2,000. */
export async function findInSession(archive: Archive, name: string, q: string): Promise<z.infer<typeof findAnswer>> {
  const pk = findSession(archive, name);
  const parsed = parseSearch(q, archive.host.now());
  // The words that an import indexes are whole ones.
  if (!isPlainQuery(parsed) || hasUnspaced(q)) return findByQuery(archive, pk, q);
  const match = matchOf(q);
  if (match === null) return { seqs: [], counts: [], total: 0, capped: false };
  const rows = scalar(
    archive.sqlite,
    "integer",
    `SELECT rowid FROM search WHERE search MATCH ? AND ${SEARCH_RANGE} ORDER BY rowid LIMIT ?`,
  ).all(match, ...rowRange(pk), FOUND + 1);
  const found = rows.slice(0, FOUND);
  const { counts, isCut } = await countsIn(archive, found, q);
  return {
    seqs: found.map(seqOfRow),
    counts,
    total: counts.reduce((sum, count) => sum + count, 0),
    capped: isCut || rows.length > FOUND,
    stored: await storedLines(archive, rows, q),
  };
}

/** With fields, phrases or regular expressions: what the search index has of the session. */
async function findByQuery(archive: Archive, pk: number, q: string): Promise<z.infer<typeof findAnswer>> {
  const found = await findEvents(archive, pk, q);
  const seqs = found.seqs.slice(0, FOUND);
  const rows = seqs.map((seq) => eventRowId(pk, seq));
  const words = markedText(q);
  const { counts, isCut } = await countsIn(archive, rows, words);
  return {
    ...{ seqs, counts },
    total: counts.reduce((sum, count) => sum + count, 0),
    capped: isCut || !found.isWhole || seqs.length < found.seqs.length,
    stored: await storedLines(archive, rows, words),
  };
}

/** An event was found, so what is looked for stands in it at least once, also where accents or a cut hide it from the count. */
async function countsIn(
  archive: Archive,
  rows: readonly number[],
  q: string,
): Promise<{ counts: number[]; isCut: boolean }> {
  const counts: number[] = [];
  let chars = 0;
  for (const row of rows) {
    const text = chars > COUNTED_CHARS ? "" : await searchedText(archive, row);
    chars += text.length;
    counts.push(Math.max(1, occurrencesOf(text, q).length));
  }
  return { counts, isCut: chars > COUNTED_CHARS };
}

/** What the index holds of an event: its text, of a stored output all that the model saw. */
async function searchedText(archive: Archive, rowId: number): Promise<string> {
  const row = select(archive.sqlite, "events", ["body", "artifact"], "WHERE id = ?").get(rowId);
  if (row === undefined) return "";
  const body = JSON.parse(row.body) as EventBody;
  if (row.artifact !== null && isOffloaded(body, row.artifact))
    return (await storedHead(archive, row.artifact, LIMITS.searchChars)) ?? eventText(body);
  const isWhole = row.artifact === null || !("saw" in body) || body.saw !== "full";
  const text = isWhole ? eventText(body) : ((await wholeText(archive, row.artifact!)) ?? eventText(body));
  return text.slice(0, LIMITS.searchChars);
}

/** Outputs whose line is looked up: each is a file to read. */
const LOOKED_UP = 20;

/** Of hits in what was offloaded: the artifact, and the first line there that has one of the words. */
async function storedLines(
  archive: Archive,
  rows: readonly number[],
  q: string,
): Promise<{ seq: number; artifact: string; line: number }[]> {
  const words = q.match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
  const event = query(
    archive.sqlite,
    { body: "events.body", artifact: "events.artifact!" },
    "FROM events WHERE id = ? AND artifact IS NOT NULL",
  );
  const found: { seq: number; artifact: string; line: number }[] = [];
  for (const id of rows) {
    if (found.length >= LOOKED_UP) break;
    const row = event.get(id);
    if (row === undefined || !isOffloaded(JSON.parse(row.body) as EventBody, row.artifact)) continue;
    const line = lineWith((await storedHead(archive, row.artifact, LIMITS.searchChars)) ?? "", words);
    if (line !== null) found.push({ seq: seqOfRow(id), artifact: row.artifact, line: line.line });
  }
  return found;
}

/**
 * A person's words as an FTS5 query: every word must occur, the last one may go on. Quotes make each word text, so that
 * no character of the query language gets through. Null when there is no word.
 */
function matchOf(q: string): string | null {
  const words = q.match(/[\p{L}\p{M}\p{N}_]+/gu)?.slice(0, 32) ?? [];
  if (words.length === 0) return null;
  return words.map((word, i) => `"${word}"${i === words.length - 1 ? "*" : ""}`).join(" ");
}
