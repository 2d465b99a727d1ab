// A query's matches, tried with its regular expressions, in the order in which they are shown.
import type { Sqlite } from "#db/connection.ts";
import type { SearchQuery, SearchTerm } from "#lib/kernel/search/search-query.ts";
import type { SearchRequest } from "#lib/wire/search-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { matchFilter, newestOfSessions, toolKeys } from "./find-matches.ts";
import { countedOf, findOrdered, onePerEvent, RANKED } from "./order-matches.ts";
import { scanMatches } from "./scan-matches.ts";
import { markRows, searchedSessions } from "./searched-sessions.ts";
import { askedWords } from "./word-beginnings.ts";

type Order = {
  readonly sort: SearchRequest["sort"];
  /** Sessions that the query is about; null: all. */
  readonly asked: ReadonlySet<number> | null;
  /** Matches that are counted. */
  readonly most?: number;
  /** Matches that are shown, the newest of those. */
  readonly shown?: number;
  /** In stored outputs alone. */
  readonly isStored?: boolean;
  /** At least one match of each session, however many others have. */
  readonly hasEachSession?: boolean;
  readonly signal?: AbortSignal;
};

/** Matches that a regular expression is tried on, the newest: more than there is time for. */
export const TRIED = 50_000;

export async function orderedMatches(
  archive: Archive,
  index: Sqlite,
  parsed: SearchQuery,
  {
    sort,
    asked,
    most: counted = RANKED,
    shown: ranked = RANKED,
    isStored = false,
    hasEachSession = false,
    signal,
  }: Order,
) {
  const regexes = regexesOf(parsed);
  const isTried = regexes.length > 0;
  const most = isTried ? Math.max(counted, TRIED) : counted;
  const shown = isTried ? Math.max(ranked, TRIED) : ranked;
  const { expression, where: words } = askedWords(archive, parsed);
  const where = matchFilter(parsed.filters, asked, toolKeys(index), {
    marks: markRows(archive, parsed.filters),
    ...{ isStored, words },
  });
  const sessions = searchedSessions(archive);
  const { found, ordered, order } = findOrdered(index, archive.host.now(), {
    ...{ expression, where, sessions },
    keepsPieces: isTried,
    ...{ sort, most, shown },
  });
  const scan = regexes.length === 0 ? null : await scanMatches(archive, ordered, regexes, signal);
  if (hasEachSession && scan === null && found.first.length >= shown) {
    const each = newestOfSessions(index, expression, where).filter(({ match }) => sessions.has(match.session));
    const ranked = new Set(ordered.map(({ session }) => session));
    const others = each.flatMap(({ match }) => (ranked.has(match.session) ? [] : [match]));
    const total = each.reduce((sum, { events }) => sum + events, 0);
    return {
      ...{ found, scan, order, total, counted: found.counted, isWhole: true },
      matches: [...ordered, ...others],
      sessionsFound: each.length,
    };
  }
  const matches = scan === null ? ordered : onePerEvent(scan.matches);
  const counts = scan === null ? found.counted : countedOf(matches);
  return {
    ...{ found, matches, scan, order, counted: counts },
    total: scan === null ? found.events : matches.length,
    sessionsFound: counts.size,
    isWhole: found.isWhole && (scan === null || (scan.isWhole && scan.scanned >= found.events)),
  };
}

export const regexesOf = ({ terms }: Pick<SearchQuery, "terms">): readonly SearchTerm[] =>
  terms.filter(({ kind }) => kind === "regex");
