// The matches of a query, counted and in the order in which they are shown.
import type { Sqlite } from "#db/connection.ts";
import type { MatchExpression } from "#lib/kernel/search/match-expression.ts";
import { SEARCH_KINDS } from "#lib/kernel/search/search-fields.ts";
import type { SearchAnswer, SearchRequest } from "#lib/wire/search-schema.ts";
import { eachMatch, matchOf, scoresFrom, type Match, type matchFilter } from "./find-matches.ts";
import type { Counted } from "./search-facets.ts";
import { TOOLS } from "./tool-key.ts";

/** Matches that are ranked, the newest of all that were found. */
export const RANKED = 5000;
/** An event of today counts twice as much as an old one; after so long one and a half times as much. */
const RECENT_MS = 30 * 86_400_000;

export type Asked = {
  readonly expression: MatchExpression;
  readonly where: ReturnType<typeof matchFilter>;
  readonly sessions: ReadonlyMap<number, unknown>;
  readonly sort: SearchRequest["sort"];
  readonly keepsPieces: boolean;
  /** Matches that are counted. */
  readonly most: number;
  /** Matches that are shown, the newest of those. */
  readonly shown: number;
};

/** All matches counted, and those that may be shown in their order, each event once. */
export function findOrdered(
  index: Sqlite,
  now: number,
  { expression, where, sessions, sort, keepsPieces, most, shown }: Asked,
) {
  const found = countMatches(eachMatch(index, expression, where, most + 1), sessions, { most, shown });
  const { first } = found;
  const isByDate = sort === "newest" || expression.match === null;
  // Of very many matches the order is that of time: to weigh each word takes as long as to count all.
  const isRanked = found.isWhole && !isByDate && first.length > 0;
  const scores = isRanked ? scoresFrom(index, expression, where, first.at(-1)!.id) : null;
  const known = first.filter(({ session }) => sessions.has(session));
  const matches = scores === null ? known : known.map((match) => ({ ...match, score: scores.get(match.id) ?? 0 }));
  // A regular expression may stand in any piece.
  const ordered = keepsPieces ? matches : isByDate ? firstPieces(matches) : onePerEvent(byScore(matches, now));
  const order: SearchAnswer["order"] =
    isByDate || keepsPieces ? "newest" : found.isWhole && first.length < RANKED ? "rank" : "recent";
  return { found, ordered, order };
}

type Found = {
  readonly events: number;
  readonly isWhole: boolean;
  readonly counted: Counted;
  /** Those that may be shown, the newest first. */
  readonly first: readonly Match[];
};

/** Pieces of one output stand next to each other, and count once. */
function countMatches(
  rows: ReturnType<typeof eachMatch>,
  known: ReadonlyMap<number, unknown>,
  { most, shown }: Pick<Asked, "most" | "shown">,
): Found {
  const counted: Counted = new Map();
  const first: Match[] = [];
  let [events, matches] = [0, 0];
  let [lastSession, lastSeq] = [-1, -1];
  for (const row of rows) {
    if (++matches > most) return { events, isWhole: false, counted, first };
    if (matches <= shown) first.push(matchOf(row));
    const [, session, seq, , kind, tool] = row;
    if (!known.has(session)) continue;
    if (session === lastSession && seq === lastSeq) continue;
    [lastSession, lastSeq] = [session, seq];
    events++;
    note(counted, session, kind, tool);
  }
  return { events, isWhole: true, counted, first };
}

function note(counted: Counted, session: number, kind: number, tool: number): void {
  let own = counted.get(session);
  if (own === undefined) counted.set(session, (own = new Map()));
  const key = kind * TOOLS + tool;
  own.set(key, (own.get(key) ?? 0) + 1);
}

export function countedOf(matches: readonly Match[]): Counted {
  const counted: Counted = new Map();
  for (const { session, kind, tool } of matches) note(counted, session, kind, tool);
  return counted;
}

const USER = SEARCH_KINDS.indexOf("user");
/** What a person wrote says what a session was about. */
const USER_WEIGHT = 1.3;

export const byScore = (matches: readonly Match[], now: number): readonly Match[] =>
  matches
    .map((match) => ({ match, score: -match.score * recency(match.ts, now) * (match.kind === USER ? USER_WEIGHT : 1) }))
    .sort((a, b) => b.score - a.score || b.match.id - a.match.id)
    .map(({ match }) => match);

const recency = (ts: number | null, now: number): number =>
  ts === null ? 1 : 1 + 1 / (1 + Math.max(0, now - ts) / RECENT_MS);

const eventOf = ({ session, seq, kind }: Match): string =>
  `${session} ${seq} ${SEARCH_KINDS[kind] === "memory" ? "memory" : ""}`;

/** Without words every piece of an output fits: its first one stands for it. */
export function firstPieces(matches: readonly Match[]): readonly Match[] {
  const first = new Map<string, Match>();
  for (const match of matches) first.set(eventOf(match), match);
  return [...first.values()];
}

export function onePerEvent(matches: readonly Match[]): readonly Match[] {
  const seen = new Set<string>();
  return matches.filter((match) => {
    const key = eventOf(match);
    return !seen.has(key) && seen.add(key);
  });
}
