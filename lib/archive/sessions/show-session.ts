import { columns, query } from "#db/statement.ts";
import type { SessionSummary } from "#lib/wire/sessions-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { isOrigin } from "../import/lineage.ts";
import { iso } from "../base/iso.ts";
import { summaryOf, VIEW_COLUMNS, VIEW_FROM, VIEW_ROW } from "./session-view.ts";

/** The summary of one session, by id, native id or a unique prefix. */
export async function showSession(archive: Archive, name: string): Promise<SessionSummary> {
  return summaryOfSession(archive, findSession(archive, name));
}

export function summaryOfSession(archive: Archive, pk: number): SessionSummary {
  const row = query(archive.sqlite, VIEW_ROW, `SELECT ${VIEW_COLUMNS} ${VIEW_FROM} WHERE s.pk = ?`).get(pk)!;
  const summary = summaryOf(archive, row);
  return {
    ...summary,
    lineage: lineageOf(archive, pk, row.source_path),
    earlierVersions: earlierVersionsOf(archive, pk),
    quality: [...summary.quality, ...problemNotes(archive, pk)],
  };
}

/**
 * Who shares records or calls with it: its origin has fewer records, its copies more; and files that are older copies of
 * its own.
 */
function lineageOf(archive: Archive, pk: number, path: string | null): SessionSummary["lineage"] {
  const shared = query(
    archive.sqlite,
    { ...columns("sessions", "id", "pk", "keyed_records", "native_id"), events: "lineage.records", calls: "integer" },
    `SELECT * FROM (
         SELECT o.id, o.pk, l.records AS events, o.keyed_records, o.native_id,
           (SELECT count(*) FROM model_calls c JOIN model_calls d ON d.key = c.key
              WHERE c.session_pk = l.session_pk AND d.session_pk = l.other_pk AND c.key NOT LIKE 'n:%') AS calls
         FROM lineage l JOIN sessions o ON o.pk = l.other_pk WHERE l.session_pk = ? AND o.earlier IS NULL)
       WHERE events + calls > 0 ORDER BY keyed_records, native_id`,
  ).all(pk);
  const older = query(
    archive.sqlite,
    { id: "sources.path", events: "sources.records" },
    // What telemetry says of a session is no history that it shares: the load shows it.
    "SELECT c.path AS id, c.records AS events FROM sources c JOIN sources s ON s.pk = c.older_of WHERE s.path = ? AND c.format IS NOT 'otlp'",
  ).all(path);
  const joined = continuationsOf(archive, pk);
  const names = new Set(joined.map(({ id }) => id));
  return [
    ...joined.map(({ id, relation }) => {
      const { events = 0, calls = 0 } = shared.find((one) => one.id === id) ?? {};
      return { id, relation, events, calls };
    }),
    ...shared
      .filter(({ id }) => !names.has(id))
      .map(({ id, pk: other, events, calls }) => ({
        id,
        relation: isOrigin(archive, other, pk) ? ("origin" as const) : ("copy" as const),
        events,
        calls,
      })),
    ...older.map(({ id, events }) => ({ id, relation: "older copy" as const, events })),
  ];
}

/** The session that it goes on from, and those that go on from it. */
function continuationsOf(archive: Archive, pk: number) {
  const find = (where: string) =>
    query(
      archive.sqlite,
      { id: "sessions.id" },
      `SELECT o.id FROM sessions s JOIN sessions o ON ${where} WHERE s.pk = ? AND o.earlier IS NULL ORDER BY o.pk`,
    ).all(pk);
  const before = find("o.native_id = s.parent_native AND s.relation = 'continuation'");
  const after = find("o.parent_native = s.native_id AND o.relation = 'continuation'");
  return [
    ...before.map(({ id }) => ({ id, relation: "continues" as const })),
    ...after.map(({ id }) => ({ id, relation: "continued" as const })),
  ];
}

function earlierVersionsOf(archive: Archive, pk: number): SessionSummary["earlierVersions"] {
  const rows = query(
    archive.sqlite,
    { ...columns("sessions", "id", "records"), number: "sessions.earlier!", replacedAt: "sources.replaced_at" },
    `SELECT v.id, v.earlier AS number, v.records, f.replaced_at AS replacedAt FROM sessions s
         JOIN sources f ON f.earlier_of = s.source_pk JOIN sessions v ON v.source_pk = f.pk AND v.lane = s.lane
       WHERE s.pk = ? AND s.earlier IS NULL ORDER BY v.earlier DESC`,
  ).all(pk);
  return rows.map((row) => ({ ...row, replacedAt: iso(row.replacedAt) }));
}

function problemNotes(archive: Archive, pk: number): string[] {
  const row = query(
    archive.sqlite,
    columns("sources", "problems", "stopped"),
    "SELECT f.problems, f.stopped FROM sessions s JOIN sources f ON f.pk = s.source_pk WHERE s.pk = ?",
  ).get(pk);
  const stopped = row?.stopped == null ? [] : [row.stopped];
  const problems = row?.problems ?? 0;
  if (problems === 0) return stopped;
  return [
    ...stopped,
    `${problems} ${problems === 1 ? "place" : "places"} in the source file could not be read. Sources lists them.`,
  ];
}
