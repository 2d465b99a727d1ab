// Search over the sessions of a fleet: the database finds the newest texts that fit, the functions of one machine count, rank and
// show them. Where more fit than are looked at, the answer says "at least".
import type { Match } from "#lib/archive/search/find-matches.ts";
import { byScore, countedOf, firstPieces, onePerEvent } from "#lib/archive/search/order-matches.ts";
import { onlyBest } from "#lib/archive/search/search-archive.ts";
import { facetsOf, type CountedSession } from "#lib/archive/search/search-facets.ts";
import type { ShownSession } from "#lib/archive/search/search-hits.ts";
import { showTextsTask } from "#lib/archive/search/text-tasks.ts";
import { runSearch } from "#lib/archive/base/search-task.ts";
import { IS_ERROR } from "#lib/archive/search/fill-index.ts";
import { matchExpression } from "#lib/kernel/search/match-expression.ts";
import { SEARCH_KINDS } from "#lib/kernel/search/search-fields.ts";
import { parseSearch } from "#lib/kernel/search/search-query.ts";
import type { SearchAnswer, SearchRequest } from "#lib/wire/search-schema.ts";
import { wordQuery } from "../lexemes.ts";
import type { Fleet, Fragment } from "../open-fleet.ts";
import type { Projects } from "../visible-projects.ts";
import { findTexts, RANKED } from "./find-texts.ts";
import { keyOf, textsOf, type FoundRow } from "./found-texts.ts";
import { patternsOf, triedTexts, type Asking } from "./tried-texts.ts";

/** Texts that are looked at, the newest that fit. */
const FOUND = 5000;
/** A page without counts, as for completion, looks at fewer. */
const FEW = 1000;

export async function fleetSearch(
  fleet: Fleet,
  request: SearchRequest,
  visible: Projects,
  asking: Asking & { readonly sessions: number },
): Promise<SearchAnswer> {
  const startedAt = performance.now();
  const { now, sessions: known } = asking;
  const parsed = parseSearch(request.q, now);
  const patterns = patternsOf(parsed);
  const state = { notes: [...parsed.notes], index: { sessions: known, of: known } };
  const words = wordQuery(parsed.terms);
  if (words === null && patterns.length === 0 && parsed.filters.length === 0)
    return { ...NOTHING, hits: [], ...state, ms: performance.now() - startedAt };
  const asked = { filters: parsed.filters, words, session: request.session };
  const tried = patterns.length === 0 ? null : await triedTexts(fleet, asking, { ...asked, patterns }, visible);
  const most = tried !== null ? tried.rows.length : request.facets === "0" ? FEW : FOUND;
  const isRanked = request.sort === "rank" && words !== null && tried === null;
  const rows = tried?.rows ?? (await fleet.ask(() => findTexts(fleet, { ...asked, isRanked, most }, visible)));
  const isWhole = tried?.scanned.isWhole ?? rows.length <= most;
  const found = rows.slice(0, most);
  const { matches, sessions, tools, keys } = await matchesOf(fleet, found);
  const ordered = isRanked
    ? onePerEvent([...byScore(matches.slice(0, RANKED), now), ...matches.slice(RANKED)])
    : firstPieces(matches);
  const counted = countedOf(onePerEvent(matches));
  const page = onlyBest(ordered, request.by).slice(request.offset, request.offset + request.limit);
  const shown = page.map((match) => found[keys.get(match)!]!);
  const [texts, titled] = await Promise.all([textsOf(fleet, shown), titledOf(fleet, sessions, page)]);
  const pageTexts = page.flatMap((match, n) => {
    const text = texts.get(keyOf(shown[n]!));
    return text === undefined ? [] : [[match, text] as const];
  });
  const expression = matchExpression(parsed);
  return {
    hits: await runSearch(asking, showTextsTask, {
      page: pageTexts,
      shown: { parsed, expression, sessions: titled, tools, regexes: patterns },
    }),
    total: ordered.length,
    sessions: counted.size,
    isWhole,
    order: !isRanked ? "newest" : found.length <= RANKED && isWhole ? "rank" : "recent",
    facets: request.facets === "0" ? null : facetsOf(counted, sessions, tools),
    scanned: tried?.scanned ?? null,
    ...state,
    ms: performance.now() - startedAt,
  };
}

const NOTHING = { total: 0, sessions: 0, isWhole: true, order: "rank", facets: null, scanned: null } as const;

/** What the counts beside the results ask of a session; its title is looked up for those that are shown. */
type FoundSession = CountedSession & { readonly project: string; readonly id: string };

/** Rows as the functions of one machine take them, whose keys are numbers. */
async function matchesOf(fleet: Fleet, rows: readonly FoundRow[]) {
  // A text's own project and session, so that each is one step in the key's index: by id alone, 5,000 took 560 ms of a million.
  const named = new Map(rows.map((row) => [nameOf(row.project, row.session), row]));
  const known = await sessionsOf(fleet, [...named.values()]);
  const pks = new Map(known.map(({ project, id }, n) => [nameOf(project, id), n + 1]));
  const sessions = new Map(known.map((row, n): [number, FoundSession] => [n + 1, row]));
  const tools = new Map(
    [...new Set(rows.flatMap(({ tool }) => (tool === "" ? [] : [tool])))].map((name, n) => [name, n + 1]),
  );
  const keys = new Map<Match, number>();
  const matches = rows.flatMap((row, n) => {
    const session = pks.get(nameOf(row.project, row.session));
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

const nameOf = (project: string, session: string): string => `${project} ${session}`;

type Named = { readonly project: string; readonly session: string };

/** Pairs of project and session as rows `w` with a number, for one step each in the index of keys. */
const pairs = ({ sql }: Fleet, named: readonly Named[]): Fragment =>
  sql`unnest(${named.map(({ project }) => project)}::text[], ${named.map(({ session }) => session)}::text[])
    WITH ORDINALITY w (project, session, n)`;

async function sessionsOf(fleet: Fleet, named: readonly Named[]): Promise<readonly FoundSession[]> {
  if (named.length === 0) return [];
  return fleet.ask(
    () => fleet.sql<FoundSession[]>`SELECT s.project, s.id, s.format, s.agent AS agent_name, s.model, s.cwd
      FROM ${pairs(fleet, named)} JOIN searched_sessions s ON s.project = w.project AND s.id = w.session`,
  );
}

/** The sessions of these matches as results show them. */
async function titledOf(
  fleet: Fleet,
  sessions: ReadonlyMap<number, FoundSession>,
  page: readonly Match[],
): Promise<ReadonlyMap<number, ShownSession>> {
  const pks = [...new Set(page.map(({ session }) => session))];
  if (pks.length === 0) return new Map();
  const shown = pks.map((pk) => sessions.get(pk)!);
  const named = shown.map(({ project, id }) => ({ project, session: id }));
  const rows = await fleet.ask(
    () => fleet.sql<{ n: number; title: string; started_at: number | null; agent_name: string }[]>`
      SELECT w.n::int AS n, s.title, s.started_at, s.row ->> 'agent' AS agent_name
      FROM ${pairs(fleet, named)} JOIN sessions s ON s.project = w.project AND s.id = w.session`,
  );
  return new Map(rows.map(({ n, ...said }) => [pks[n - 1]!, { ...shown[n - 1]!, ...said }]));
}
