// Search over the sessions of a fleet: the database finds the newest texts that fit, the functions of one machine count, rank and
// show them. Where more fit than are looked at, the answer says "at least".
import type { Match } from "#lib/archive/search/find-matches.ts";
import { byScore, countedOf, firstPieces, onePerEvent } from "#lib/archive/search/order-matches.ts";
import { onlyBest } from "#lib/archive/search/search-archive.ts";
import { facetsOf } from "#lib/archive/search/search-facets.ts";
import { shownHits } from "#lib/archive/search/search-hits.ts";
import { IS_ERROR } from "#lib/archive/search/fill-index.ts";
import type { SearchedSession } from "#lib/archive/search/searched-sessions.ts";
import { labelOf } from "#lib/archive/import/format-label.ts";
import { matchExpression } from "#lib/kernel/search/match-expression.ts";
import { SEARCH_KINDS, type SearchKind } from "#lib/kernel/search/search-fields.ts";
import { parseSearch, type SearchQuery } from "#lib/kernel/search/search-query.ts";
import type { SearchAnswer, SearchRequest } from "#lib/wire/search-schema.ts";
import { tsqueryOf } from "../lexemes.ts";
import type { Fleet, Fragment } from "../open-fleet.ts";
import { inProjects, type Projects } from "../visible-projects.ts";
import { conditionsOf } from "./search-conditions.ts";
import { valuesAsked } from "./session-values.ts";

/** Texts that are looked at, the newest that fit; and of those how many are ranked. */
const FOUND = 5000;
const RANKED = 1000;
/** A page without counts, as for completion, looks at fewer. */
const FEW = 1000;

type FoundRow = {
  readonly project: string;
  readonly session: string;
  readonly seq: number;
  readonly piece: number;
  readonly kind: SearchKind;
  readonly tool: string;
  readonly at: number | null;
  readonly tokens: number;
  readonly is_error: boolean;
  readonly score: number;
};

export async function fleetSearch(
  fleet: Fleet,
  request: SearchRequest,
  visible: Projects,
  { now, sessions: known }: { readonly now: number; readonly sessions: number },
): Promise<SearchAnswer> {
  const startedAt = performance.now();
  const parsed = parseSearch(request.q, now);
  const state = { notes: [...parsed.notes], index: { sessions: known, of: known }, scanned: null };
  const words = tsqueryOf(parsed.terms);
  if (words === null && parsed.filters.length === 0)
    return { ...NOTHING, hits: [], ...state, ms: performance.now() - startedAt };
  const most = request.facets === "0" ? FEW : FOUND;
  const isRanked = request.sort === "rank" && words !== null;
  const rows = await fleet.ask(() =>
    findTexts(fleet, { parsed, words, isRanked, most, session: request.session }, visible),
  );
  const isWhole = rows.length <= most;
  const found = rows.slice(0, most);
  const { matches, sessions, tools, keys } = await matchesOf(fleet, found, visible);
  const ordered = isRanked
    ? onePerEvent([...byScore(matches.slice(0, RANKED), now), ...matches.slice(RANKED)])
    : firstPieces(matches);
  const counted = countedOf(onePerEvent(matches));
  const page = onlyBest(ordered, request.by).slice(request.offset, request.offset + request.limit);
  const texts = await textsOf(
    fleet,
    page.map((match) => found[keys.get(match)!]!),
  );
  return {
    hits: await shownHits(
      page,
      { parsed, expression: matchExpression(parsed), sessions, tools, regexes: [] },
      async (match) => {
        const text = texts.get(keyOf(found[keys.get(match)!]!));
        return text === undefined ? null : { text, artifact: null, startLine: 1 };
      },
    ),
    total: ordered.length,
    sessions: counted.size,
    isWhole,
    order: !isRanked ? "newest" : found.length <= RANKED && isWhole ? "rank" : "recent",
    facets: request.facets === "0" ? null : facetsOf(counted, sessions, tools),
    ...state,
    ms: performance.now() - startedAt,
  };
}

