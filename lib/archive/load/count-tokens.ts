// The background pass that counts tokens: newest session first, one that a person opened at once. A text is counted once
// for a tokenizer, whatever sessions it stands in.
import { columns, command, query, select } from "#db/statement.ts";
import { changeSessions } from "#db/session-sums.ts";
import { eventText, type EventBody } from "#lib/kernel/event.ts";
import type { Tokenizer } from "#lib/kernel/host.ts";
import type { Archive } from "../base/archive-type.ts";
import { wholeText } from "../artifacts/whole-text.ts";
import { rowRange, seqOfRow } from "../base/row-keys.ts";

/** Texts that are asked for at a time, and counts that are written in one transaction. */
const AT_ONCE = 200;

/** Counting looks at its signal, and lets others have their turn, after so long (milliseconds). */
const SLICE_MS = 25;

/** Tokens of a text, by its digest. */
export type TokenCount = readonly [digest: Uint8Array, tokens: number];

/** Counts what is not counted yet of one session. Returns how many texts that were. */
export async function countSession(archive: Archive, pk: number, signal?: AbortSignal): Promise<number> {
  const counted = await countTexts(archive, pk, (tokenizer, counts) => saveCounts(archive, tokenizer, counts), signal);
  if (counted > 0) noteCounted(archive, pk);
  return counted;
}

/** The same for who does not write: what was counted is handed over. What is not written yet is counted again. */
export async function countTexts(
  archive: Archive,
  pk: number,
  onCounts: (tokenizer: string, counts: readonly TokenCount[]) => void,
  signal?: AbortSignal,
): Promise<number> {
  const { sqlite, host } = archive;
  const session = select(sqlite, "sessions", ["model", "format"], "WHERE pk = ?").get(pk);
  const id = session === undefined ? null : host.tokenizers.idFor(session.model, session.format);
  if (id === null) return 0;
  const waiting = query(
    sqlite,
    { ...columns("events", "id", "artifact", "body"), digest: "events.digest!" },
    `SELECT e.id, e.digest, e.artifact, e.body FROM events e WHERE e.id > ? AND e.id <= ? AND e.digest IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM token_counts t WHERE t.digest = e.digest AND t.tokenizer = ?) ORDER BY e.id LIMIT ?`,
  );
  let [from, to] = rowRange(pk);
  let counted = 0;
  let tokenizer: Tokenizer | null = null;
  const isStopped = (): boolean => signal?.aborted === true;
  for (;;) {
    const rows = waiting.all(from, to, id, AT_ONCE);
    if (rows.length === 0 || isStopped()) break;
    tokenizer ??= await host.tokenizers.load(id);
    const counts: TokenCount[] = [];
    let startedAt = performance.now();
    for (const row of rows) {
      const text = await textOf(archive, row);
      // Of a text that is gone the estimate stays: counting its beginning would count another text.
      if (text !== null) counts.push([row.digest, tokenizer.count(text)]);
      if (performance.now() - startedAt < SLICE_MS) continue;
      await new Promise((resume) => setImmediate(resume));
      if (isStopped()) break;
      startedAt = performance.now();
    }
    onCounts(id, counts);
    counted += counts.length;
    from = rows.at(-1)!.id;
    await new Promise((resume) => setImmediate(resume));
  }
  return counted;
}

/** Sums of a session are others now. */
export function noteCounted(archive: Archive, pk: number): void {
  const renew = command(archive.sqlite, "UPDATE sessions SET version = version + 1 WHERE pk = ?");
  changeSessions(archive.sqlite, () => renew.run(pk));
}

/** Counts of the events that the background pass has not come to, by seq; nothing is written. */
export async function missingCounts(archive: Archive, pk: number): Promise<ReadonlyMap<number, number>> {
  const session = select(archive.sqlite, "sessions", ["model", "format"], "WHERE pk = ?").get(pk)!;
  const counts = new Map<number, number>();
  const id = archive.host.tokenizers.idFor(session.model, session.format);
  if (id === null) return counts;
  const rows = query(
    archive.sqlite,
    columns("events", "id", "artifact", "body"),
    `SELECT e.id, e.artifact, e.body FROM events e WHERE e.id BETWEEN ? AND ? AND e.digest IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM token_counts t WHERE t.digest = e.digest AND t.tokenizer = ?)`,
  ).all(...rowRange(pk), id);
  if (rows.length === 0) return counts;
  const tokenizer = await archive.host.tokenizers.load(id);
  for (const row of rows) {
    const text = await textOf(archive, row);
    if (text !== null) counts.set(seqOfRow(row.id), tokenizer.count(text));
  }
  return counts;
}

/** Sessions that have texts to count, newest first. */
export function sessionsToCount(
  archive: Archive,
  after: number,
  limit: number,
): { pk: number; id: string; version: number }[] {
  return select(
    archive.sqlite,
    "sessions",
    ["pk", "id", "version"],
    "WHERE coalesce(ended_at, 0) <= ? ORDER BY ended_at DESC, pk DESC LIMIT ?",
  ).all(after, limit);
}

async function textOf(archive: Archive, row: { artifact: string | null; body: string }): Promise<string | null> {
  const body = JSON.parse(row.body) as EventBody;
  if (row.artifact !== null && body.type === "tool_result" && body.saw === "full")
    return wholeText(archive, row.artifact);
  return eventText(body);
}

export function saveCounts(archive: Archive, tokenizer: string, counts: readonly TokenCount[]): void {
  const insert = command(
    archive.sqlite,
    "INSERT OR IGNORE INTO token_counts (digest, tokenizer, tokens) VALUES (?, ?, ?)",
  );
  archive.sqlite
    .transaction(() => {
      for (const [digest, tokens] of counts) insert.run(digest, tokenizer, tokens);
    })
    .immediate();
}
