// Which events of one session a query finds.
import { SEARCH_KINDS } from "#lib/kernel/search/search-fields.ts";
import { parseSearch } from "#lib/kernel/search/search-query.ts";
import type { Archive } from "../base/archive-type.ts";
import { readIndexOf } from "../base/search-file.ts";
import { runSearch, type SearchTask } from "../base/search-task.ts";
import { orderedMatches } from "./ordered-matches.ts";
import { staleSessions } from "./search-index.ts";
import { sessionsOf } from "./searched-sessions.ts";

type Request = { readonly pk: number; readonly q: string };
export type FoundEvents = { readonly seqs: readonly number[]; readonly isWhole: boolean };

export const findEventsTask = { name: "events", run: findHere } satisfies SearchTask<Request, FoundEvents>;

/** In the order of the session. Not whole, too, where it went on since it was indexed. */
export const findEvents = (archive: Archive, pk: number, q: string): Promise<FoundEvents> =>
  runSearch(archive, findEventsTask, { pk, q });

async function findHere(archive: Archive, { pk, q }: Request): Promise<FoundEvents> {
  const parsed = parseSearch(q, archive.host.now());
  const index = readIndexOf(archive);
  const among = sessionsOf(archive, parsed.filters);
  if (among?.has(pk) === false) return { seqs: [], isWhole: true };
  if (index === null) return { seqs: [], isWhole: false };
  const asked = new Set([pk]);
  const { matches, isWhole } = await orderedMatches(archive, index, parsed, { sort: "newest", asked });
  const seqs = matches.flatMap(({ seq, kind }) => (SEARCH_KINDS[kind] === "memory" ? [] : [seq]));
  const isIndexed = !staleSessions(archive, index).has(pk);
  return { seqs: [...new Set(seqs)].toSorted((a, b) => a - b), isWhole: isWhole && isIndexed };
}