const NOTHING = { total: 0, sessions: 0, isWhole: true, order: "rank", facets: null } as const;

type Asked = {
  readonly parsed: SearchQuery;
  readonly words: string | null;
  readonly isRanked: boolean;
  readonly most: number;
  readonly session: string | undefined;
};

/** Texts that are about as quickly read one after the other, the newest first, as found by their words and sorted. */
const MANY = 60_000;

async function findTexts(
  fleet: Fleet,
  { parsed, words, isRanked, most, session }: Asked,
  visible: Projects,
): Promise<readonly FoundRow[]> {
  const { sql } = fleet;
  const ofSession = conditionsOf(fleet, parsed.filters, "session", await valuesAsked(fleet, parsed.filters, visible));
  const conditions = [
    conditionsOf(fleet, parsed.filters, "text"),
    session === undefined
      ? null
      : sql`t.session IN (SELECT id FROM sessions WHERE id = ${session} OR native_id = ${session})`,
  ];
  const rest = conditions.reduce<Fragment>(
    (all, one) => (one === null ? all : sql`${all} AND ${one}`),
    inProjects(fleet, visible, "t.project"),
  );
  const query = sql`to_tsquery('plimsoll', ${words ?? ""})`;
  const from = sql`session_texts t`;
  // The database believes that a phrase is as frequent as its words are together, and then reads a million texts for a rare one. So where
  // few are expected, or a phrase is asked for, it has to begin with the words.
  const texts = words === null ? null : await expectedTexts(fleet, words);
  const isNewestFirst = texts === null || texts >= (words!.includes("<->") ? 5 * MANY : MANY);
  const table = isNewestFirst ? from : sql`(SELECT * FROM ${from} WHERE t.words @@ ${query} OFFSET 0) t`;
  const isEachAsked =
    isNewestFirst && texts !== null && ofSession !== null && (await areSoonFound(fleet, texts, ofSession));
  return sql<FoundRow[]>`
    WITH found AS MATERIALIZED (
      SELECT t.project, t.session, t.seq, t.piece, t.kind, t.tool, t.at, t.tokens, t.is_error,
        ${isRanked ? sql`t.words` : sql`NULL::tsvector AS words`}
      FROM ${table} ${ofSession === null || isEachAsked ? sql`` : sql`JOIN searched_sessions s ON s.project = t.project AND s.id = t.session`}
      WHERE ${rest} ${ofSession === null ? sql`` : isEachAsked ? ofItsSession(fleet, ofSession) : sql`AND ${ofSession}`}
        ${words !== null && isNewestFirst ? sql`AND t.words @@ ${query}` : sql``}
      ORDER BY t.at DESC NULLS LAST, t.project, t.session, t.seq DESC, abs(t.piece) DESC LIMIT ${most + 1})
    SELECT project, session, seq, piece, kind, tool, at, tokens, is_error,
      ${isRanked ? sql`CASE WHEN row_number() OVER () <= ${RANKED} THEN ts_rank(words, ${query}) ELSE 0 END` : sql`0::real`} AS score
    FROM found`;
}

/** Asked of one text after the other: the database would else begin with all sessions that fit. */
const ofItsSession = ({ sql }: Fleet, condition: Fragment): Fragment =>
  sql`AND (SELECT ${condition} FROM searched_sessions s WHERE s.project = t.project AND s.id = t.session)`;

/** How many texts the database expects to have these words; nothing is read for it. */
const expectedTexts = ({ sql }: Fleet, words: string): Promise<number> =>
  expectedRows(sql<Plan[]>`EXPLAIN (FORMAT JSON)
    SELECT 1 FROM session_texts WHERE words @@ to_tsquery('plimsoll', ${words})`);

/**
 * Whether the newest texts, read until enough of them fit, are a fifth at most of those that have the words. A word of nearly all
 * texts in a folder of every third of 200,000 sessions: 15,000 texts are read, and it takes 148 ms instead of 935.
 */
