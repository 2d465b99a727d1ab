// What of a session stands in no file: the whole log of one that Plimsoll holds, and memory, plans and reads of the others.
import { createHash } from "node:crypto";
import type { Rows } from "#db/schema.ts";
import { command, query, scalar, select } from "#db/statement.ts";
import { eventBody, eventText } from "#lib/kernel/event.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Archive } from "../base/archive-type.ts";
import { endAsThere } from "../artifacts/tombstone.ts";
import { dropBeside } from "../base/beside-rows.ts";
import { artifactOfRow, insertArtifactRow, registerAgain } from "../base/artifact-row.ts";
import type { Batch } from "../base/batch.ts";
import { publicSessionId, rowRange } from "../base/row-keys.ts";
import { storedHead } from "../artifacts/stored-text.ts";
import type { SessionLine } from "../artifacts/held-session.ts";
import { EVENT_ROW, eventChecksum, type EventColumns } from "../import/event-checksum.ts";
import { settleParents } from "../import/parents.ts";
import { settleFigures } from "../import/session-stats.ts";
import { SUMMED_ROWS } from "../upkeep/check-rows.ts";
import type { BlobTaker } from "./bundled-blobs.ts";
import type { BundledSession, BundleEntry } from "./bundle-manifest.ts";
import { addRow, isLogTable, isRowTable, mergeRow, ownRow, refuse, rowsOf, type BundledRow } from "./bundle-rows.ts";
import { addBesideFile, isFileTable, mergeFileRow } from "./bundled-beside.ts";
import { givePointers, type PointerRow } from "./bundled-pointers.ts";
import { checked, type OpenBundle } from "./open-bundle.ts";
import { wholeLines } from "./whole-lines.ts";

/** The rows of an entry, one a line. */
async function* readRows(bundle: OpenBundle, entry: BundleEntry): AsyncGenerator<BundledRow> {
  for await (const line of wholeLines(checked(bundle, entry), LIMITS.lineBytes * 2, entry.name))
    yield rowOf(line.toString("utf8"));
}

function rowOf(line: string): BundledRow {
  const { table, row } = JSON.parse(line) as { table?: unknown; row?: unknown };
  if (!isRowTable(table) || typeof row !== "object" || row === null || Array.isArray(row))
    return refuse("a line names no table of a bundle");
  return { table, row: row as BundledRow["row"] };
}

/** The session that a file was read as; of a copy the one that has its records. */
export function sessionOfFile(archive: Archive, sourcePk: number, lane: string): { pk: number; id: string } | null {
  const row = query(
    archive.sqlite,
    { pk: "sessions.pk", id: "sessions.id" },
    `SELECT pk, id FROM sessions WHERE source_pk = coalesce((SELECT older_of FROM sources WHERE pk = @pk), @pk) AND lane = @lane`,
  ).get({ pk: sourcePk, lane });
  return row ?? null;
}

/**
 * Adds memory, plans and marks that are not here yet; whether there were any. `isCopy`: in place of those that are here, and outputs
 * that were deleted there are deleted here.
 */
export async function mergeRows(
  archive: Archive,
  batch: Batch,
  bundle: OpenBundle,
  entry: BundleEntry | null,
  pk: number,
  isCopy: boolean,
): Promise<boolean> {
  let isChanged = false;
  if (isCopy) {
    if (entry !== null && digestOfRows(archive, pk, false) === entry.sha256) return endAsThere(archive, batch, pk);
    isChanged = dropBeside(archive, pk);
  }
  for await (const given of entry === null ? [] : readRows(bundle, entry)) {
    if (isLogTable(given.table)) refuse(`${entry!.name} has a log, which its file has`);
    const { table, row } = given;
    if (table === "pointers" || isForeign(archive, given, pk)) continue;
    if (isFileTable(table)) isChanged = mergeFileRow(archive, { table, row }, pk) || isChanged;
    else if (mergeRow(archive.sqlite, table, ownRow(archive.sqlite, given, pk), pk)) isChanged = true;
  }
  if (isCopy && endAsThere(archive, batch, pk)) isChanged = true;
  if (isChanged) command(archive.sqlite, "UPDATE sessions SET version = version + 1 WHERE pk = ?").run(pk);
  return isChanged;
}

/** The pointers that its outputs had; an output that is not there has none. */
export async function addPointers(
  archive: Archive,
  batch: Batch,
  bundle: OpenBundle,
  entry: BundleEntry,
  pk: number,
): Promise<void> {
  const wanted: PointerRow[] = [];
  for await (const { table, row } of readRows(bundle, entry)) {
    if (table !== "pointers") break;
    const { seq, digest, pointer } = row;
    if (!isPointer(pointer) || typeof digest !== "string" || !(seq === null || typeof seq === "number"))
      return refuse(`a pointer of ${entry.name} is none`);
    wanted.push({ seq, digest, pointer });
  }
  givePointers(archive, batch, pk, wanted);
}

