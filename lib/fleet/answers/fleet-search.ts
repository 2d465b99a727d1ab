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
import { SEARCH_KINDS } from "#lib/kernel/search/search-fields.ts";
import { parseSearch } from "#lib/kernel/search/search-query.ts";
import type { SearchAnswer, SearchRequest } from "#lib/wire/search-schema.ts";
import { tsqueryOf } from "../lexemes.ts";
import type { Fleet } from "../open-fleet.ts";
import { inProjects, type Projects } from "../visible-projects.ts";
import { findTexts, RANKED, type FoundRow } from "./find-texts.ts";

/** Texts that are looked at, the newest that fit. */
const FOUND = 5000;
/** A page without counts, as for completion, looks at fewer. */
const FEW = 1000;

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
    findTexts(fleet, { filters: parsed.filters, words, isRanked, most, session: request.session }, visible),
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
