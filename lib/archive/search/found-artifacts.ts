// Which artifacts a query finds. Words alone are looked for in names, as a list that narrows down while somebody types them;
// a field, a phrase or a regular expression asks the index, which has what is stored.
import { isPlainQuery, parseSearch } from "#lib/kernel/search/search-query.ts";
import type { Archive } from "../base/archive-type.ts";
import { eventRowId } from "../base/row-keys.ts";
import { readIndexOf } from "../base/search-file.ts";
import { runSearch, type SearchTask } from "../base/search-task.ts";
import { orderedMatches } from "./ordered-matches.ts";
import { isOfSession, sessionsOf } from "./searched-sessions.ts";

/** Artifacts of these sessions, or of these events. */
export type FoundArtifacts =
  | "names"
  | { readonly sessions: readonly number[] | null; readonly events: readonly number[] };

type Request = { readonly q: string };
export const findArtifactsTask = { name: "artifacts", run: findHere } satisfies SearchTask<Request, FoundArtifacts>;

export const findArtifacts = (archive: Archive, q: string): Promise<FoundArtifacts> =>
  runSearch(archive, findArtifactsTask, { q });

/** Newest outputs that are looked at. */
const MOST = 50_000;

async function findHere(archive: Archive, { q }: Request): Promise<FoundArtifacts> {
  const parsed = parseSearch(q, archive.host.now());
  if (isPlainQuery(parsed)) return "names";
  const asked = sessionsOf(archive, parsed.filters);
  if (asked !== null && parsed.terms.length === 0 && parsed.filters.every(isOfSession))
    return { sessions: [...asked], events: [] };
  const index = readIndexOf(archive);
  if (index === null) return { sessions: null, events: [] };
  const { matches } = await orderedMatches(archive, index, parsed, {
    ...{ sort: "newest", asked, most: MOST, shown: MOST, isStored: true },
  });
  return { sessions: null, events: [...new Set(matches.map(({ session, seq }) => eventRowId(session, seq)))] };
}
