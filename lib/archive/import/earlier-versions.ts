// Earlier versions of a source file. A file that is truncated, rotated or rewritten shows what it holds now; records that it
// no longer holds stay as a version of their own: a source with raw blocks and sessions, numbered from 1. Records that come
// back leave the version, so each record stands in one version and is counted once.
import { columns, command, query, scalar, select, type Columns, type RowOf } from "#db/statement.ts";
import { createHash } from "node:crypto";
import { readBlocks } from "#lib/sources/blocks.ts";
import type { SourceHandle } from "#lib/sources/source-handle.ts";
import type { SourceRecord } from "#lib/kernel/draft.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { Archive } from "../base/archive-type.ts";
import { registerAgain } from "../base/artifact-row.ts";
import { publicSessionId } from "../base/row-keys.ts";
import { keepMarks, moveMemory } from "./keep-memory.ts";
import type { Batch } from "../base/batch.ts";
import { clearSessions } from "./clear-source.ts";
import { settleFigures } from "./session-stats.ts";
import { disown, partnersOf } from "./lineage.ts";
import { copyRecords } from "./raw-copy.ts";
import { rawHandle } from "./raw-handle.ts";
import { rawBytes } from "./raw-writer.ts";
import { earlierName, type SourceRow } from "./source-row.ts";
import { digestOfRecord, Recipe } from "./version-recipe.ts";

const VERSION_COLUMNS = { pk: "sources.pk", earlier: "sources.earlier!" } as const satisfies Columns;
type Version = RowOf<typeof VERSION_COLUMNS>;

/** What is left to do once the file was read. */
export type Comparison = {
  /** sha-256 of the bytes that were compared: what is read must be the same bytes. */
  readonly sha: string;
  /** Versions with fewer records than before: their sessions are read again. */
  readonly trimmed: readonly number[];
};

/** A part of a file: all of it, or what was appended. */
export type Span = {
  readonly from: number;
  readonly line: number;
  readonly final: boolean;
  readonly signal?: AbortSignal;
};

export const WHOLE: Span = { from: 0, line: 1, final: true };

/** Versions that a record of this source may come back to. */
const versionsOf = (archive: Archive, source: SourceRow): Version[] =>
  query(
    archive.sqlite,
    VERSION_COLUMNS,
    "FROM sources WHERE earlier IS NOT NULL AND (earlier_of = ? OR native_id = ?) ORDER BY earlier",
  ).all(source.pk, source.nativeId);

export const hasVersions = (archive: Archive, source: SourceRow): boolean => versionsOf(archive, source).length > 0;

/** True when records of an earlier version stand in this part of the file again. */
export async function hasRegained(
  archive: Archive,
  source: SourceRow,
  handle: SourceHandle,
  span: Span,
): Promise<boolean> {
  const versions = versionsOf(archive, source);
  if (versions.length === 0) return false;
  const find = command(archive.sqlite, "SELECT 1 FROM earlier_records WHERE digest = ? AND source_pk = ?");
  for await (const block of readBlocks(handle, span)) {
    const digests = block.records.map(digestOfRecord);
    block.release?.();
    if (digests.some((digest) => versions.some(({ pk }) => find.get(digest, pk) !== undefined))) return true;
  }
  return false;
}

/**
 * Before a file is read anew: what it no longer holds becomes an earlier version, in place of the source's rows. The source
 * is cleared by the caller, after this.
 */
export async function keepEarlier(
  archive: Archive,
  batch: Batch,
  source: SourceRow,
  handle: SourceHandle,
  span: Span,
): Promise<Comparison> {
  const { sqlite } = archive;
  const version = addVersion(archive, source);
  const add = command(sqlite, "INSERT OR IGNORE INTO earlier_records (digest, source_pk) VALUES (?, ?)");
  const recipe = new Recipe();
  for await (const block of readBlocks(rawHandle(archive, source.pk), WHOLE)) {
    const digests = block.records.map(digestOfRecord);
    for (const digest of digests) add.run(digest, version.pk);
    recipe.add(block, digests);
  }
  const before = recordsOf(archive, version.pk);
  const others = versionsOf(archive, source).filter(({ pk }) => pk !== version.pk);
  const { sha, shrunk } = await removeRegained(archive, [version, ...others], handle, span);
  await removeHeldElsewhere(archive, source, version);
  const left = recordsOf(archive, version.pk);
  const trimmed = await trimAll(
    archive,
    source,
    shrunk.filter(({ pk }) => pk !== version.pk),
  );
  if (left > 0) recipe.save(archive, version.pk);
  if (left === 0) command(sqlite, "DELETE FROM sources WHERE pk = ?").run(version.pk);
  else if (left === before) moveWhole(archive, batch, source, version);
  else {
    await copyRecords(archive, source.pk, version.pk, isIn(archive, version.pk));
    trimmed.push(version.pk);
  }
  return { sha, trimmed };
}

