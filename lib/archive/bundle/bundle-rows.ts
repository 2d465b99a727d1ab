// The rows of a session that no file tells of, a line each: memory, plans, reads, and of a session without a file its whole
// log. Keys of this archive are replaced by names: a row of another archive is the same line.
import type { Sqlite } from "#db/connection.ts";
import { command, query, scalar } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { Archive } from "../base/archive-type.ts";
import { eventRowId, rowRange, seqOfRow } from "../base/row-keys.ts";
import { fileRows, isFileTable, type FileTable } from "./bundled-beside.ts";
import { pointersOf } from "./bundled-pointers.ts";
import type { SessionCounters } from "../import/session-counters.ts";

export type BundledRow = { readonly table: RowTable; readonly row: Row };
export type Row = Record<string, unknown>;

type Spec = {
  /** Which rows, by the session's key. */
  readonly where: string;
  /** Keys of this archive, checksums, and what is worked out anew. */
  readonly without: readonly string[];
  /** Columns that hold JSON: read as it without a further look. */
  readonly json?: readonly string[];
};

const OWN = "session_pk = @pk";
const OF_ARTIFACT = "pointer IN (SELECT pointer FROM artifacts WHERE session_pk = @pk)";
const ITEM_JSON = ["turns", "seqs", "tags"];

/** In the order in which they go in: items name compactions. */
const SPECS = {
  sessions: {
    where: "pk = @pk",
    without: [
      ...["pk", "id", "source_pk", "parent_pk", "parent_tool_call_seq", "card", "version", "culprit", "avoidable_usd"],
      ...[
        "avoidable_tokens",
        "judged_version",
        "earlier",
        "load_line",
        "peak_share",
        "usd",
        "state",
        "findings_version",
        "rules_version",
      ],
    ],
    json: ["tally", "closed_turns"],
  },
  artifacts: {
    where: `${OWN} ORDER BY pk`,
    without: [
      ...["pk", "session_pk", "checksum", "load_tokens", "load_origin", "load_calls", "load_usd", "load_version"],
      "content_id",
    ],
  },
  events: { where: "id BETWEEN @from AND @to ORDER BY id", without: ["id", "checksum", "inherited"], json: ["body"] },
  model_calls: { where: `${OWN} ORDER BY call`, without: ["session_pk", "checksum", "usd", "priced", "inherited"] },
  tool_interactions: { where: `${OWN} ORDER BY pk`, without: ["pk", "session_pk", "checksum"] },
  event_traces: { where: `${OWN} ORDER BY seq`, without: ["session_pk"], json: ["trace"] },
  offload_decisions: { where: `${OWN} ORDER BY pk`, without: ["pk", "session_pk"] },
  artifact_names: { where: `${OWN} ORDER BY pk`, without: ["pk", "session_pk"] },
  deleted_pointers: { where: `${OF_ARTIFACT} ORDER BY pointer`, without: [] },
  artifact_reads: { where: `${OF_ARTIFACT} ORDER BY pk`, without: ["pk"] },
  compactions: {
    where: `${OWN} ORDER BY pk`,
    without: ["pk", "session_pk"],
    json: ["turns", "seqs", "options", "lines", "kept", "dropped"],
  },
  episodic_items: { where: `${OWN} ORDER BY pk`, without: ["pk", "session_pk", "compaction_pk"], json: ITEM_JSON },
  semantic_items: { where: `${OWN} ORDER BY pk`, without: ["pk", "session_pk", "compaction_pk"], json: ITEM_JSON },
  memory_changes: { where: `${OWN} ORDER BY pk`, without: ["pk", "session_pk"] },
  snapshots: {
    where: `${OWN} ORDER BY epoch`,
    without: ["session_pk", "compaction_pk"],
    json: ["messages"],
  },
  recall_runs: { where: `${OWN} ORDER BY pk`, without: ["pk", "session_pk"], json: ["budget", "items"] },
  marks: { where: `${OWN} ORDER BY seq, kind, value`, without: ["pk", "session_pk"] },
  held_compaction: { where: OWN, without: ["session_pk"] },
} as const satisfies Record<string, Spec>;

