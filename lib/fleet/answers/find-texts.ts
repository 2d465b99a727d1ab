// The newest texts that a query fits. The database has an index of words and one of time, and no index of both: which of them it
// begins with decides whether a search reads some thousand texts of a million, or most of them.
import { hasPairs } from "#db/fleet/concurrent-indexes.ts";
import type { SearchFilter } from "#lib/kernel/search/search-filter.ts";
import type { SearchField } from "#lib/kernel/search/search-fields.ts";
import type { WordQuery } from "../lexemes.ts";
import type { Fleet, Fragment } from "../open-fleet.ts";
import { inProjects, type Projects } from "../visible-projects.ts";
import { beginSo } from "./begun-words.ts";
import { expectedRows } from "./expected-rows.ts";
import type { FoundRow } from "./found-texts.ts";
import { conditionsOf } from "./search-conditions.ts";
import { valuesAsked } from "./session-values.ts";
import { besideEachOther } from "./word-pairs.ts";

/** Of so many texts, the newest, the score is asked. */
export const RANKED = 1000;

export type TextsAsked = {
  readonly filters: readonly SearchFilter[];
  /** Null where no word is asked for. */
  readonly words: WordQuery | null;
  readonly isRanked: boolean;
  /** One more is found where there is one. */
  readonly most: number;
  /** In this session alone. */
  readonly session?: string | undefined;
  /** In stored outputs alone. */
  readonly isStored?: boolean;
};

/** What it takes, in microseconds, as measured with a million texts. */
type Costs = {
  /** A text that is read in the order of time, and what its session is then asked. */
  readonly read: number;
  readonly session: number;
  /** A text in the index of words, and one of these that is fetched. */
  readonly word: number;
  readonly fetched: number;
  /** Texts with the words that are fetched and sorted at most; of more the database may begin with sessions. */
  readonly sorted: number;
};
const COSTS: Costs = { read: 1.2, session: 3, word: 0.3, fetched: 0.8, sorted: 150_000 };
/** So many more than are looked for: what is expected is not what is there. */
const SPARE = 1.5;

/** Fields of a text with an index of their own. */
const INDEXED: readonly SearchField[] = ["type", "after", "before"];

type Conditions = {
  readonly ofText: Fragment;
  /** The part of it that an index by time or by kind has, too. */
  readonly ofIndex: Fragment | null;
  readonly ofSession: Fragment | null;
  readonly query: Fragment;
  /** What its beginnings of words ask besides. */
  readonly begun: Fragment;
  /** Which texts `p` have the pairs of its phrases. */
  readonly pairs: Fragment | null;
};

/** `newest`: texts one after the other, until enough fit. `words`: those with the words, sorted. `any`: as the database would. */
type Way = { readonly first: "newest" | "words" | "any"; readonly since: number | null };
const ANY: Way = { first: "any", since: null };

export async function findTexts(
  fleet: Fleet,
  asked: TextsAsked,
  visible: Projects,
  costs: Costs = COSTS,
): Promise<readonly FoundRow[]> {
  const { sql } = fleet;
  const { filters, words, session, most, isStored = false } = asked;
  const known = await valuesAsked(fleet, filters, visible);
  const own = conditionsOf(fleet, filters, { of: "text", marks: "text" });
  const conditions: Conditions = {
    ofText: sql`${inProjects(fleet, visible, "t.project")} ${own === null ? sql`` : sql`AND ${own}`}
      ${session === undefined ? sql`` : sql`AND t.session IN (SELECT id FROM sessions WHERE id = ${session} OR native_id = ${session})`}
      ${isStored ? sql`AND t.piece > 0` : sql``}`,
    ofIndex: conditionsOf(
      fleet,
      filters.filter(({ field, not }) => INDEXED.includes(field) && !not),
      { of: "text", marks: "text" },
    ),
    ofSession: conditionsOf(fleet, filters, { of: "session", marks: "text" }, known),
    query: sql`to_tsquery('plimsoll', ${words?.tsquery ?? ""})`,
    begun: beginSo(fleet, words),
    pairs: words !== null && words.phrases.length > 0 && (await hasPairs(sql)) ? besideEachOther(fleet, words) : null,
  };
  if (words === null) return readTexts(fleet, asked, conditions, ANY);
  const { first, otherwise } = await (conditions.pairs === null ? waysOf : waysOfPairs)(
    fleet,
    asked,
    conditions,
    costs,
  );
  const rows = await readTexts(fleet, asked, conditions, first);
  // Where the newest are too few, older ones belong to the answer.
  return first.since !== null && rows.length <= most ? readTexts(fleet, asked, conditions, otherwise) : rows;
}