/** Before appended lines are read that bring records of earlier versions back: these leave their versions. */
export async function releaseRegained(
  archive: Archive,
  source: SourceRow,
  handle: SourceHandle,
  span: Span,
): Promise<Comparison> {
  const { sha, shrunk } = await removeRegained(archive, versionsOf(archive, source), handle, span);
  return { sha, trimmed: await trimAll(archive, source, shrunk) };
}

/** Fails when other bytes were read than were compared: somebody wrote the file meanwhile. */
export function requireSame(archive: Archive, source: SourceRow, from: number, { sha }: Comparison): void {
  const hash = createHash("sha256");
  for (const bytes of rawBytes(archive, source.pk, from, Number.MAX_SAFE_INTEGER)) hash.update(bytes);
  if (hash.digest("hex") !== sha)
    fail("conflict", `${source.path} changed while it was read. Its next change triggers another read.`);
}

/** After the file and the versions were read: who shares with whom, and the figures that follow. */
export function linkVersions(archive: Archive, source: SourceRow): void {
  const { sqlite } = archive;
  const pair = command(sqlite, "INSERT OR IGNORE INTO lineage (session_pk, other_pk, records) VALUES (?, ?, 0)");
  const touched = new Set<number>();
  for (const { pk } of versionsOf(archive, source)) {
    command(
      sqlite,
      "UPDATE sessions SET parent_native = NULL, parent_pk = NULL, parent_tool_call_seq = NULL WHERE source_pk = ? AND lane = ''",
    ).run(pk);
    const pairs = query(
      sqlite,
      { earlier: "sessions.pk", now: "sessions.pk" },
      "SELECT e.pk AS earlier, s.pk AS now FROM sessions e JOIN sessions s ON s.lane = e.lane AND s.source_pk = ? WHERE e.source_pk = ?",
    ).all(source.pk, pk);
    for (const { earlier, now } of pairs) {
      // Calls whose lines were cut apart have one key in both.
      pair.run(earlier, now);
      pair.run(now, earlier);
      command(sqlite, DESCRIBE).run({ earlier, now });
    }
    for (const session of scalar(sqlite, "sessions.pk", "FROM sessions WHERE source_pk = ?").all(pk))
      for (const one of [session, ...partnersOf(archive, session)]) touched.add(one);
  }
  for (const pk of touched) disown(archive, pk);
  for (const pk of touched) settleFigures(archive, pk);
}

/** A version of a few records may lack those that say what the session is. */
const DESCRIBE = `UPDATE sessions SET title = iif(e.title = '', n.title, e.title), cwd = coalesce(e.cwd, n.cwd),
    model = coalesce(e.model, n.model), agent_name = coalesce(e.agent_name, n.agent_name),
    agent_version = coalesce(e.agent_version, n.agent_version)
  FROM (SELECT * FROM sessions WHERE pk = @earlier) e, (SELECT * FROM sessions WHERE pk = @now) n WHERE sessions.pk = e.pk`;

const recordsOf = (archive: Archive, sourcePk: number): number =>
  scalar(archive.sqlite, "integer", "SELECT count(*) FROM earlier_records WHERE source_pk = ?").get(sourcePk)!;

function isIn(archive: Archive, sourcePk: number): (record: SourceRecord) => boolean {
  const find = command(archive.sqlite, "SELECT 1 FROM earlier_records WHERE digest = ? AND source_pk = ?");
  return (record) => find.get(digestOfRecord(record), sourcePk) !== undefined;
}

/** Takes the records of a part of a file out of the versions. Gives those that have fewer than before. */
async function removeRegained(
  archive: Archive,
  versions: readonly Version[],
  handle: SourceHandle,
  span: Span,
): Promise<{ sha: string; shrunk: Version[] }> {
  const hash = createHash("sha256");
  const remove = command(archive.sqlite, "DELETE FROM earlier_records WHERE digest = ? AND source_pk = ?");
  const shrunk = new Set<Version>();
  for await (const block of readBlocks(handle, span)) {
    hash.update(block.bytes);
    for (const record of block.records) {
      const digest = digestOfRecord(record);
      for (const version of versions) if (remove.run(digest, version.pk).changes > 0) shrunk.add(version);
    }
    block.release?.();
  }
  return { sha: hash.digest("hex"), shrunk: [...shrunk] };
}

