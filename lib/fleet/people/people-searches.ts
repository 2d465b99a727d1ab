// Searches that somebody saved under a name, on every node. Each person has their own, as their roles may differ.
import { fail } from "#lib/kernel/errors.ts";
import type { SavedSearch, SearchesAnswer } from "#lib/wire/marks-schema.ts";
import type { Fleet } from "../open-fleet.ts";
import { EVERY_PROJECT, insertDeletion, type DeletedBy } from "./audit.ts";

/** A query has 2,000 characters at most, so of one owner it is 1 MB. */
export const MOST_SAVED = 500;

export type SavedSearches = {
  list(owner: string): Promise<SearchesAnswer>;
  /** The same name again has the new query. */
  save(owner: string, search: Pick<SavedSearch, "name" | "query">): Promise<SavedSearch>;
  drop(owner: string, name: string, by: DeletedBy): Promise<{ readonly deleted: true }>;
};

type Row = { readonly name: string; readonly query: string; readonly at: Date };
const shown = ({ name, query, at }: Row): SavedSearch => ({ name, query, createdAt: at.toISOString() });

export const savedSearches = ({ sql, ask }: Fleet): SavedSearches => ({
  async list(owner) {
    const rows = await ask(
      () =>
        sql<
          Row[]
        >`SELECT name, query, at FROM saved_searches WHERE owner = ${owner} ORDER BY lower(name), name COLLATE "C"`,
    );
    return { searches: rows.map(shown) };
  },
  async save(owner, { name, query }) {
    const [row] = await ask(
      () => sql<Row[]>`INSERT INTO saved_searches (owner, name, query) SELECT ${owner}, ${name}, ${query}
        WHERE (SELECT count(*) FROM saved_searches WHERE owner = ${owner} AND name <> ${name}) < ${MOST_SAVED}
        ON CONFLICT (owner, name) DO UPDATE SET query = excluded.query RETURNING name, query, at`,
    );
    if (row === undefined) return fail("too_large", `You saved ${MOST_SAVED} searches. Delete one of them first.`);
    return shown(row);
  },
  async drop(owner, name, by) {
    await ask(() =>
      sql.begin(async (tx) => {
        const rows = await tx`DELETE FROM saved_searches WHERE owner = ${owner} AND name = ${name} RETURNING 1`;
        if (rows.length === 0) fail("not_found", `You saved no search as "${name}". The page Search lists yours.`);
        await insertDeletion(tx, by, { project: EVERY_PROJECT, what: `saved search "${name}"` });
      }),
    );
    return { deleted: true };
  },
});