type Table = keyof typeof SPECS;
/** `pointers` is no table: which pointer each output of a file has. */
export type RowTable = Table | FileTable | "pointers";
const TABLES = Object.keys(SPECS) as Table[];
/** What the file of a session tells by itself. */
const LOG: ReadonlySet<RowTable> = new Set(["sessions", "artifacts", "events", "model_calls", "tool_interactions"]);
const LINKED: ReadonlySet<RowTable> = new Set(["episodic_items", "semantic_items", "snapshots"]);

const specOf = (table: RowTable): Spec => SPECS[table as Table];

/** Names of the columns that a line of a table has. */
function columnsOf(sqlite: Sqlite, table: RowTable): string[] {
  const { without } = specOf(table);
  const all = scalar(sqlite, "text", "SELECT name FROM pragma_table_info(?)").all(table);
  return all.filter((column) => !without.includes(column));
}

/** The rows of a session; `isWhole`: no file has its log. */
export function* rowsOf(archive: Archive, pk: number, isWhole: boolean): Generator<BundledRow> {
  const { sqlite } = archive;
  const [from, to] = rowRange(pk);
  if (!isWhole) {
    for (const row of pointersOf(archive, pk)) yield { table: "pointers", row: { ...row } };
    yield* deletedRows(archive, pk);
    yield* fileRows(archive, pk);
  }
  for (const table of TABLES) {
    if (LOG.has(table) && !isWhole) continue;
    const { where } = specOf(table);
    const named = columnsOf(sqlite, table).map((column) => `"${column}"`);
    if (table === "events") named.push("id");
    if (LINKED.has(table)) named.push("(SELECT c.id FROM compactions c WHERE c.pk = compaction_pk) AS compaction");
    // Its columns are those that the schema has today: no type names them. Page by page, since others use the connection.
    const rows = sqlite.prepare(`SELECT ${named.join(", ")} FROM ${table} WHERE ${where} LIMIT ${PAGE} OFFSET @offset`);
    const range = { pk, from, to, offset: 0 };
    for (;;) {
      const page = rows.all(range) as Row[];
      for (const row of page) yield { table, row: portable(table, row, pk) };
      if (page.length < PAGE) break;
      if (table === "events") range.from = 1 + (page.at(-1)!["id"] as number);
      else range.offset += PAGE;
    }
  }
}

const PAGE = 500;

/** An output that a person deleted, or that expired, stays deleted where its file is read. */
function* deletedRows(archive: Archive, pk: number): Generator<BundledRow> {
  const rows = query(
    archive.sqlite,
    { pointer: "artifacts.pointer", at: "artifacts.deleted_at!", why: "artifacts.deleted_why!" },
    `SELECT pointer, deleted_at AS at, deleted_why AS why FROM artifacts WHERE session_pk = ? AND deleted_at IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM deleted_pointers d WHERE d.pointer = artifacts.pointer) ORDER BY pointer`,
  );
  for (const row of rows.all(pk)) yield { table: "deleted_pointers", row };
}

function portable(table: RowTable, row: Row, pk: number): Row {
  const result: Row = {};
  for (const [name, value] of Object.entries(row))
    if (value instanceof Uint8Array) result[name] = { hex: Buffer.from(value).toString("hex") };
    else if (name === "id" && table === "events") result["seq"] = seqOfRow(value as number);
    else result[name] = value;
  if (table === "sessions") result["tally"] = withOpen(row["tally"] as string, (rowId) => rowId - eventRowId(pk, 0));
  return result;
}

/** Counters name the rows of calls that are still open. */
function withOpen(tally: string, keyOf: (rowId: number) => number): string {
  const counters = JSON.parse(tally) as SessionCounters;
  const open = Object.entries(counters.open ?? {}).map(([key, rows]) => [key, rows.map(keyOf)] as const);
  return JSON.stringify({ ...counters, open: Object.fromEntries(open) });
}

