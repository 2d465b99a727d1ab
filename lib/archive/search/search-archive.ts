// Search over everything that the archive has: the words are found in the index, and of the matches that are shown the text is read.
import type { Sqlite } from "#db/connection.ts";
import { matchExpression, type MatchExpression } from "#lib/kernel/search/match-expression.ts";
import { SEARCH_KINDS } from "#lib/kernel/search/search-fields.ts";
import { parseSearch } from "#lib/kernel/search/search-query.ts";
import type { SearchAnswer, SearchRequest } from "#lib/wire/search-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { readIndexOf } from "../base/search-file.ts";
import { runSearch, type SearchTask } from "../base/search-task.ts";
import { eachMatch, matchFilter, matchesFrom, toolKeys, type Match } from "./find-matches.ts";
import { facetsOf, type Counted } from "./search-facets.ts";
import { hitsOf } from "./search-hits.ts";
import { scanMatches } from "./scan-matches.ts";
import { indexState } from "./search-index.ts";
import { searchedSessions, sessionsOf } from "./searched-sessions.ts";
import { TOOLS } from "./tool-key.ts";

/** Matches that are counted: 50,000 take some 100 ms. A search that finds more says "50,000+". */
const COUNTED = 50_000;
/** Matches that are ranked, the newest of all that were found. */
const RANKED = 5000;
/** An event of today counts twice as much as an old one; after so long one and a half times as much. */
const RECENT_MS = 30 * 86_400_000;

type SearchOptions = SearchRequest & { readonly signal?: AbortSignal };

export const searchTask = { name: "search", run: searchHere } satisfies SearchTask<SearchRequest, SearchAnswer>;

export const searchArchive = (archive: Archive, { signal, ...request }: SearchOptions): Promise<SearchAnswer> =>
  runSearch(archive, searchTask, request, signal);

async function searchHere(archive: Archive, request: SearchRequest, signal?: AbortSignal): Promise<SearchAnswer> {
  const startedAt = performance.now();
  const parsed = parseSearch(request.q, archive.host.now());
  const index = readIndexOf(archive);
  const state = { notes: [...parsed.notes], index: indexState(archive, index) };
  const isEmpty = parsed.terms.length === 0 && parsed.filters.length === 0;
  if (index === null || isEmpty) return { ...NOTHING, ...state, ms: performance.now() - startedAt };
  const sessions = searchedSessions(archive);
  const tools = toolKeys(index);
  const own = request.session === undefined ? null : findSession(archive, request.session);
  const where = matchFilter(parsed.filters, seenSessions(sessionsOf(sessions, parsed.filters), own), tools);
  const expression = matchExpression(parsed);
  const regexes = parsed.terms.filter(({ kind }) => kind === "regex");
  const keepsPieces = regexes.length > 0;
  const asked = {
    expression,
    where,
    sessions,
    sort: request.sort,
    keepsPieces,
    most: request.facets === "0" ? RANKED : COUNTED,
  };
  const { found, ordered, order } = findOrdered(archive, index, asked);
  const scan = regexes.length === 0 ? null : await scanMatches(archive, ordered, regexes, signal);
  const matches = scan === null ? ordered : onePerEvent(scan.matches);
  const counted = scan === null ? found.counted : countedOf(matches);
  const isWhole = found.isWhole && (scan === null || (scan.isWhole && scan.scanned >= found.events));
  const page = onlyBest(matches, request.by).slice(request.offset, request.offset + request.limit);
  return {
    hits: await hitsOf(archive, page, { parsed, expression, sessions, tools, regexes }),
    total: scan === null ? found.events : matches.length,
    sessions: counted.size,
    isWhole,
    order,
    facets: request.facets === "0" ? null : facetsOf(counted, sessions, tools),
    scanned: scan === null ? null : { matches: scan.scanned, of: found.events, isWhole },
    ...state,
    ms: performance.now() - startedAt,
  };
}

type Asked = {
  readonly expression: MatchExpression;
  readonly where: ReturnType<typeof matchFilter>;
  readonly sessions: ReadonlyMap<number, unknown>;
  readonly sort: SearchRequest["sort"];
  readonly keepsPieces: boolean;
  /** Matches that are counted. */
  readonly most: number;
};

