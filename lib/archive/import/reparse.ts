// A source read again from the archive's own bytes, by the parser of today. The agent may have deleted the file since, and
// what lay beside it: what they said comes from what the earlier reading left.
import { columns, command, query, scalar, select } from "#db/statement.ts";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { FORMATS } from "#lib/formats/index.ts";
import { fail } from "#lib/kernel/errors.ts";
import { isDocument, type SourceFile } from "#lib/kernel/draft.ts";
import type { Archive } from "../base/archive-type.ts";
import { dropEvents } from "../base/drop-events.ts";
import { rowRange } from "../base/row-keys.ts";
import { confirmNumbers } from "./keep-memory.ts";
import type { StoredBlob } from "./artifact-writer.ts";
import type { Batch } from "../base/batch.ts";
import { clearSessions, sessionsOf } from "./clear-source.ts";
import { heirsOf } from "./lineage.ts";
import { saveBeside } from "./beside-files.ts";
import { hasVersions, linkVersions } from "./earlier-versions.ts";
import type { FileOptions, Outcome } from "./file-options.ts";
import { findFormat } from "./format-head.ts";
import { Reading } from "./reading.ts";
import { rawHandle } from "./raw-handle.ts";
import { settleName } from "./settle.ts";
import { addKeptSidecars, besideNow, readSidecars } from "./sidecars.ts";
import { findSource, type SourceRow } from "./source-row.ts";

export type ReparseOptions = Pick<FileOptions, "signal" | "onBytes"> & {
  /** Outputs that the agent had put into files, by tool call, where the source's own rows do not name them. */
  readonly outputs?: ReadonlyMap<string, StoredBlob>;
  /** These count more than what the rows name. */
  readonly newerOutputs?: ReadonlyMap<string, StoredBlob>;
};

/** Reads a source again in place of what was read from it before, inside the batch's transaction. */
export async function reparse(
  archive: Archive,
  batch: Batch,
  sourcePk: number,
  options: ReparseOptions = {},
): Promise<Outcome> {
  const { sqlite } = archive;
  const { handle, source, format, file, given } = await readingOf(archive, sourcePk, options);
  const nameBefore = source.nativeId;
  const restore = rememberSource(archive, sourcePk);
  const confirm = confirmNumbers(archive, sourcePk);
  const heirs = heirsOf(archive, sessionsOf(archive, sourcePk));
  await clearEvents(archive, sourcePk, options);
  clearSessions(archive, sourcePk, heirs);
  command(sqlite, "DELETE FROM import_errors WHERE source_pk = ?").run(sourcePk);
  Object.assign(source, { seen: null, line: 1, state: null, records: 0, problems: 0, cutTail: null, stopped: null });
  source.formatVersion = format.version;
  const outcome = await new Reading(archive, batch, handle, format, source, file, given).run(null);
  restore();
  confirm();
  if (nameBefore !== null && nameBefore !== source.nativeId) settleName(archive, batch, nameBefore);
  const live = source.earlier === null ? source : fileOf(archive, sourcePk);
  if (live !== null) linkVersions(archive, live);
  return outcome!;
}

/**
 * Reads the bytes of a source that came in a bundle behind those which were read, as an import goes on in a file that has grown. Null where
 * that may differ from reading all of them: then the source is to be read again.
 */
export async function readOn(
  archive: Archive,
  batch: Batch,
  sourcePk: number,
  from: number,
  options: ReparseOptions = {},
): Promise<Outcome | null> {
  const { handle, source, format, file, given } = await readingOf(archive, sourcePk, options);
  const isEnd =
    source.state !== null && source.seen?.offset === from && source.cutTail === null && source.stopped === null;
  const isPlain = source.earlier === null && !source.isOlder && !hasVersions(archive, source);
  if (!isEnd || !isPlain || source.formatVersion !== format.version || isDocument(format, file)) return null;
  const restore = rememberSource(archive, sourcePk);
  const outcome = await new Reading(archive, batch, handle, format, source, file, given).run(source.state);
  restore();
  return outcome;
}

/** What a reading of a source's own bytes begins with. */
async function readingOf(archive: Archive, sourcePk: number, options: ReparseOptions) {
  const handle = rawHandle(archive, sourcePk);
  const source = findSource(archive, handle.path)!;
  const format = FORMATS.find((known) => known.id === source.format);
  if (format === undefined)
    fail("unsupported", `${handle.path} was read as "${source.format}", a format that this version does not know.`);
  const { head } = await findFormat(handle, [format]);
  const roots = [dirname(handle.path)];
  source.beside = besideNow(format, handle.path);
  const sidecars = await readSidecars(format, handle.path, roots, (file) => saveBeside(archive, sourcePk, file));
  addKeptSidecars(archive, format, source, sidecars);
  const file: SourceFile = { path: handle.path, head, sidecars, before: JSON.parse(source.state ?? "null") };
  const before = {
    nativeId: nativeIdOf(archive, sourcePk),
    outputs: new Map([
      ...(options.outputs ?? []),
      ...storedOutputsOf(archive, sourcePk),
      ...(options.newerOutputs ?? []),
    ]),
  };
  return {
    ...{ handle, source, format, file },
    given: { ...options, roots, final: true, atOnce: true, keepsRaw: false, before },
  };
}

