// Everything against everything: blobs against their names, rows against their checksums, registries against rows. What is
// found is listed, never hidden, and nothing is changed.
import { readRegistry } from "#lib/blobs/registry.ts";
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
  checkDatabase(archive, note);
  const rows = checkRows(archive, note, badSessions);
  onProgress?.(`${rows.checked} rows`);
  const blobs = await checkBlobs(archive, note, badSessions, onProgress);
  const registry = await checkRegistry(archive, note);
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

function checkRows(archive: Archive, note: Note, badSessions: Set<number>): CheckAnswer["rows"] {
  const { sqlite } = archive;
  let checked = 0;
  let bad = 0;
  type EventRow = Parameters<typeof eventChecksum>[0] & { id: number; checksum: number };
  const events = sqlite.prepare(
    "SELECT id, type, ts, turn, byte_start AS byteStart, byte_end AS byteEnd, body, checksum FROM events",
  );
  const nameOf = sqlite.prepare("SELECT id FROM sessions WHERE pk = ?").pluck();
  for (const row of events.iterate() as IterableIterator<EventRow>) {
    checked++;
    if (eventChecksum(row) === row.checksum) continue;
    bad++;
    badSessions.add(sessionOfRow(row.id));
    note(
      "event",
      `${String(nameOf.get(sessionOfRow(row.id)) ?? "?")} ${seqOfRow(row.id)}`,
      "The row does not match its checksum. plimsoll check --rebuild reads its session again from the kept bytes.",
    );
  }
  for (const row of sqlite.prepare("SELECT * FROM artifacts").iterate() as IterableIterator<ArtifactDbRow>) {
    checked++;
    if (isRowSound(row)) continue;
    bad++;
    note(
      "artifact",
      row.pointer,
      "The row does not match its checksum. plimsoll check --rebuild takes it from the registry.",
    );
  }
  const gaps = sqlite
    .prepare(
      "SELECT s.id, s.pk, s.next_seq - 1 AS wanted, (SELECT count(*) FROM events e WHERE e.id BETWEEN s.pk * 4294967296 AND s.pk * 4294967296 + 4294967295) AS found FROM sessions s WHERE instr(s.tally, ?) = 0",
    )
    .all(LOST_EVENTS) as { id: string; pk: number; wanted: number; found: number }[];
  for (const { id, pk, wanted, found } of gaps) {
    if (wanted === found) continue;
    bad++;
    badSessions.add(pk);
    note("session", id, `${found} of ${wanted} events are there.`);
  }
  return { checked, bad };
}

async function checkBlobs(
  archive: Archive,
  note: Note,
  badSessions: Set<number>,
  onProgress?: (done: string) => void,
): Promise<CheckAnswer["blobs"]> {
  const { sqlite, blobs } = archive;
  const counts = { checked: 0, corrupt: 0, missing: 0, orphan: 0 };
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
  const isKnown = sqlite.prepare("SELECT 1 FROM blobs WHERE digest = ? AND removed_at IS NULL").pluck();
  // Bytes that nothing names are left by a crash between barrier and commit: harmless, and not a problem.
  for await (const digest of blobs.list()) if (isKnown.get(digest) === undefined) counts.orphan++;
  return counts;
}

async function checkRegistry(archive: Archive, note: Note): Promise<CheckAnswer["registry"]> {
  const counts = { lines: 0, bad: 0 };
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
  return counts;
}