const isPointer = (value: unknown): value is string => typeof value === "string" && /^art:[0-9a-f-]{36}$/.test(value);

/** Outputs of the session that were deleted where the bundle was made. */
export async function deletedPointers(archive: Archive, bundle: OpenBundle, entry: BundleEntry): Promise<void> {
  for await (const given of readRows(bundle, entry))
    if (given.table === "deleted_pointers" && !isForeign(archive, given, null))
      mergeRow(archive.sqlite, "deleted_pointers", ownRow(archive.sqlite, given, 0), 0);
}

/** Small files that lay beside a session's own, which is read with them; whether any was not here yet, or another. */
export async function addBesideFiles(
  archive: Archive,
  bundle: OpenBundle,
  entry: BundleEntry,
  source: { readonly pk: number; readonly path: string },
): Promise<boolean> {
  let isNew = false;
  for await (const { table, row } of readRows(bundle, entry))
    if (table === "beside_files" && row["bytes"] !== null) isNew = addBesideFile(archive, { row }, source) || isNew;
  return isNew;
}

/** True for a row about an output of another session: a bundle says nothing of these. */
function isForeign(archive: Archive, { table, row }: BundledRow, pk: number | null): boolean {
  if (table !== "deleted_pointers" && table !== "artifact_reads") return false;
  const owner = scalar(archive.sqlite, "artifacts.session_pk", "FROM artifacts WHERE pointer = ?").get(row["pointer"]);
  return owner !== undefined && owner !== pk;
}

export type AddedLog = { readonly isNew: boolean; readonly artifacts: number; readonly reason: string | null };

/** A session without a file: its log as it was, or the one that is here. */
export async function addHeldLog(
  archive: Archive,
  batch: Batch,
  bundle: OpenBundle,
  { nativeId, id, rows }: BundledSession,
  blobs: BlobTaker,
): Promise<AddedLog> {
  const { sqlite } = archive;
  if (publicSessionId(nativeId) !== id) refuse(`session ${id} is not the id of ${nativeId}`);
  const known = select(sqlite, "sessions", ["pk", "source_pk"], "WHERE native_id = ?").get(nativeId);
  if (known !== undefined) {
    const isSame = known.source_pk === null && digestOfRows(archive, known.pk, true) === rows!.sha256;
    const reason = isSame ? null : `Session ${id} differs from the one that is here, which was kept.`;
    return { isNew: false, artifacts: 0, reason };
  }
  let pk: number | null = null;
  let artifacts = 0;
  for await (const given of readRows(bundle, rows!)) {
    if (given.table === "sessions") {
      if (pk !== null) refuse("a log has two sessions");
      pk = addSession(archive, given, nativeId, id);
      continue;
    }
    if (pk === null) return refuse("a log does not begin with its session");
    if (given.table === "pointers" || isFileTable(given.table)) return refuse("a log has rows of a file");
    if (given.table === "artifacts") {
      await addArtifact(archive, blobs, given, pk);
      artifacts++;
    } else if (given.table === "events") addEvent(archive, given, pk);
    else if (!isForeign(archive, given, pk)) {
      const row = ownRow(sqlite, given, pk);
      if (given.table === "deleted_pointers") mergeRow(sqlite, given.table, row, pk);
      else addRow(sqlite, given.table, row, pk);
    }
  }
  if (pk === null) return refuse(`${rows!.name} has no session`);
  await finishLog(archive, batch, pk);
  return { isNew: true, artifacts, reason: null };
}

function digestOfRows(archive: Archive, pk: number, isWhole: boolean): string {
  const hash = createHash("sha256");
  for (const line of rowsOf(archive, pk, isWhole)) hash.update(`${JSON.stringify(line)}\n`);
  return hash.digest("hex");
}

function addSession(archive: Archive, given: BundledRow, nativeId: string, id: string): number {
  const { sqlite } = archive;
  if (given.row["native_id"] !== nativeId) refuse(`the log of ${id} is that of another session`);
  // Its key is known once it is there; the counters name rows by it.
  const bare = { ...given, row: { ...given.row, tally: "{}" } };
  addRow(sqlite, "sessions", { ...ownRow(sqlite, bare, 0), id }, 0);
  const pk = scalar(sqlite, "sessions.pk", "FROM sessions WHERE id = ?").get(id)!;
  command(sqlite, "UPDATE sessions SET tally = ? WHERE pk = ?").run(ownRow(sqlite, given, pk)["tally"], pk);
  return pk;
}