/** Rows that are deleted at once: those of 60 MB took half a second, for which a put waited. */
const CLEARED = 500;

/** Takes out the events of a source piece by piece, so that what waits is seen between two. */
async function clearEvents(archive: Archive, sourcePk: number, { signal, onBytes }: ReparseOptions): Promise<void> {
  const { sqlite } = archive;
  const sessions = query(
    sqlite,
    { pk: "sessions.pk", end: "sessions.next_seq" },
    "FROM sessions WHERE source_pk = ?",
  ).all(sourcePk);
  for (const { pk, end } of sessions)
    for (let seq = 0; seq < end; seq += CLEARED) {
      signal?.throwIfAborted();
      dropEvents(archive, rowRange(pk, seq, seq + CLEARED - 1));
      await setImmediate();
      onBytes?.(0, 0);
    }
}

/** The file whose earlier version a source is. */
function fileOf(archive: Archive, versionPk: number): SourceRow | null {
  const path = scalar(
    archive.sqlite,
    "sources.path",
    "SELECT f.path FROM sources v JOIN sources f ON f.pk = v.earlier_of WHERE v.pk = ?",
  ).get(versionPk);
  return path === undefined ? null : findSource(archive, path);
}

const nativeIdOf = (archive: Archive, sourcePk: number): string | null =>
  scalar(archive.sqlite, "sessions.native_id", "FROM sessions WHERE source_pk = ? AND lane = ''").get(sourcePk) ?? null;

/** Outputs that the agent had put into files of its own, by tool call. */
export function storedOutputsOf(archive: Archive, sourcePk: number): Map<string, StoredBlob> {
  const rows = query(
    archive.sqlite,
    {
      id: "artifacts.tool_call_id!",
      ...columns("blobs", "digest", "size"),
      lineCount: "blobs.line_count",
      contentType: "artifacts.content_type",
    },
    `SELECT a.tool_call_id AS id, b.digest, b.size, b.line_count AS lineCount, a.content_type AS contentType
       FROM artifacts a
       JOIN sessions s ON s.pk = a.session_pk JOIN blobs b ON b.digest = a.digest
       WHERE s.source_pk = ? AND a.saw = 'preview' AND a.offloaded_by = 'agent' AND a.tool_call_id IS NOT NULL`,
  ).all(sourcePk);
  return new Map(rows.map(({ id, ...blob }) => [id, blob]));
}

/**
 * What a reading of the file itself found out stays: how the file was, when it was read, that it is gone now, and which blobs
 * were removed.
 */
function rememberSource(archive: Archive, sourcePk: number): () => void {
  const { sqlite } = archive;
  const row = select(
    sqlite,
    "sources",
    ["status", "reason", "size", "mtime_ms", "head", "head_bytes", "tail", "imported_at", "changed_at", "gone_at"],
    "WHERE pk = ?",
  ).get(sourcePk)!;
  const removed = query(
    sqlite,
    { digest: "blobs.digest", at: "blobs.removed_at!" },
    `SELECT DISTINCT b.digest, b.removed_at AS at FROM artifacts a JOIN sessions s ON s.pk = a.session_pk
       JOIN blobs b ON b.digest = a.digest WHERE s.source_pk = ? AND b.removed_at IS NOT NULL`,
  ).all(sourcePk);
  return () => {
    const { status, reason, ...seen } = row;
    const names = Object.keys(seen);
    command(sqlite, `UPDATE sources SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE pk = ?`).run(
      ...Object.values(seen),
      sourcePk,
    );
    if (status === "gone" || status === "failed")
      command(sqlite, "UPDATE sources SET status = ?, reason = ? WHERE pk = ? AND status = 'ok'").run(
        status,
        reason,
        sourcePk,
      );
    for (const { digest, at } of removed)
      command(
        sqlite,
        `UPDATE blobs SET removed_at = ? WHERE digest = ?
           AND NOT EXISTS (SELECT 1 FROM artifacts a WHERE a.digest = blobs.digest AND a.deleted_at IS NULL)`,
      ).run(at, digest);
  };
}
