// Which sessions a query of a list finds, with how often and where first. Sessions that the index does not have as they are now
// are looked up in the archive's own word index, which each import writes: it knows words alone, no stems and no fields.
import { query } from "#db/statement.ts";
import { matchExpression } from "#lib/kernel/search/match-expression.ts";
import { SEARCH_KINDS } from "#lib/kernel/search/search-fields.ts";
import { isPlainQuery, parseSearch, wordsOfQuery, type SearchQuery } from "#lib/kernel/search/search-query.ts";
import type { Archive } from "../base/archive-type.ts";
import { eventRowId } from "../base/row-keys.ts";
import { readIndexOf } from "../base/search-file.ts";
import { runSearch, type SearchTask } from "../base/search-task.ts";
import { eachSessionFound, matchFilter, toolKeys } from "./find-matches.ts";
import { orderedMatches } from "./ordered-matches.ts";
import { staleSessions } from "./search-index.ts";
import { askedWords } from "./word-beginnings.ts";
import { isOfSession, markRows, searchedSessions, sessionsOf } from "./searched-sessions.ts";

export type SessionHits = {
  readonly hits: number;
  /** Row of the first event; null where a memory item was found, or the session itself. */
  readonly first: number | null;
};

export type FoundSessions = {
  readonly sessions: ReadonlyMap<number, SessionHits>;
  /** Words that a title may have instead, and in which sessions: null is any. */
  readonly titled: { readonly words: string; readonly among: ReadonlySet<number> | null } | null;
  /** The query asks of sessions alone and looks into no event. */
  readonly isOfSessions: boolean;
  /** Its words, for the text that is shown. */
  readonly words: string;
  /** False: a regular expression was not tried on all that it could be in. */
  readonly isWhole: boolean;
};

export const findSessionsTask = { name: "sessions", run: findHere } satisfies SearchTask<{ q: string }, FoundSessions>;

/** Fails with `invalid` and what to write where the query cannot be read. */
export const findSessions = (archive: Archive, q: string): Promise<FoundSessions> =>
  runSearch(archive, findSessionsTask, { q });

async function findHere(archive: Archive, { q }: { readonly q: string }): Promise<FoundSessions> {
  const parsed = parseSearch(q, archive.host.now());
  const asked = sessionsOf(archive, parsed.filters);
  const isInTitle =
    parsed.filters.every(isOfSession) &&
    parsed.terms.every(({ kind, not }) => kind === "word" && !not) &&
    // SQLite ends a pattern there, and any title would fit.
    !q.includes("\0");
  const words = isPlainQuery(parsed) ? q : wordsOfQuery(parsed).join(" ");
  const isOfSessions = asked !== null && parsed.terms.length === 0 && parsed.filters.every(isOfSession);
  const found = isOfSessions
    ? { sessions: new Map([...asked].map((pk) => [pk, { hits: 0, first: null }])), isWhole: true }
    : await hitsIn(archive, parsed, asked);
  return { ...found, titled: isInTitle && !isOfSessions ? { words, among: asked } : null, isOfSessions, words };
}

async function hitsIn(
  archive: Archive,
  parsed: SearchQuery,
  asked: ReadonlySet<number> | null,
): Promise<Pick<FoundSessions, "sessions" | "isWhole">> {
  const known = searchedSessions(archive);
  const found = new Map<number, SessionHits>();
  let isWhole = true;
  if (parsed.terms.length === 0 && parsed.filters.length === 0) return { sessions: found, isWhole };
  const index = readIndexOf(archive);
  const hasRegex = parsed.terms.some(({ kind }) => kind === "regex");
  if (index !== null && hasRegex) {
    const answer = await orderedMatches(archive, index, parsed, { sort: "newest", asked });
    isWhole = answer.isWhole;
    for (const { session, seq, kind } of answer.matches) {
      const before = found.get(session);
      const first = SEARCH_KINDS[kind] === "memory" ? null : eventRowId(session, seq);
      found.set(session, { hits: (before?.hits ?? 0) + 1, first: first ?? before?.first ?? null });
    }
  } else if (index !== null) {
    const { expression, where: words } = askedWords(archive, parsed, true);
    const marks = markRows(archive, parsed.filters);
    const where = matchFilter(parsed.filters, asked, toolKeys(index), { marks, words });
    for (const [pk, hits, seq] of eachSessionFound(index, expression, where))
      if (known.has(pk)) found.set(pk, { hits, first: seq === null ? null : eventRowId(pk, seq) });
  }
  if (!hasRegex && parsed.filters.every(isOfSession)) addStale(archive, parsed, asked, found);
  return { sessions: found, isWhole };
}

/** What is not indexed yet, by its words. */
function addStale(
  archive: Archive,
  parsed: SearchQuery,
  asked: ReadonlySet<number> | null,
  found: Map<number, SessionHits>,
): void {
  const stale = staleSessions(archive, readIndexOf(archive));
  const { match } = matchExpression({ terms: parsed.terms, filters: [] }, { isTyped: true });
  if (match === null || stale.size === 0) return;
  const known = searchedSessions(archive);
  const rows = query(
    archive.sqlite,
    { pk: "integer", hits: "integer", first: "integer" },
    "SELECT rowid / 4294967296 AS pk, count(*) AS hits, min(rowid) AS first FROM search WHERE search MATCH ? GROUP BY 1",
  ).all(match);
  for (const { pk, hits, first } of rows)
    if (stale.has(pk) && known.has(pk) && asked?.has(pk) !== false) found.set(pk, { hits, first });
}