function readTexts(
  { sql }: Fleet,
  { words, isRanked, most }: TextsAsked,
  { ofText, ofIndex, ofSession, query, begun, pairs }: Conditions,
  { first, since }: Way,
): PromiseLike<readonly FoundRow[]> {
  const columns = sql`t.project, t.session, t.seq, t.piece, t.kind, t.tool, t.at, t.tokens, t.is_error`;
  const isYoung = (at: Fragment): Fragment => (since === null ? sql`true` : sql`${at} >= ${since}`);
  const fits = sql`${words === null ? sql`true` : sql`t.words @@ ${query} AND ${begun}`} AND ${isYoung(sql`t.at`)}`;
  // Beside the words in one condition, the pairs of each text would be made anew: 0.1 to 3 ms a text.
  const ofPairs =
    pairs === null
      ? sql`true`
      : sql`t.ctid = ANY(ARRAY(SELECT p.ctid FROM session_texts p WHERE ${pairs} AND ${isYoung(sql`p.at`)}))`;
  const fetched = sql`${ofPairs} AND ${fits} AND ${ofIndex ?? sql`true`}`;
  // Behind OFFSET 0 the order of the whole is not known: the words' index comes first.
  const from =
    first === "words"
      ? sql`(SELECT t.*, t.ctid FROM session_texts t WHERE ${fetched} OFFSET 0) t`
      : sql`session_texts t`;
  const isEachAsked = first === "newest";
  const ofSessions = { joined: sql``, condition: sql`` };
  if (ofSession !== null && isEachAsked)
    ofSessions.condition = sql`AND (SELECT ${ofSession} FROM searched_sessions s WHERE s.project = t.project AND s.id = t.session)`;
  else if (ofSession !== null) {
    ofSessions.joined = sql`JOIN searched_sessions s ON s.project = t.project AND s.id = t.session`;
    ofSessions.condition = sql`AND ${ofSession}`;
  }
  // Words of a text are longer than the rest of it: they are read of those that are ranked.
  const score = sql`CASE WHEN row_number() OVER () <= ${RANKED}
    THEN (SELECT ts_rank(w.words, ${query}) FROM session_texts w WHERE w.ctid = found.ctid) ELSE 0 END`;
  const question = sql<FoundRow[]>`
    WITH found AS MATERIALIZED (
      SELECT ${columns}, t.ctid FROM ${from} ${ofSessions.joined}
      WHERE ${ofText} ${first === "words" ? sql`` : sql`AND ${fits}`} ${ofSessions.condition}
      ORDER BY t.at DESC NULLS LAST, t.project, t.session, t.seq DESC, abs(t.piece) DESC LIMIT ${most + 1})
    SELECT project, session, seq, piece, kind, tool, at, tokens, is_error, ${isRanked ? score : sql`0::real`} AS score FROM found`;
  if (pairs === null || first !== "words") return question;
  // Of more texts than fit there it would remember their pages alone, and make the pairs of all in these anew.
  return sql.begin(async (tx) => {
    await tx`SET LOCAL work_mem = '256MB'`;
    return tx<FoundRow[]>`${question}`;
  });
}

type Ways = { readonly first: Way; readonly otherwise: Way };