/** What stands in another file of the same session is not lost: a copy that was rotated and is read too. */
async function removeHeldElsewhere(archive: Archive, source: SourceRow, version: Version): Promise<void> {
  const others = scalar(
    archive.sqlite,
    "sources.pk",
    "FROM sources WHERE native_id = ? AND earlier IS NULL AND older_of IS NULL AND pk <> ?",
  ).all(source.nativeId, source.pk);
  for (const pk of others) await removeRegained(archive, [version], rawHandle(archive, pk), WHOLE);
}

/** Versions without records go; the others are made anew of the records that are left. Gives those to be read again. */
async function trimAll(archive: Archive, source: SourceRow, versions: readonly Version[]): Promise<number[]> {
  const { sqlite } = archive;
  const trimmed: number[] = [];
  for (const version of versions) {
    if (recordsOf(archive, version.pk) === 0) moveMemory(archive, version.pk, source.pk);
    else {
      // Under another path for a moment: both rows are there while the records are copied.
      command(sqlite, "UPDATE sources SET path = path || ' (before)' WHERE pk = ?").run(version.pk);
      const fresh = addVersion(archive, source, version.pk);
      for (const table of ["earlier_records", "version_recipes"])
        command(sqlite, `UPDATE ${table} SET source_pk = ? WHERE source_pk = ?`).run(fresh.pk, version.pk);
      await copyRecords(archive, version.pk, fresh.pk, isIn(archive, fresh.pk));
      trimmed.push(fresh.pk);
    }
    clearSessions(archive, version.pk);
    command(sqlite, "DELETE FROM sources WHERE pk = ?").run(version.pk);
  }
  return trimmed;
}

/** The row of a new version, or of one that is made anew. */
export function addVersion(archive: Archive, source: SourceRow, again?: number): Version {
  const { sqlite } = archive;
  const last =
    scalar(sqlite, "integer?", "SELECT max(earlier) FROM sources WHERE earlier_of = ? OR native_id = ?").get(
      source.pk,
      source.nativeId,
    ) ?? null;
  const before = query(
    sqlite,
    { ...columns("sources", "earlier", "earlier_of", "replaced_at"), native_id: "sources.native_id!" },
    "FROM sources WHERE pk = ?",
  ).get(again ?? source.pk)!;
  const earlier = before.earlier ?? (last ?? 0) + 1;
  const of = before.earlier_of ?? source.pk;
  const { lastInsertRowid } = command(
    sqlite,
    `INSERT INTO sources (path, format, format_version, status, native_id, earlier, earlier_of, replaced_at, mtime_ms, imported_at, changed_at)
       SELECT 'version ' || CAST(? AS INTEGER) || ' of ' || (SELECT path FROM sources WHERE pk = ?), format, format_version, 'earlier version', ?, ?, ?, ?, mtime_ms, imported_at, changed_at
       FROM sources WHERE pk = ?`,
  ).run(earlier, of, before.native_id, earlier, of, before.replaced_at ?? archive.host.now(), again ?? source.pk);
  return { pk: Number(lastInsertRowid), earlier };
}

/** Nothing of the file is left in it: its rows become the version's as they are. */
export function moveWhole(archive: Archive, batch: Batch, source: SourceRow, version: Version): void {
  const { sqlite } = archive;
  for (const table of ["raw_blocks", "import_errors"])
    command(sqlite, `UPDATE ${table} SET source_pk = ? WHERE source_pk = ?`).run(version.pk, source.pk);
  command(
    sqlite,
    `UPDATE sources SET (size, records, problems, line, offset) = (SELECT offset, records, problems, line, offset FROM sources WHERE pk = ?) WHERE pk = ?`,
  ).run(source.pk, version.pk);
  const rows = select(sqlite, "sessions", ["pk", "id", "native_id", "lane"], "WHERE source_pk = ?").all(source.pk);
  const name = earlierName(source.nativeId!, version.earlier);
  for (const { pk, id, native_id: before, lane } of rows) {
    keepMarks(archive, pk, before);
    const nativeId = lane === "" ? name : `${name}/${lane}`;
    batch.unregister(id);
    command(
      sqlite,
      `UPDATE sessions SET id = ?, native_id = ?, source_pk = ?, earlier = ?, parent_native = iif(lane = '', NULL, ?), version = version + 1 WHERE pk = ?`,
    ).run(publicSessionId(nativeId), nativeId, version.pk, version.earlier, name, pk);
    // Sub-agents in files of their own are those of the session that the file holds now.
    command(
      sqlite,
      "UPDATE sessions SET parent_pk = NULL, parent_tool_call_seq = NULL WHERE parent_pk = ? AND source_pk IS NOT ?",
    ).run(pk, version.pk);
    registerAgain(archive, batch, pk);
  }
}
