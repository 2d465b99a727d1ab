// The rows of the database against what they were when they were written: by a checksum of their own, or by the sum of the
// rows of a table and session. Each statement sees the rows of one moment: others may be writing.
import { columns as columnsOf, query, scalar } from "#db/statement.ts";
import { CALL_COLUMNS, INTERACTION_COLUMNS } from "#db/migration-12-row-checksums.ts";
import { wrongSums } from "#db/row-sums.ts";
import type { CheckAnswer } from "#lib/wire/check-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { WorkOptions } from "../base/work-options.ts";
import { isRowSound } from "../base/artifact-row.ts";
import { EVENT_ROW, wrongColumn } from "../import/event-checksum.ts";
import { seqOfRow, sessionOfRow } from "../base/row-keys.ts";
import { LOST_EVENTS } from "./rebuild-rows.ts";

export type Note = (kind: string, ref: string, text: string) => void;

/** What the checks of rows write to. */
export type RowFindings = {
  readonly note: Note;
  readonly badSessions: Set<number>;
  readonly counts: CheckAnswer["rows"];
  readonly onProgress?: WorkOptions["onProgress"];
};

const READ_AGAIN = "plimsoll check --rebuild reads its session again from the stored bytes.";
const KEPT = "It cannot be restored. plimsoll check --rebuild accepts the row as it is.";
const EVERY = 100_000;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export function checkEvents({ sqlite }: Archive, { note, badSessions, counts, onProgress }: RowFindings): void {
  const events = query(sqlite, EVENT_ROW, `FROM events`);
  const nameOf = scalar(sqlite, "sessions.id", "FROM sessions WHERE pk = ?");
  for (const row of events.iterate()) {
    counts.checked++;
    if (counts.checked % EVERY === 0) onProgress?.({ done: counts.checked, total: null, what: "rows" });
    const column = wrongColumn(row);
    if (column === null) continue;
    counts.bad++;
    badSessions.add(sessionOfRow(row.id));
    note(
      "event",
      `${String(nameOf.get(sessionOfRow(row.id)) ?? "?")} ${seqOfRow(row.id)}`,
      `${column === "" ? "The row" : `The column ${column}`} does not match its checksum. ${READ_AGAIN}`,
    );
  }
}

/** Tables whose rows have a checksum in a column, and what a row is called. */
export const SUMMED_ROWS = [
  { table: "model_calls", columns: CALL_COLUMNS, row: "'call ' || call" },
  {
    table: "tool_interactions",
    columns: INTERACTION_COLUMNS,
    row: "iif(call_seq IS NULL, 'result at event ' || result_seq, 'tool call at event ' || call_seq)",
  },
] as const;

/** Rows of calls and tool interactions. One without a checksum was not settled yet: its reading was stopped. */
export function checkRowChecksums({ sqlite }: Archive, { note, badSessions, counts }: RowFindings): void {
  const sessionOf = query(sqlite, { id: "sessions.id", source: "sessions.source_pk" }, "FROM sessions WHERE pk = ?");
  for (const { table, columns, row } of SUMMED_ROWS) {
    counts.checked += scalar(sqlite, "integer", `SELECT count(*) FROM ${table}`).get()!;
    const wrong = query(
      sqlite,
      { pk: `${table}.session_pk`, row: "text?" },
      `SELECT session_pk AS pk, ${row} AS row FROM ${table} WHERE checksum <> row_hash(${columns})`,
    ).iterate();
    for (const { pk, row: found } of wrong) {
      counts.bad++;
      badSessions.add(pk);
      const session = sessionOf.get(pk);
      const remedy = typeof session?.source === "number" ? READ_AGAIN : KEPT;
      const ref = `${table} of ${session?.id ?? "a missing session"}, ${found ?? "a row without a call"}`;
      note("rows", ref, `The row does not match its checksum. ${remedy}`);
    }
  }
}

/** Values of the tables that have sums: what they were when they were written. */
export function checkSums({ sqlite }: Archive, { note, badSessions, counts }: RowFindings): void {
  const nameOf = scalar(sqlite, "sessions.id", "FROM sessions WHERE pk = ?");
  const wrong = wrongSums(sqlite, (table, error) =>
    note("database", table, `Its rows cannot be read completely: ${messageOf(error)}.`),
  );
  for (const { table, group } of wrong) {
    counts.bad++;
    if (group > 0) badSessions.add(group);
    const ref = group > 0 ? `${table} of ${String(nameOf.get(group) ?? "a missing session")}` : table;
    note("rows", ref, "A value changed on disk. plimsoll check --rebuild reads imported sessions again.");
  }
}

export function checkArtifacts({ sqlite }: Archive, { note, counts }: RowFindings): void {
  for (const row of query(sqlite, { "*": "artifacts.*" }, "FROM artifacts").iterate()) {
    counts.checked++;
    if (isRowSound(row)) continue;
    counts.bad++;
    note(
      "artifact",
      row.pointer,
      "The row does not match its checksum. plimsoll check --rebuild takes it from the registry.",
    );
  }
}

export function checkGaps({ sqlite }: Archive, { note, badSessions, counts }: RowFindings): void {
  const gaps = query(
    sqlite,
    { ...columnsOf("sessions", "id", "pk"), wanted: "integer", found: "integer" },
    "SELECT s.id, s.pk, s.next_seq - 1 AS wanted, (SELECT count(*) FROM events e WHERE e.id BETWEEN s.pk * 4294967296 AND s.pk * 4294967296 + 4294967295) AS found FROM sessions s WHERE instr(s.tally, ?) = 0",
  ).all(LOST_EVENTS);
  for (const { id, pk, wanted, found } of gaps) {
    if (wanted === found) continue;
    counts.bad++;
    badSessions.add(pk);
    note("session", id, `${found} of ${wanted} events exist.`);
  }
}