/** The row of a line as its table takes it, without the keys; fails for what is no such row. */
export function ownRow(sqlite: Sqlite, { table, row }: BundledRow, pk: number): Row {
  const allowed = new Set(columnsOf(sqlite, table));
  const result: Row = {};
  for (const [name, value] of Object.entries(row)) {
    if ((name === "seq" && table === "events") || (name === "compaction" && LINKED.has(table))) continue;
    if (!allowed.has(name)) refuse(`${table} has no column "${name}"`);
    result[name] = columnValue(value, `${table}.${name}`);
  }
  for (const name of specOf(table).json ?? []) requireJson(result[name], `${table}.${name}`);
  if (table === "events") result["id"] = eventRowId(pk, seqOf(row["seq"]));
  if (table === "sessions") result["tally"] = withOpen(String(result["tally"]), (n) => eventRowId(pk, seqOf(n)));
  if (LINKED.has(table)) {
    const id = row["compaction"] ?? null;
    result["compaction_pk"] =
      id === null
        ? null
        : (scalar(sqlite, "compactions.pk", "FROM compactions WHERE id = ? AND session_pk = ?").get(id, pk) ?? null);
  }
  return result;
}

function columnValue(value: unknown, name: string): unknown {
  if (value === null || typeof value === "string" || typeof value === "number") return value;
  const hex = (value as { hex?: unknown }).hex;
  if (typeof hex === "string" && /^([0-9a-f]{2})*$/.test(hex)) return Buffer.from(hex, "hex");
  return refuse(`${name} has a value that no column takes`);
}

function requireJson(value: unknown, name: string): void {
  if (value === undefined || value === null) return;
  try {
    const parsed: unknown = JSON.parse(String(value));
    if (typeof parsed === "object" && parsed !== null) return;
  } catch {
    // Said below.
  }
  refuse(`${name} is not the JSON that it should be`);
}

const seqOf = (value: unknown): number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 2 ** 32
    ? value
    : refuse("an event has no number");

export const refuse = (what: string): never =>
  fail("invalid", `The rows of the bundle are wrong: ${what}. Export the session again.`);

export const isRowTable = (name: unknown): name is RowTable =>
  name === "pointers" || isFileTable(name) || TABLES.includes(name as Table);
export const isLogTable = (name: RowTable): boolean => LOG.has(name);

/** Adds a row as it is, with the session's key where its table has one. */
export function addRow(sqlite: Sqlite, table: RowTable, row: Row, pk: number): void {
  const own = keyed(sqlite, table, row, pk);
  command(
    sqlite,
    `INSERT INTO ${table} (${namesOf(own)}) VALUES (${Object.keys(own)
      .map(() => "?")
      .join(", ")})`,
  ).run(...Object.values(own));
}

/** Adds a row that is not there yet; whether it was added. */
export function mergeRow(sqlite: Sqlite, table: RowTable, row: Row, pk: number): boolean {
  const own = keyed(sqlite, table, row, pk);
  const names = Object.keys(own);
  const values = Object.values(own);
  return (
    command(
      sqlite,
      `INSERT OR IGNORE INTO ${table} (${namesOf(own)}) SELECT ${names.map(() => "?").join(", ")}
         WHERE NOT EXISTS (SELECT 1 FROM ${table} WHERE ${names.map((name) => `"${name}" IS ?`).join(" AND ")})`,
    ).run(...values, ...values).changes > 0
  );
}

const namesOf = (row: Row): string =>
  Object.keys(row)
    .map((name) => `"${name}"`)
    .join(", ");

function keyed(sqlite: Sqlite, table: RowTable, row: Row, pk: number): Row {
  const hasKey = command(sqlite, "SELECT 1 FROM pragma_table_info(?) WHERE name = 'session_pk'").get(table);
  return hasKey === undefined ? row : { ...row, session_pk: pk };
}