async function areSoonFound({ sql }: Fleet, texts: number, condition: Fragment): Promise<boolean> {
  const [all, sessions, fitting] = await Promise.all([
    expectedRows(sql<Plan[]>`EXPLAIN (FORMAT JSON) SELECT 1 FROM session_texts`),
    expectedRows(sql<Plan[]>`EXPLAIN (FORMAT JSON) SELECT 1 FROM searched_sessions`),
    expectedRows(sql<Plan[]>`EXPLAIN (FORMAT JSON) SELECT 1 FROM searched_sessions s WHERE ${condition}`),
  ]);
  const share = (texts / all) * (fitting / sessions);
  return FOUND / share <= texts / 5;
}

type Plan = { readonly "QUERY PLAN": readonly { readonly Plan: { readonly "Plan Rows": number } }[] };

async function expectedRows(plan: PromiseLike<readonly Plan[]>): Promise<number> {
  const [row] = await plan;
  return row!["QUERY PLAN"][0]!.Plan["Plan Rows"];
}

/** Rows as the functions of one machine take them, whose keys are numbers. */
async function matchesOf(fleet: Fleet, rows: readonly FoundRow[], visible: Projects) {
  const { sql, ask } = fleet;
  const ids = [...new Set(rows.map(({ session }) => session))];
  const known =
    ids.length === 0
      ? []
      : await ask(
          () => sql<(Omit<SearchedSession, "pk" | "parent_pk"> & { project: string })[]>`
            SELECT project, id, title, format, model, cwd, branch, usd, started_at FROM sessions
            WHERE id = ANY(${ids}) AND ${inProjects(fleet, visible)}`,
        );
  const pks = new Map(known.map(({ project, id }, n) => [`${project} ${id}`, n + 1]));
  const sessions = new Map(
    known.map((row, n): [number, SearchedSession] => [
      n + 1,
      { ...row, pk: n + 1, parent_pk: null, agent: labelOf(row.format) },
    ]),
  );
  const tools = new Map(
    [...new Set(rows.flatMap(({ tool }) => (tool === "" ? [] : [tool])))].map((name, n) => [name, n + 1]),
  );
  const keys = new Map<Match, number>();
  const matches = rows.flatMap((row, n) => {
    const session = pks.get(`${row.project} ${row.session}`);
    if (session === undefined) return [];
    const match: Match = {
      id: rows.length - n,
      session,
      seq: row.seq,
      piece: row.piece,
      kind: SEARCH_KINDS.indexOf(row.kind),
      tool: tools.get(row.tool) ?? 0,
      ts: row.at,
      tokens: row.tokens,
      flags: row.is_error ? IS_ERROR : 0,
      score: -row.score,
    };
    keys.set(match, n);
    return [match];
  });
  return { matches, sessions, tools, keys };
}

const keyOf = ({
  project,
  session,
  seq,
  piece,
  kind,
}: Pick<FoundRow, "project" | "session" | "seq" | "piece" | "kind">): string =>
  JSON.stringify([project, session, seq, piece, kind]);

async function textsOf({ sql, ask }: Fleet, rows: readonly FoundRow[]): Promise<ReadonlyMap<string, string>> {
  if (rows.length === 0) return new Map();
  const wanted = rows.map(({ project, session, seq, piece, kind }) => ({ project, session, seq, piece, kind }));
  const found = await ask(
    () => sql<(FoundRow & { text: string })[]>`
      SELECT t.project, t.session, t.seq, t.piece, t.kind, t.text
      FROM jsonb_to_recordset(${sql.json(wanted)}) AS w(project text, session text, seq integer, piece integer, kind text)
      JOIN session_texts t ON t.project = w.project AND t.session = w.session AND t.seq = w.seq AND t.piece = w.piece AND t.kind = w.kind`,
  );
  return new Map(found.map((row) => [keyOf(row), row.text]));
}
