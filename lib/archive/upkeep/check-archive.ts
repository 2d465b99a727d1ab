// Everything against everything: blobs against their names, rows against their checksums, registries against rows. What is
// found is listed, never hidden, and nothing is changed.
import { command, query, scalar } from "#db/statement.ts";
import { readRegistry } from "#lib/blobs/session-registry.ts";
import type { CheckAnswer } from "#lib/wire/check-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { WorkOptions } from "../base/work-options.ts";
import {
  checkArtifacts,
  checkEvents,
  checkGaps,
  checkRowChecksums,
  checkSums,
  messageOf,
  type Note,
  type RowFindings,
} from "./check-rows.ts";
import { registryIds } from "../base/registry-ids.ts";

/** Problems that are listed, at most; all are counted. */
const LISTED = 1000;

export type Findings = CheckAnswer & {
  /** Sessions with rows that do not match their checksums, or imported ones whose blobs are damaged. */
  readonly badSessions: ReadonlySet<number>;
};

export async function check(archive: Archive, onProgress?: WorkOptions["onProgress"]): Promise<Findings> {
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
      note("database", what, `They cannot be read completely: ${messageOf(error)}.`);
    }
  };
  await part("pages", () => checkDatabase(archive, note));
  const found: RowFindings = { note, badSessions, counts: rows, onProgress };
  await part("events", () => checkEvents(archive, found));
  await part("projections", () => checkRowChecksums(archive, found));
  await part("rows", () => checkSums(archive, found));
  await part("artifacts", () => checkArtifacts(archive, found));
  await part("sessions", () => checkGaps(archive, found));
  onProgress?.({ done: rows.checked, total: null, what: "rows" });
  await part("blobs", () => checkBlobs(archive, note, badSessions, blobs, onProgress));
  await part("orphans", () => countOrphans(archive, blobs));
  await part("registries", () => checkRegistry(archive, note, registry));
  const ok = problems.length === 0;
  return { ok, blobs, rows, registry, rebuilt: null, problems, badSessions };
}

function checkDatabase(archive: Archive, note: Note): void {
  for (const line of scalar(archive.sqlite, "text", "PRAGMA integrity_check").all())
    if (line !== "ok") note("database", "archive.db", line);
  for (const row of query(
    archive.sqlite,
    { table: "text", rowid: "integer", parent: "integer", fkid: "integer" },
    "PRAGMA foreign_key_check",
  ).all())
    note("database", `${row.table} ${row.rowid}`, "A row refers to a missing row.");
}

async function checkBlobs(
  archive: Archive,
  note: Note,
  badSessions: Set<number>,
  counts: CheckAnswer["blobs"],
  onProgress?: WorkOptions["onProgress"],
): Promise<void> {
  const { sqlite, blobs } = archive;
  const rows = query(
    sqlite,
    { digest: "blobs.digest", isNamed: "integer" },
    `SELECT digest, EXISTS (SELECT 1 FROM artifacts a WHERE a.digest = b.digest AND a.deleted_at IS NULL) AS isNamed
         FROM blobs b WHERE removed_at IS NULL ORDER BY digest`,
  ).all();
  const importedWith = scalar(
    sqlite,
    "artifacts.session_pk",
    `SELECT DISTINCT a.session_pk FROM artifacts a JOIN sessions s ON s.pk = a.session_pk
         WHERE a.digest = ? AND a.deleted_at IS NULL AND s.source_pk IS NOT NULL`,
  );
  const isThere = command(sqlite, "SELECT 1 FROM blobs WHERE digest = ? AND removed_at IS NULL");
  for (const { digest, isNamed } of rows) {
    counts.checked++;
    if (counts.checked % 500 === 0) onProgress?.({ done: counts.checked, total: null, what: "blobs" });
    const state = await blobs.verify(digest);
    // What only tombstones name may be gone: the sweep was there, and its row comes later.
    if (state === "ok" || (state === "missing" && isNamed === 0)) continue;
    // Somebody deleted it since the rows were read.
    if (isThere.get(digest) === undefined) continue;
    counts[state]++;
    const imported = importedWith.all(digest);
    for (const pk of imported) badSessions.add(pk);
    const found =
      state === "missing" ? "The bytes are missing." : "The bytes do not match their digest, so they are not served.";
    const remedy =
      imported.length > 0
        ? "plimsoll check --rebuild restores them from imported logs."
        : "Storing the same content again restores them.";
    note("blob", digest, `${found} ${remedy}`);
  }
}

async function countOrphans({ sqlite, blobs }: Archive, counts: CheckAnswer["blobs"]): Promise<void> {
  const isKnown = command(sqlite, "SELECT 1 FROM blobs WHERE digest = ? AND removed_at IS NULL");
  // Bytes that nothing names are left by a crash between barrier and commit: harmless, and not a problem.
  for await (const digest of blobs.list()) if (isKnown.get(digest) === undefined) counts.orphan++;
}

async function checkRegistry(archive: Archive, note: Note, counts: CheckAnswer["registry"]): Promise<void> {
  // A line is there before its row can be read: rows that come later are not asked for.
  const last = scalar(archive.sqlite, "integer", "SELECT coalesce(max(pk), 0) FROM artifacts").get()!;
  const listed = new Set<string>();
  for (const id of registryIds(archive)) {
    for await (const { value, line } of readRegistry(archive.dir, id)) {
      counts.lines++;
      if (value === null) {
        counts.bad++;
        note("registry", `sessions/${id}/registry.jsonl:${line}`, "This line cannot be read. The others are intact.");
      } else listed.add(pointerOf(value));
    }
  }
  const pointers = scalar(archive.sqlite, "artifacts.pointer", "FROM artifacts WHERE pk <= ?").all(last);
  for (const pointer of pointers)
    if (!listed.has(pointer) && !(await isListedNow(archive, pointer)))
      note("registry", pointer, "No registry has this artifact. Only the database holds it.");
}

const pointerOf = (value: unknown): string => (value as { pointer?: string }).pointer ?? "";

/** A session that got another name meanwhile has its lines under that. */
async function isListedNow({ sqlite, dir }: Archive, pointer: string): Promise<boolean> {
  const id = scalar(
    sqlite,
    "sessions.id",
    "SELECT s.id FROM artifacts a JOIN sessions s ON s.pk = a.session_pk WHERE a.pointer = ?",
  ).get(pointer);
  if (id === undefined) return command(sqlite, "SELECT 1 FROM artifacts WHERE pointer = ?").get(pointer) === undefined;
  for await (const { value } of readRegistry(dir, id)) if (value !== null && pointerOf(value) === pointer) return true;
  return false;
}