async function addArtifact(archive: Archive, blobs: BlobTaker, given: BundledRow, pk: number): Promise<void> {
  const { sqlite } = archive;
  const row = ownRow(sqlite, given, pk) as Rows["artifacts"];
  if (!isPointer(row.pointer)) refuse(`"${String(row.pointer).slice(0, 60)}" is not a pointer`);
  const digest = /^[0-9a-f]{64}$/.test(row.digest) ? row.digest : refuse("an artifact has no digest");
  if (blobs.has(digest)) await blobs.add(digest, row.created_at);
  else {
    // Its bytes are gone where the bundle was made.
    command(
      sqlite,
      "INSERT OR IGNORE INTO blobs (digest, size, line_count, created_at, removed_at) VALUES (?, ?, ?, ?, ?)",
    ).run(digest, row.size, row.line_count, row.created_at, row.deleted_at ?? archive.host.now());
  }
  insertArtifactRow(archive, pk, { ...artifactOfRow(row), preview: row.preview });
}

function addEvent(archive: Archive, given: BundledRow, pk: number): void {
  const { sqlite } = archive;
  const row = ownRow(sqlite, given, pk) as Rows["events"];
  const body = eventBody.safeParse(JSON.parse(row.body));
  if (!body.success || body.data.type !== row.type) return refuse(`event ${String(given.row["seq"])} is not an event`);
  addRow(sqlite, "events", { ...row, checksum: 0 }, pk);
  const added = query(sqlite, EVENT_ROW, "FROM events WHERE id = ?").get(row.id)!;
  command(sqlite, "UPDATE events SET checksum = ? WHERE id = ?").run(
    eventChecksum({ ...(added as EventColumns), body: added.body }),
    row.id,
  );
  const text = eventText(body.data);
  const words = body.data.type === "tool_call" ? `${body.data.toolName} ${text}` : text;
  command(sqlite, "INSERT INTO search (rowid, text) VALUES (?, ?)").run(row.id, words.slice(0, LIMITS.searchChars));
}

/** Figures, parents, the words of stored outputs, and the registry, from which the rows come back. */
async function finishLog(archive: Archive, batch: Batch, pk: number): Promise<void> {
  const { sqlite } = archive;
  await archive.blobs.flush();
  settleParents(archive, pk);
  settleFigures(archive, pk);
  for (const { table, columns } of SUMMED_ROWS)
    command(
      sqlite,
      `UPDATE ${table} SET checksum = row_hash(${columns}) WHERE session_pk = ? AND checksum IS NULL`,
    ).run(pk);
  await indexOutputs(archive, pk);
  const session = query(sqlite, { "*": "sessions.*" }, "FROM sessions WHERE pk = ?").get(pk)!;
  const { id, native_id: nativeId } = session;
  if (session.held === 1) batch.register(id, sessionLine(archive, session));
  registerAgain(archive, batch, pk);
  const names = select(sqlite, "artifact_names", ["name", "pointer", "bound_at"], "WHERE session_pk = ? ORDER BY pk");
  for (const { name, pointer, bound_at: at } of names.all(pk))
    batch.register(id, { op: "name", nativeId, name, pointer, at });
  for (const turn of JSON.parse(session.closed_turns) as number[])
    batch.register(id, { op: "close", nativeId, turn, at: batch.now });
}

function sessionLine(archive: Archive, row: Rows["sessions"]): SessionLine {
  const settings = scalar(archive.sqlite, "held_compaction.settings", "FROM held_compaction WHERE session_pk = ?").get(
    row.pk,
  );
  return {
    op: "session",
    nativeId: row.native_id,
    title: row.title,
    titleRank: row.title_rank,
    createdAt: row.started_at ?? row.written_at ?? 0,
    model: row.model,
    agentName: row.agent_name,
    window: row.window,
    policy: row.policy === null ? null : (JSON.parse(row.policy) as SessionLine["policy"]),
    compaction: settings == null ? null : (JSON.parse(settings) as SessionLine["compaction"]),
  };
}

/** Where an event has an envelope alone, search finds it by what was stored too. */
async function indexOutputs(archive: Archive, pk: number): Promise<void> {
  const { sqlite } = archive;
  const due = query(
    sqlite,
    { id: "events.id", body: "events.body", pointer: "events.artifact!" },
    `SELECT id, body, artifact AS pointer FROM events WHERE id BETWEEN ? AND ? AND type = 'tool_result' AND artifact IS NOT NULL
       AND json_extract(body, '$.saw') = 'preview'`,
  ).all(...rowRange(pk));
  for (const { id, body, pointer } of due) {
    const head = await storedHead(archive, pointer, LIMITS.searchChars);
    if (head === null) continue;
    command(sqlite, "DELETE FROM search WHERE rowid = ?").run(id);
    const words = `${eventText(eventBody.parse(JSON.parse(body)))}\n${head}`;
    command(sqlite, "INSERT INTO search (rowid, text) VALUES (?, ?)").run(id, words.slice(0, LIMITS.searchChars));
  }
}