/** Of a search for phrases, with the index of pairs. */
async function waysOfPairs(
  fleet: Fleet,
  { most }: TextsAsked,
  { ofSession, query }: Conditions,
  costs: Costs,
): Promise<Ways> {
  const [all, share, ofFitting] = await Promise.all([
    expectedRows(fleet, fleet.sql`session_texts`),
    shareOfNewest(fleet, query),
    shareOfSessions(fleet, ofSession),
  ]);
  const wanted = (SPARE * (most + 1)) / (share * ofFitting * all);
  const since = wanted > 0.5 ? null : await momentOf(fleet, wanted);
  // Fetched for its time, and those that are young enough for their words.
  const ofPairs = (costs.word + costs.fetched * (1 + Math.min(1, wanted))) * share * all;
  if ((costs.read / SPARE) * wanted * all <= ofPairs) return { first: ANY, otherwise: ANY };
  return { first: { first: "words", since }, otherwise: { first: "words", since: null } };
}

async function waysOf(
  fleet: Fleet,
  { words, most }: TextsAsked,
  { ofText, ofSession, query }: Conditions,
  costs: Costs,
): Promise<Ways> {
  const { sql } = fleet;
  const [all, withWords, fitting, ofFitting] = await Promise.all([
    expectedRows(fleet, sql`session_texts`),
    expectedRows(fleet, sql`session_texts t WHERE t.words @@ ${query}`),
    expectedRows(fleet, sql`session_texts t WHERE ${ofText} AND t.words @@ ${query}`),
    shareOfSessions(fleet, ofSession),
  ]);
  // The database believes that a phrase is as frequent as its words are together, and would read all texts for a rare one.
  const isPhrase = words!.tsquery.includes("<->");
  const mostSorted = isPhrase ? 2 * costs.sorted : costs.sorted;
  const otherwise: Way = { first: withWords <= mostSorted ? "words" : "any", since: null };
  if (isPhrase) return { first: otherwise, otherwise };
  const wanted = (SPARE * (most + 1)) / Math.max(1, fitting * ofFitting);
  const since = wanted > 0.5 ? null : await momentOf(fleet, wanted);
  if (since === null) return { first: otherwise, otherwise };
  const ofEach = costs.read + (ofSession === null ? 0 : (costs.session * withWords) / all);
  const isRead = ofEach * (wanted / SPARE) * all <= (costs.word + costs.fetched * wanted) * withWords;
  if (isRead) return { first: { first: "newest", since }, otherwise };
  return { first: wanted * withWords > mostSorted ? otherwise : { first: "words", since }, otherwise };
}

/** Of how many sessions a text may be. Of both tables together the database expects a tenth of what is there. */
async function shareOfSessions(fleet: Fleet, ofSession: Fragment | null): Promise<number> {
  if (ofSession === null) return 1;
  const [part, whole] = await Promise.all([
    expectedRows(fleet, fleet.sql`searched_sessions s WHERE ${ofSession}`),
    expectedRows(fleet, fleet.sql`searched_sessions`),
  ]);
  return part / whole;
}

/** A few of the newest are looked into: how frequent a phrase is, no statistics tell. */
const LOOKED_INTO = 300;

async function shareOfNewest({ sql }: Fleet, query: Fragment): Promise<number> {
  const [row] = await sql<{ share: number | null }[]>`SELECT avg((words @@ ${query})::integer)::float8 AS share
    FROM (SELECT words FROM session_texts ORDER BY at DESC NULLS LAST LIMIT ${LOOKED_INTO}) newest`;
  return Math.max(row!.share ?? 0, 1 / LOOKED_INTO);
}

/** When the newest texts began, as a share of all; null where the database has no statistics of it. */
async function momentOf({ sql }: Fleet, share: number): Promise<number | null> {
  const [row] = await sql<{ bounds: string[] | null }[]>`SELECT histogram_bounds::text::text[] AS bounds FROM pg_stats
    WHERE schemaname = current_schema() AND tablename = 'session_texts' AND attname = 'at'`;
  const bounds = row?.bounds ?? [];
  const bound = bounds[Math.floor((bounds.length - 1) * (1 - share))];
  return bound === undefined ? null : Number(bound);
}
