// What people keep beside an imported session: its memory, plans of compactions, and marks. It goes on with the session when that is
// made anew, here or at another node of a fleet.
import { command, query, scalar } from "#db/statement.ts";
import { createHash } from "node:crypto";
import type { Archive } from "./archive-type.ts";
import { rowRange } from "./row-keys.ts";

/** Compactions first: items name them. Snapshots are of sessions of ours alone. */
export const BESIDE = [
  "compactions",
  "episodic_items",
  "semantic_items",
  "memory_changes",
  "recall_runs",
  "marks",
] as const;

type Row = Record<string, string | number | null>;
export type Beside = Record<(typeof BESIDE)[number], readonly Row[]>;

/** Of a plan whose session was made anew. */
export const READ_AGAIN = "Its session was imported again. Its event numbers may be wrong.";

export function rowsBeside(archive: Archive, pk: number, tables: readonly (keyof Beside)[] = BESIDE): Partial<Beside> {
  const rows = (table: keyof Beside): readonly Row[] =>
    query(archive.sqlite, { "*": `${table}.*` }, `FROM ${table} WHERE session_pk = ? ORDER BY pk`).all(pk);
  return Object.fromEntries(tables.map((table) => [table, rows(table)]));
}

export const isEmpty = (beside: Partial<Beside>): boolean => Object.values(beside).every((rows) => rows.length === 0);

/** `note`: what is said of plans that have no note yet. Columns that this version does not have are left out. */
export function insertBeside(archive: Archive, pk: number, beside: Partial<Beside>, note: string | null): void {
  const compactions = new Map<string | number | null | undefined, number>();
  const columnsOf = scalar(archive.sqlite, "text", "SELECT name FROM pragma_table_info(?)");
  for (const table of BESIDE) {
    const columns = new Set(columnsOf.all(table));
    for (const row of beside[table] ?? []) {
      const { pk: old, ...rest } = row;
      const own: Row = { ...rest, session_pk: pk };
      if ("compaction_pk" in own) own["compaction_pk"] = compactions.get(own["compaction_pk"]) ?? null;
      if (table === "compactions") own["reason"] ??= note;
      const names = Object.keys(own).filter((name) => columns.has(name));
      const { lastInsertRowid } = command(
        archive.sqlite,
        `INSERT OR IGNORE INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
      ).run(...names.map((name) => own[name]));
      if (table === "compactions") compactions.set(old, Number(lastInsertRowid));
    }
  }
}

/** What was recalled at a node stays there. */
const SHARED = BESIDE.filter((table) => table !== "recall_runs");

/** Takes away what is beside a session, but for what was recalled here; whether there was anything. */
export const dropBeside = (archive: Archive, pk: number): boolean =>
  SHARED.toReversed().reduce(
    (any, table) => command(archive.sqlite, `DELETE FROM ${table} WHERE session_pk = ?`).run(pk).changes > 0 || any,
    false,
  );

/** All that is beside a session, as its text says it. */
type Content = {
  readonly beside: Partial<Beside>;
  /** The last event at that time, and a digest of which record each event until there is of; empty without plans. */
  readonly last: number;
  readonly records: string;
  /** Names of the rows that it speaks of, also of those that were taken away: others came with the session's file since. */
  readonly seen: readonly string[];
};

export type KeptMark = { readonly seq: number; readonly kind: string; readonly value: string };

const nameOfMark = ({ seq, kind, value }: KeptMark): string => `mark ${seq} ${kind} ${value}`;

function nameOf(table: keyof Beside, row: Row): string {
  if (table === "marks") return nameOfMark(row as unknown as KeptMark);
  return table === "memory_changes" ? `change ${row["item_id"]} ${row["did"]} ${row["at"]}` : `${table} ${row["id"]}`;
}

const namesOf = (beside: Partial<Beside>): string[] =>
  SHARED.flatMap((table) => (beside[table] ?? []).map((row) => nameOf(table, row)));

/** The names of what is beside a session. */
export const namesBeside = (archive: Archive, pk: number): string[] => namesOf(rowsBeside(archive, pk, SHARED));

/** Marks and memory find their events by themselves: of a million events no digest is made for a star. */
const hasPlans = ({ compactions = [] }: Partial<Beside>): boolean => compactions.length > 0;

/** All of it as one text. `before`: names of what was there until a moment ago. */
export function besideOf(archive: Archive, pk: number, before: readonly string[]): string {
  const last = (scalar(archive.sqlite, "sessions.next_seq", "FROM sessions WHERE pk = ?").get(pk) ?? 1) - 1;
  const beside = rowsBeside(archive, pk, SHARED);
  return JSON.stringify({
    ...{ beside, last, records: hasPlans(beside) ? recordsDigest(archive, pk, last) : "" },
    seen: [...new Set([...before, ...namesOf(beside)])],
  } satisfies Content);
}

const contentOf = (text: string): Content => JSON.parse(text) as Content;

/** A text that speaks of what an earlier one spoke of too. */
export function withSeen(text: string, earlier: string): string {
  const now = contentOf(text);
  return JSON.stringify({ ...now, seen: [...new Set([...now.seen, ...contentOf(earlier).seen])] } satisfies Content);
}

/** Whether a text comes from where all was that an earlier one has: what it does not speak of was not taken away there. */
export function hasSeen(text: string, earlier: string): boolean {
  const seen = new Set(contentOf(text).seen);
  return namesOf(contentOf(earlier).beside).every((name) => seen.has(name));
}

/** The marks in such a text, and those of `others` that it does not speak of. */
export function marksIn(text: string, others: readonly KeptMark[] = []): readonly KeptMark[] {
  const { beside, seen } = contentOf(text);
  const known = new Set(seen);
  return [
    ...((beside.marks ?? []) as readonly unknown[] as readonly KeptMark[]),
    ...others.filter((mark) => !known.has(nameOfMark(mark))),
  ];
}

/**
 * Gives a session what such a text says, in place of what it has of that. Plans say so when its events have other numbers by now. What
 * the text does not speak of stays.
 */
export function putBeside(archive: Archive, pk: number, text: string): void {
  const { beside, last, records, seen } = contentOf(text);
  const known = new Set(seen);
  for (const table of SHARED.toReversed()) {
    const drop = command(archive.sqlite, `DELETE FROM ${table} WHERE pk = ?`);
    for (const row of rowsBeside(archive, pk, [table])[table]!) if (known.has(nameOf(table, row))) drop.run(row["pk"]);
  }
  const isSame = !hasPlans(beside) || recordsDigest(archive, pk, last) === records;
  insertBeside(archive, pk, beside, isSame ? null : READ_AGAIN);
  command(archive.sqlite, "UPDATE sessions SET version = version + 1 WHERE pk = ?").run(pk);
}

/** Which record each event of a session is of, up to an event. */
export function recordsDigest(archive: Archive, pk: number, last?: number): string {
  const sum = createHash("sha256");
  const rows = query(
    archive.sqlite,
    { type: "events.type", at: "events.byte_start" },
    "FROM events WHERE id BETWEEN ? AND ? ORDER BY id",
  );
  for (const row of rows.iterate(...rowRange(pk, 0, last))) sum.update(`${row.type} ${row.at}\n`);
  return sum.digest("hex");
}
