// Shared history. A fork or resume copies records into a new file: each record and model call belongs to exactly one
// session, the one with the fewest records that holds it (ties: the smaller name); in the others it is inherited.
import type { Archive } from "../archive.ts";
import { NO_USAGE, type Usage } from "../../kernel/draft.ts";
import { newTally, type Tally } from "./tally.ts";

const range = (pk: number): [number, number] => [pk * 2 ** 32, (pk + 1) * 2 ** 32 - 1];

/** Settles what a session shares with others after `fromSeq` and later were appended to it. */
export function settleLineage(archive: Archive, pk: number, fromSeq: number): void {
  const { sqlite } = archive;
  const known = sqlite.prepare("SELECT other_pk FROM lineage WHERE session_pk = ?").pluck().all(pk) as number[];
  const shared = sqlite
    .prepare(
      `SELECT o.id / 4294967296 AS other, count(DISTINCT e.record_key) AS records FROM events e
       JOIN events o ON o.record_key = e.record_key AND o.keyed = 1
       WHERE e.id BETWEEN ? AND ? AND e.keyed = 1 AND o.id NOT BETWEEN ? AND ? GROUP BY 1`,
    )
    .all(range(pk)[0] + fromSeq, range(pk)[1], ...range(pk)) as { other: number; records: number }[];
  const add = sqlite.prepare(
    "INSERT INTO lineage (session_pk, other_pk, records) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET records = records + excluded.records",
  );
  for (const { other, records } of shared) {
    add.run(pk, other, records);
    add.run(other, pk, records);
  }
  const group = new Set([...known, ...shared.map(({ other }) => other)]);
  if (group.size === 0) return;
  for (const member of [pk, ...group]) disown(archive, member);
}

/** Works out anew what of a session is its own. */
export function disown(archive: Archive, pk: number): void {
  const { sqlite } = archive;
  const [from, to] = range(pk);
  const self = sqlite
    .prepare("SELECT keyed_records AS records, native_id AS name FROM sessions WHERE pk = ?")
    .get(pk) as { records: number; name: string } | undefined;
  if (self === undefined) return;
  sqlite
    .prepare(
      `UPDATE events SET inherited = EXISTS (
         SELECT 1 FROM events o JOIN sessions s ON s.pk = o.id / 4294967296
         WHERE o.record_key = events.record_key AND o.keyed = 1 AND o.id NOT BETWEEN @from AND @to
           AND (s.keyed_records < @records OR (s.keyed_records = @records AND s.native_id < @name)))
       WHERE id BETWEEN @from AND @to AND keyed = 1`,
    )
    .run({ from, to, ...self });
  sqlite
    .prepare(
      `UPDATE model_calls SET inherited = EXISTS (
         SELECT 1 FROM model_calls o JOIN sessions s ON s.pk = o.session_pk
         WHERE o.key = model_calls.key AND o.session_pk <> @pk
           AND (s.keyed_records < @records OR (s.keyed_records = @records AND s.native_id < @name)))
       WHERE session_pk = @pk AND key NOT LIKE 'n:%'`,
    )
    .run({ pk, ...self });
  recountUsage(archive, pk);
}

/** Own and whole usage from the rows: after lineage moved, sums are taken anew. */
function recountUsage(archive: Archive, pk: number): void {
  const rows = archive.sqlite
    .prepare(
      `SELECT inherited, count(*) AS calls, sum(input_uncached) AS inputUncached, sum(cache_read) AS cacheRead, sum(cache_write) AS cacheWrite,
         sum(output) AS output, sum(reasoning) AS reasoning FROM model_calls WHERE session_pk = ? GROUP BY inherited`,
    )
    .all(pk) as (Usage & { inherited: number; calls: number })[];
  const stored = archive.sqlite.prepare("SELECT tally FROM sessions WHERE pk = ?").pluck().get(pk) as string;
  const tally: Tally = { ...newTally(), ...(JSON.parse(stored) as Tally) };
  const pick = ({ inputUncached, cacheRead, cacheWrite, output, reasoning }: Usage): Usage => ({
    inputUncached,
    cacheRead,
    cacheWrite,
    output,
    reasoning,
  });
  const own = rows.find((row) => row.inherited === 0);
  const inherited = rows.find((row) => row.inherited === 1);
  tally.calls = { own: own?.calls ?? 0, inherited: inherited?.calls ?? 0 };
  tally.usage = own === undefined ? { ...NO_USAGE } : pick(own);
  const hasInherited = tally.calls.inherited > 0;
  archive.sqlite
    .prepare(
      "UPDATE sessions SET tally = ?, relation = CASE WHEN ? AND relation = 'root' THEN 'fork' ELSE relation END, version = version + 1 WHERE pk = ?",
    )
    .run(JSON.stringify(tally), hasInherited ? 1 : 0, pk);
}