/** All matches counted, and those that may be shown in their order, each event once. */
function findOrdered(archive: Archive, index: Sqlite, { expression, where, sessions, sort, keepsPieces, most }: Asked) {
  const found = countMatches(eachMatch(index, expression, where, most + 1), sessions, most);
  const isByDate = sort === "newest" || expression.match === null;
  const isRanked = found.isRanked && !isByDate;
  const read = found.events === 0 ? [] : matchesFrom(index, expression, where, { from: found.from, isRanked });
  const matches = read.filter(({ session }) => sessions.has(session));
  // A regular expression may stand in any piece.
  const ordered = keepsPieces
    ? matches
    : isByDate
      ? firstPieces(matches)
      : onePerEvent(byScore(matches, archive.host.now()));
  const order: SearchAnswer["order"] =
    isByDate || keepsPieces ? "newest" : isRanked && read.length < RANKED ? "rank" : "recent";
  return { found, ordered, order };
}

const NOTHING = {
  hits: [],
  total: 0,
  sessions: 0,
  isWhole: true,
  order: "rank",
  facets: null,
  scanned: null,
} as const satisfies Partial<SearchAnswer>;

function seenSessions(asked: ReadonlySet<number> | null, own: number | null): ReadonlySet<number> | null {
  if (own === null) return asked;
  return new Set(asked === null || asked.has(own) ? [own] : []);
}

type Found = {
  readonly events: number;
  readonly isWhole: boolean;
  readonly counted: Counted;
  /** The oldest match that is ranked. */
  readonly from: number;
  /** Of very many matches the order is that of time: to weigh each word takes as long as to count all. */
  readonly isRanked: boolean;
};

/** Pieces of one output stand next to each other, and count once. */
function countMatches(
  rows: Iterable<[number, number, number, number, number]>,
  known: ReadonlyMap<number, unknown>,
  most: number,
): Found {
  const counted: Counted = new Map();
  let [events, matches, from] = [0, 0, 0];
  let [lastSession, lastSeq] = [-1, -1];
  for (const [session, seq, kind, tool, id] of rows) {
    if (++matches > most) return { events, isWhole: false, counted, from, isRanked: false };
    if (matches <= RANKED) from = id;
    if (!known.has(session)) continue;
    if (session === lastSession && seq === lastSeq) continue;
    [lastSession, lastSeq] = [session, seq];
    events++;
    note(counted, session, kind, tool);
  }
  return { events, isWhole: true, counted, from, isRanked: true };
}

function note(counted: Counted, session: number, kind: number, tool: number): void {
  let own = counted.get(session);
  if (own === undefined) counted.set(session, (own = new Map()));
  const key = kind * TOOLS + tool;
  own.set(key, (own.get(key) ?? 0) + 1);
}

function countedOf(matches: readonly Match[]): Counted {
  const counted: Counted = new Map();
  for (const { session, kind, tool } of matches) note(counted, session, kind, tool);
  return counted;
}

const USER = SEARCH_KINDS.indexOf("user");
/** What a person wrote says what a session was about. */
const USER_WEIGHT = 1.3;

const byScore = (matches: readonly Match[], now: number): readonly Match[] =>
  matches
    .map((match) => ({ match, score: -match.score * recency(match.ts, now) * (match.kind === USER ? USER_WEIGHT : 1) }))
    .sort((a, b) => b.score - a.score || b.match.id - a.match.id)
    .map(({ match }) => match);

const recency = (ts: number | null, now: number): number =>
  ts === null ? 1 : 1 + 1 / (1 + Math.max(0, now - ts) / RECENT_MS);

const eventOf = ({ session, seq, kind }: Match): string =>
  `${session} ${seq} ${SEARCH_KINDS[kind] === "memory" ? "memory" : ""}`;

/** Without words every piece of an output fits: its first one stands for it. */
function firstPieces(matches: readonly Match[]): readonly Match[] {
  const first = new Map<string, Match>();
  for (const match of matches) first.set(eventOf(match), match);
  return [...first.values()];
}

function onePerEvent(matches: readonly Match[]): readonly Match[] {
  const seen = new Set<string>();
  return matches.filter((match) => {
    const key = eventOf(match);
    return !seen.has(key) && seen.add(key);
  });
}

function onlyBest(matches: readonly Match[], by: SearchRequest["by"]): readonly Match[] {
  if (by === "match") return matches;
  const seen = new Set<number>();
  return matches.filter(({ session }) => !seen.has(session) && seen.add(session));
}
