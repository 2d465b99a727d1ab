// Which sessions made a commit or a pull request, from the index: it keeps their names beside the words.
import type { Sqlite } from "#db/connection.ts";
import type { FilterOf, SearchFilter } from "#lib/kernel/search/search-filter.ts";
import type { Archive } from "../base/archive-type.ts";
import { readIndexOf } from "../base/search-file.ts";
import type { MadeInLog } from "./made-in-log.ts";

export type MadeFilter = FilterOf<"commit"> | FilterOf<"pr">;

export const isOfMade = (filter: SearchFilter): filter is MadeFilter =>
  filter.field === "commit" || filter.field === "pr";

/** A commit's name, or the address of a pull request. */
export type MadeRow = { readonly kind: MadeFilter["field"]; readonly value: string };

export const madeRows = ({ commits, pulls }: MadeInLog): readonly MadeRow[] => [
  ...commits.map(({ sha }): MadeRow => ({ kind: "commit", value: sha })),
  ...pulls.map(({ url }): MadeRow => ({ kind: "pr", value: url })),
];

/** Takes the place of what the index had of the session. */
export function replaceMade(index: Sqlite, pk: number, made: MadeInLog): void {
  index.prepare("DELETE FROM made WHERE session = ?").run(pk);
  const insert = index.prepare("INSERT INTO made (session, kind, value) VALUES (?, ?, ?)");
  for (const { kind, value } of madeRows(made)) insert.run(pk, kind, value);
}

/** Of each filter that asks for one, the sessions. */
export function madeSessions(
  archive: Archive,
  filters: readonly SearchFilter[],
): ReadonlyMap<SearchFilter, ReadonlySet<number>> {
  const asked = filters.filter(isOfMade);
  if (asked.length === 0) return new Map();
  const index = readIndexOf(archive);
  const rows =
    index === null
      ? []
      : (index.prepare("SELECT session, kind, value FROM made").all() as (MadeRow & { readonly session: number })[]);
  return new Map(
    asked.map((filter) => {
      const found = rows.filter(({ kind, value }) => kind === filter.field && isNamed(filter, value));
      return [filter, new Set(found.map(({ session }) => session))];
    }),
  );
}

/** A commit by the start of its name, or by the whole of a longer one; a pull request by its number a part of its address, or `owner/name#12`. */
function isNamed({ field, value }: MadeFilter, known: string): boolean {
  const asked = value.toLowerCase();
  if (field === "commit") return known.startsWith(asked) || asked.startsWith(known);
  const [, repository, number] = /^(.+)#(\d+)$/.exec(asked) ?? [];
  if (repository !== undefined) return known.toLowerCase().includes(`/${repository}/`) && known.endsWith(`/${number}`);
  return /^#?\d+$/.test(asked) ? known.endsWith(`/${asked.replace("#", "")}`) : known.toLowerCase().includes(asked);
}
