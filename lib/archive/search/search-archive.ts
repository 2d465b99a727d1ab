// Search over everything that the archive has: the words are found in the index, and of the matches that are shown the text is read.
import { matchExpression } from "#lib/kernel/search/match-expression.ts";
import { parseSearch } from "#lib/kernel/search/search-query.ts";
import type { SearchAnswer, SearchRequest } from "#lib/wire/search-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { readIndexOf } from "../base/search-file.ts";
import { runSearch, type SearchTask } from "../base/search-task.ts";
import { toolKeys, type Match } from "./find-matches.ts";
import { RANKED } from "./order-matches.ts";
import { orderedMatches, regexesOf } from "./ordered-matches.ts";
import { facetsOf } from "./search-facets.ts";
import { hitsOf } from "./search-hits.ts";
import { indexState } from "./search-index.ts";
import { searchedSessions, sessionsOf, unsearchedMarks } from "./searched-sessions.ts";
import { exactly } from "#lib/kernel/exactly.ts";

/** Matches that are counted: 50,000 take some 100 ms. A search that finds more says "50,000+". */
const COUNTED = 50_000;

type SearchOptions = SearchRequest & { readonly signal?: AbortSignal };

export const searchTask = { name: "search", run: searchHere } satisfies SearchTask<SearchRequest, SearchAnswer>;

export const searchArchive = (archive: Archive, { signal, ...request }: SearchOptions): Promise<SearchAnswer> =>
  runSearch(archive, searchTask, request, signal);

async function searchHere(archive: Archive, request: SearchRequest, signal?: AbortSignal): Promise<SearchAnswer> {
  const startedAt = performance.now();
  const parsed = parseSearch(request.q, archive.host.now());
  const index = readIndexOf(archive);
  const unsearched = index === null ? 0 : unsearchedMarks(archive, index, parsed.filters);
  const notes = unsearched === 0 ? parsed.notes : [...parsed.notes, unsearchedNote(unsearched)];
  const state = { notes: [...notes], index: indexState(archive, index) };
  const isEmpty = parsed.terms.length === 0 && parsed.filters.length === 0;
  if (index === null || isEmpty) return { ...NOTHING, ...state, ms: performance.now() - startedAt };
  const sessions = searchedSessions(archive);
  const tools = toolKeys(index);
  const own = request.session === undefined ? null : findSession(archive, request.session);
  const asked = seenSessions(sessionsOf(archive, parsed.filters), own);
  const most = request.facets === "0" ? RANKED : COUNTED;
  const { found, matches, counted, scan, ...answer } = await orderedMatches(archive, index, parsed, {
    ...{ sort: request.sort, asked, most, hasEachSession: request.by === "session" },
    ...(signal !== undefined && { signal }),
  });
  const page = onlyBest(matches, request.by).slice(request.offset, request.offset + request.limit);
  return {
    hits: await hitsOf(archive, page, {
      parsed,
      expression: matchExpression(parsed),
      sessions,
      tools,
      regexes: regexesOf(parsed),
    }),
    total: answer.total,
    sessions: answer.sessionsFound,
    isWhole: answer.isWhole,
    order: answer.order,
    facets: request.facets === "0" ? null : facetsOf(counted, sessions, tools),
    scanned:
      scan === null
        ? null
        : { matches: scan.scanned, of: found.events, hasOlder: !found.isWhole, isWhole: answer.isWhole },
    ...state,
    ms: performance.now() - startedAt,
  };
}

const unsearchedNote = (count: number): string =>
  count === 1
    ? "Not shown: 1 marked event that is hidden or inherited. The list of sessions has its session."
    : `Not shown: ${exactly(count)} marked events that are hidden or inherited. The list of sessions has their sessions.`;

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

/** Of each session its best match, where that is asked for. */
export function onlyBest(matches: readonly Match[], by: SearchRequest["by"]): readonly Match[] {
  if (by === "match") return matches;
  const seen = new Set<number>();
  return matches.filter(({ session }) => !seen.has(session) && seen.add(session));
}
