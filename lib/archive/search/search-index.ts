// How far the index of an archive is, and what it does not have yet.
import type { Sqlite } from "#db/connection.ts";
import { query } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import { readIndexOf } from "../base/search-file.ts";

export type IndexedRow = {
  readonly session: number;
  readonly id: string;
  readonly version: number;
  readonly next_seq: number;
  readonly events: string;
  readonly memory: string;
};

export const indexedRows = (index: Sqlite): Map<number, IndexedRow> =>
  new Map(
    (index.prepare("SELECT session, id, version, next_seq, events, memory FROM indexed").all() as IndexedRow[]).map(
      (row) => [row.session, row],
    ),
  );

/** What memory items of a session are, and how many outputs were deleted: others after any change of one. */
export function memoryPrints(archive: Archive): Map<number, string> {
  const rows = query(
    archive.sqlite,
    { pk: "integer", print: "text" },
    `SELECT session_pk + 0 AS pk, count(*) || ' ' || sum(changed_at) AS print FROM
       (SELECT session_pk, changed_at FROM episodic_items WHERE deleted_at IS NULL
        UNION ALL SELECT session_pk, changed_at FROM semantic_items WHERE deleted_at IS NULL
        UNION ALL SELECT session_pk, deleted_at FROM artifacts WHERE deleted_at IS NOT NULL) GROUP BY session_pk`,
  ).all();
  return new Map(rows.map(({ pk, print }) => [pk, print]));
}

/** Sessions that the index does not have as they are now. */
export function staleSessions(archive: Archive, index: Sqlite | null): ReadonlySet<number> {
  const rows = versionsOf(archive);
  const indexed = indexedVersions(index);
  return new Set(rows.flatMap(({ pk, version }) => (indexed.get(pk) === version ? [] : [pk])));
}

/** Sessions that the index has as they are now. */
export function indexState(archive: Archive, index: Sqlite | null): { sessions: number; of: number } {
  const rows = versionsOf(archive);
  const indexed = indexedVersions(index);
  return { sessions: rows.filter(({ pk, version }) => indexed.get(pk) === version).length, of: rows.length };
}

const versionsOf = ({ sqlite }: Archive) =>
  query(sqlite, { pk: "sessions.pk", version: "sessions.version" }, "SELECT pk, version FROM sessions").all();

const indexedVersions = (index: Sqlite | null): ReadonlyMap<number, number> =>
  new Map(
    index === null ? [] : (index.prepare("SELECT session, version FROM indexed").raw().all() as [number, number][]),
  );

export type IndexDue = {
  readonly sessions: readonly number[];
  readonly gone: readonly number[];
  readonly total: number;
};

/** Sessions that the index does not have as they are now, the first written first; and those that are gone. */
export function indexDue(archive: Archive, index: Sqlite | null): IndexDue {
  const rows = query(
    archive.sqlite,
    { pk: "sessions.pk", id: "sessions.id", version: "sessions.version" },
    "SELECT pk, id, version FROM sessions ORDER BY coalesce(ended_at, started_at, 0), pk",
  ).all();
  const indexed = index === null ? new Map<number, IndexedRow>() : indexedRows(index);
  const memory = memoryPrints(archive);
  const sessions = rows.flatMap(({ pk, id, version }) => {
    const row = indexed.get(pk);
    const isSame = row?.id === id && row.version === version && row.memory === (memory.get(pk) ?? "");
    return isSame ? [] : [pk];
  });
  const known = new Set(rows.map(({ pk }) => pk));
  return { sessions, gone: [...indexed.keys()].filter((pk) => !known.has(pk)), total: rows.length };
}

/** True when there is something to index. */
export function isIndexDue(archive: Archive): boolean {
  const { sessions, gone } = indexDue(archive, readIndexOf(archive));
  return sessions.length + gone.length > 0;
}
