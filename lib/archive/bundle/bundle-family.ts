// Whom a session brings along: sub-agents and parents, sessions that share records with it, and earlier versions of their
// files. Only with all of them is each record counted where it began.
import { query, scalar } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";

export type Family = {
  /** Sessions by their names, and the files that they were read from in the order in which they came. */
  readonly sessions: readonly number[];
  readonly sources: readonly number[];
};

export function familyOf(archive: Archive, pk: number): Family {
  const { sqlite } = archive;
  const self = query(
    sqlite,
    { source: "sessions.source_pk", parent: "sessions.parent_pk" },
    "SELECT source_pk AS source, parent_pk AS parent FROM sessions WHERE pk = ?",
  );
  const children = scalar(sqlite, "sessions.pk", "FROM sessions WHERE parent_pk = ?");
  const partners = scalar(sqlite, "lineage.other_pk", "FROM lineage WHERE session_pk = ?");
  const inSource = scalar(sqlite, "sessions.pk", "FROM sessions WHERE source_pk = ?");
  const beside = scalar(
    sqlite,
    "sources.pk",
    "FROM sources WHERE earlier_of = @pk OR pk = (SELECT earlier_of FROM sources WHERE pk = @pk)",
  );
  const sessions = new Set<number>();
  const sources = new Set<number>();
  const waiting = [pk];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const row = self.get(next);
    if (row === undefined || sessions.has(next)) continue;
    sessions.add(next);
    if (row.parent !== null) waiting.push(row.parent);
    waiting.push(...children.all(next), ...partners.all(next));
    const files = row.source === null ? [] : [row.source];
    for (let file = files.pop(); file !== undefined; file = files.pop()) {
      if (sources.has(file)) continue;
      sources.add(file);
      waiting.push(...inSource.all(file));
      files.push(...beside.all({ pk: file }));
    }
  }
  const nameOf = scalar(sqlite, "sessions.native_id", "FROM sessions WHERE pk = ?");
  const named = [...sessions].map((one) => ({ one, name: nameOf.get(one)! }));
  return {
    sessions: named.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(({ one }) => one),
    // As they were read: where two files have the same output, the one that came first has its plain pointer.
    sources: [...sources].toSorted((a, b) => a - b),
  };
}
