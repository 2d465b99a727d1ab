// Everything against everything: blobs against their names, rows against their checksums, registries against rows. What is
// found is listed, never hidden, and nothing is changed.
import { readRegistry } from "#lib/blobs/registry.ts";
import { wrongSums } from "#db/row-sums.ts";
import type { CheckAnswer } from "#lib/wire/check.ts";
import type { Archive } from "./archive.ts";
import { isRowSound, type ArtifactDbRow } from "./artifacts/artifact-row.ts";
import { eventChecksum } from "./import/session-writer.ts";
import { seqOfRow, sessionOfRow } from "./keys.ts";
import { LOST_EVENTS } from "./rebuild-rows.ts";
import { registryIds } from "./registry-ids.ts";

/** Problems that are listed, at most; all are counted. */
const LISTED = 1000;

export type Findings = CheckAnswer & {
  /** Sessions with rows that do not match their checksums, or imported ones whose blobs are damaged. */
  readonly badSessions: ReadonlySet<number>;
};

export async function check(archive: Archive, onProgress?: (done: string) => void): Promise<Findings> {
  const problems: CheckAnswer["problems"] = [];
  const note = (kind: string, ref: string, text: string): void => {
    if (problems.length < LISTED) problems.push({ kind, ref, text });
  };
  const badSessions = new Set<number>();
  const rows = { checked: 0, bad: 0 };
  const blobs = { checked: 0, corrupt: 0, missing: 0, orphan: 0 };
  const registry = { lines: 0, bad: 0 };
  // Each part ends for itself: what the others find is worth knowing on any damage.
  const part = async (what: string, run: () => void | Promise<void>): Promise<void> => {
    try {
      await run();
    } catch (error) {
      note("database", what, `They cannot be read to their end: ${messageOf(error)}.`);
    }
  };
  await part("pages", () => checkDatabase(archive, note));
  await part("events", () => checkEvents(archive, note, badSessions, rows));
  await part("rows", () => checkSums(archive, note, badSessions, rows));
  await part("artifacts", () => checkArtifacts(archive, note, rows));
  await part("sessions", () => checkGaps(archive, note, badSessions, rows));
  onProgress?.(`${rows.checked} rows`);
  await part("blobs", () => checkBlobs(archive, note, badSessions, blobs, onProgress));
  await part("orphans", () => countOrphans(archive, blobs));
  await part("registries", () => checkRegistry(archive, note, registry));
  const ok = problems.length === 0;
  return { ok, blobs, rows, registry, rebuilt: null, problems, badSessions };
}

type Note = (kind: string, ref: string, text: string) => void;

function checkDatabase(archive: Archive, note: Note): void {
  for (const line of archive.sqlite.prepare("PRAGMA integrity_check").pluck().all() as string[])
    if (line !== "ok") note("database", "archive.db", line);
  for (const row of archive.sqlite.prepare("PRAGMA foreign_key_check").all() as { table: string; rowid: number }[])
    note("database", `${row.table} ${row.rowid}`, "A row names another row that is not there.");
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function checkEvents(archive: Archive, note: Note, badSessions: Set<number>, counts: CheckAnswer["rows"]): void {
  const { sqlite } = archive;
  type EventRow = Parameters<typeof eventChecksum>[0] & { id: number; checksum: number };
  const events = sqlite.prepare(
    "SELECT id, type, ts, turn, byte_start AS byteStart, byte_end AS byteEnd, body, checksum FROM events",
  );
  const nameOf = sqlite.prepare("SELECT id FROM sessions WHERE pk = ?").pluck();
  for (const row of events.iterate() as IterableIterator<EventRow>) {
    counts.checked++;
    if (eventChecksum(row) === row.checksum) continue;
    counts.bad++;
    badSessions.add(sessionOfRow(row.id));
    note(
      "event",
      `${String(nameOf.get(sessionOfRow(row.id)) ?? "?")} ${seqOfRow(row.id)}`,
      "The row does not match its checksum. plimsoll check --rebuild reads its session again from the kept bytes.",
    );
  }
}

/** Values of the tables that have sums: what they were when they were written. */
function checkSums({ sqlite }: Archive, note: Note, badSessions: Set<number>, counts: CheckAnswer["rows"]): void {
  const nameOf = sqlite.prepare("SELECT id FROM sessions WHERE pk = ?").pluck();
  const wrong = wrongSums(sqlite, (table, error) =>
    note("database", table, `Its rows cannot be read to their end: ${messageOf(error)}.`),
  );
  for (const { table, group } of wrong) {
    counts.bad++;
    if (group > 0) badSessions.add(group);
    const ref = group > 0 ? `${table} of ${String(nameOf.get(group) ?? "a session that is not there")}` : table;
    note("rows", ref, "A value is not what was written. plimsoll check --rebuild reads imported sessions again.");
  }
}

function checkArtifacts({ sqlite }: Archive, note: Note, counts: CheckAnswer["rows"]): void {
  for (const row of sqlite.prepare("SELECT * FROM artifacts").iterate() as IterableIterator<ArtifactDbRow>) {
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

function checkGaps({ sqlite }: Archive, note: Note, badSessions: Set<number>, counts: CheckAnswer["rows"]): void {
  const gaps = sqlite
    .prepare(
      "SELECT s.id, s.pk, s.next_seq - 1 AS wanted, (SELECT count(*) FROM events e WHERE e.id BETWEEN s.pk * 4294967296 AND s.pk * 4294967296 + 4294967295) AS found FROM sessions s WHERE instr(s.tally, ?) = 0",
    )
    .all(LOST_EVENTS) as { id: string; pk: number; wanted: number; found: number }[];
  for (const { id, pk, wanted, found } of gaps) {
    if (wanted === found) continue;
    counts.bad++;
    badSessions.add(pk);
    note("session", id, `${found} of ${wanted} events are there.`);
  }
}

async function checkBlobs(
  archive: Archive,
  note: Note,
  badSessions: Set<number>,
  counts: CheckAnswer["blobs"],
  onProgress?: (done: string) => void,
): Promise<void> {
  const { sqlite, blobs } = archive;
  const rows = sqlite
    .prepare(
      `SELECT digest, EXISTS (SELECT 1 FROM artifacts a WHERE a.digest = b.digest AND a.deleted_at IS NULL) AS isNamed
         FROM blobs b WHERE removed_at IS NULL ORDER BY digest`,
    )
    .all() as { digest: string; isNamed: number }[];
  const importedWith = sqlite
    .prepare(
      `SELECT DISTINCT a.session_pk FROM artifacts a JOIN sessions s ON s.pk = a.session_pk
         WHERE a.digest = ? AND a.deleted_at IS NULL AND s.source_pk IS NOT NULL`,
    )
    .pluck();
  for (const { digest, isNamed } of rows) {
    counts.checked++;
    if (counts.checked % 500 === 0) onProgress?.(`${counts.checked} blobs`);
    const state = await blobs.verify(digest);
    // What only tombstones name may be gone: the sweep was there, and its row comes later.
    if (state === "ok" || (state === "missing" && isNamed === 0)) continue;
    counts[state]++;
    const imported = importedWith.all(digest) as number[];
    for (const pk of imported) badSessions.add(pk);
    const found =
      state === "missing" ? "The bytes are not there." : "The bytes do not match their name and are not given out.";
    const remedy =
      imported.length > 0
        ? "plimsoll check --rebuild restores them where the imported log holds them."
        : "Storing the same content again restores them.";
    note("blob", digest, `${found} ${remedy}`);
  }
}

async function countOrphans({ sqlite, blobs }: Archive, counts: CheckAnswer["blobs"]): Promise<void> {
  const isKnown = sqlite.prepare("SELECT 1 FROM blobs WHERE digest = ? AND removed_at IS NULL").pluck();
  // Bytes that nothing names are left by a crash between barrier and commit: harmless, and not a problem.
  for await (const digest of blobs.list()) if (isKnown.get(digest) === undefined) counts.orphan++;
}

async function checkRegistry(archive: Archive, note: Note, counts: CheckAnswer["registry"]): Promise<void> {
  const listed = new Set<string>();
  for (const id of registryIds(archive)) {
    for await (const { value, line } of readRegistry(archive.dir, id)) {
      counts.lines++;
      if (value === null) {
        counts.bad++;
        note(
          "registry",
          `sessions/${id}/registry.jsonl:${line}`,
          "The line cannot be read; the others are as they were.",
        );
      } else listed.add((value as { pointer?: string }).pointer ?? "");
    }
  }
  for (const pointer of archive.sqlite
    .prepare("SELECT pointer FROM artifacts")
    .pluck()
    .iterate() as IterableIterator<string>)
    if (!listed.has(pointer))
      note("registry", pointer, "No registry holds this artifact: it could not be rebuilt without the database.");
}
