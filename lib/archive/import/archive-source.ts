// An archive among the files of an import: its entries are unpacked into a folder of ours and read like files of a folder, under the
// archive's path and their own names. Archives inside it are unpacked too, and none inside of those.
import { readFileSync } from "node:fs";
import { command, query, scalar } from "#db/statement.ts";
import { FORMATS } from "#lib/formats/index.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { eventNumber, eventRows, writeLines } from "#lib/sources/event-folder.ts";
import { openSource, type SourceHandle } from "#lib/sources/source-handle.ts";
import { spooledHandle } from "#lib/sources/spooled-handle.ts";
import { archiveKind, budgetFor, unpack, type ArchiveKind, type Budget, type Unpacked } from "#lib/sources/unpack.ts";
import type { ImportedFile } from "#lib/wire/sources-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { copiesFolder } from "./database-source.ts";
import { groupEntries, type EntryGroup } from "./event-files.ts";
import { removedFiles } from "./remove-source.ts";
import { statOf } from "./list-files.ts";
import { noteUnread } from "./source-row.ts";
import { isLookedInto, Unmatched } from "./unmatched.ts";

export type ArchiveFile = {
  readonly path: string;
  readonly size: number;
  readonly others: Unmatched;
  open(final: boolean): SourceHandle;
  /** A small file of the archive, by the path that it has as a source. */
  beside(path: string): { readonly bytes: Uint8Array; readonly mtimeMs: number } | null;
};

export type ExpandedArchive = {
  readonly files: readonly ArchiveFile[];
  /** Files of it that nothing looks into. */
  readonly others: Unmatched;
  /** Sessions of it that are here already, when it is as it was. */
  readonly unchanged: readonly string[] | null;
  /** Why it was not read, or not to its end. */
  readonly reason: string | null;
  /** Notes that its files were read: until then, an import that ended early leaves it to the next one. */
  readonly finish?: () => void;
  close(): void;
};

/** Raised when more of an archive is read than before. 2: what a cancelled import of version 1 left unread. */
const VERSION = 2;
export const ARCHIVE_FORMAT = "archive";
const ENDINGS = /\.(?:zip|eval|t?gz|tar|tzst|tar\.zst)$/i;
const NESTED = /\.(?:zip|eval|t?gz|tar)$/i;
const WORDS: Readonly<Record<ArchiveKind, string>> = {
  zip: "a zip archive",
  tar: "a tar archive",
  "tar.gz": "a tar archive in gzip",
  "tar.zst": "a tar archive in zstd",
  gz: "a gzip file",
};

/** Found in a folder it is known by its ending; one that a person named is looked into. */
export const mayBeArchive = (path: string, named: boolean): boolean => ENDINGS.test(path) || named;

/** The archive with its entries; null for a file that is none. */
export async function expandArchive(
  archive: Archive,
  batch: Batch,
  path: string,
  roots: readonly string[],
  signal?: AbortSignal,
): Promise<ExpandedArchive | null> {
  let handle: SourceHandle;
  try {
    handle = await openSource(path, roots);
  } catch (error) {
    // Reading it as a file says what is the matter.
    if (isAppError(error)) return null;
    throw error;
  }
  try {
    const kind = await archiveKind(handle);
    if (kind === null) return null;
    if (isUnchanged(archive, handle)) return { ...NOTHING(path), unchanged: sessionsOf(archive, path) };
    return await expand(archive, batch, handle, kind, signal);
  } finally {
    await handle.close();
  }
}

const NOTHING = (path: string): ExpandedArchive => ({
  files: [],
  others: new Unmatched(path),
  unchanged: null,
  reason: null,
  close: () => undefined,
});

async function expand(
  archive: Archive,
  batch: Batch,
  handle: SourceHandle,
  kind: ArchiveKind,
  signal?: AbortSignal,
): Promise<ExpandedArchive> {
  const { path } = handle;
  const folder = copiesFolder(archive);
  const closers: (() => void)[] = [];
  const close = (): void => closers.forEach((one) => one());
  const entries = new Map<string, Unpacked>();
  let problem: string | null = null;
  const add = async (one: SourceHandle, what: ArchiveKind, budget: Budget, depth: number): Promise<void> => {
    const unpacked = await unpack(one, what, folder, budget, signal);
    closers.push(unpacked.close);
    problem ??= unpacked.problem;
    for (const entry of unpacked.entries.values()) {
      const own = { ...entry, name: `${one.path}#${entry.name}` };
      const nested = depth === 0 && NESTED.test(entry.name) ? handleOf(own) : null;
      try {
        const inside = nested === null ? null : await archiveKind(nested);
        if (nested === null || inside === null) entries.set(own.name, own);
        else await add(nested, inside, budget, depth + 1);
      } finally {
        await nested?.close();
      }
    }
  };
  try {
    await add(handle, kind, budgetFor(handle.size), 0);
  } catch (error) {
    close();
    if (!isAppError(error)) throw error;
    batch.begin();
    noteUnread(archive, path, "failed", error.message, handle);
    return { ...NOTHING(path), reason: error.message };
  }
  batch.begin();
  noteArchive(archive, handle, WORDS[kind], problem);
  const removed = removedFiles(archive);
  const others = new Unmatched(path);
  const files: ArchiveFile[] = [];
  const beside = (name: string): { bytes: Uint8Array; mtimeMs: number } | null => {
    const entry = entries.get(name);
    if (entry?.file == null || entry.size > LIMITS.sidecarBytes) return null;
    return { bytes: readFileSync(entry.file), mtimeMs: entry.mtimeMs };
  };
  for (const { name } of entries.values()) others.noteRead(name);
  const { groups, parts } = groupEntries([...entries.keys()], (name) => entries.get(name)?.file ?? null);
  for (const entry of entries.values()) {
    if (
      parts.has(entry.name) ||
      removed.has(entry.name) ||
      FORMATS.some((format) => format.isPart?.(entry.name) === true || entries.has(format.repeats?.(entry.name) ?? ""))
    )
      continue;
    const isWanted = isLookedInto(entry.name) || FORMATS.some((format) => format.wants(entry.name));
    if (!isWanted) others.add(entry.name, entry.size);
    else {
      const group = groups.get(entry.name);
      const open = (): SourceHandle => (group === undefined ? handleOf(entry) : joinedEntries(entry, group, entries));
      files.push({ path: entry.name, size: entry.size, others, open, beside });
    }
  }
  const finish = (): void => noteFinished(archive, path);
  return { files, others, unchanged: null, reason: problem, finish, close };
}

const handleOf = ({ name, file, mtimeMs }: Unpacked): SourceHandle =>
  spooledHandle({ path: name, file: file!, mtimeMs, dev: "entry", ino: "" });

/** Events that are an entry each, as lines of one file beside the first. */
function joinedEntries(
  entry: Unpacked,
  { events, state }: EntryGroup,
  entries: ReadonlyMap<string, Unpacked>,
): SourceHandle {
  const valueOf = (name: string): Readonly<Record<string, unknown>> | null => {
    const { file = null, size = 0 } = entries.get(name) ?? {};
    if (file === null || size > LIMITS.lineBytes) return null;
    try {
      const value: unknown = JSON.parse(readFileSync(file, "utf8"));
      return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : null;
    } catch {
      return null;
    }
  };
  const rows = events.flatMap((name) => {
    const event = valueOf(name);
    return event === null ? [] : [{ number: eventNumber(name)!, event }];
  });
  const file = `${entry.file!}.rows`;
  writeLines(file, eventRows(rows, state === null ? null : valueOf(state)));
  const mtimeMs = Math.max(...events.map((name) => entries.get(name)?.mtimeMs ?? 0));
  return handleOf({ ...entry, file, mtimeMs });
}

function isUnchanged(archive: Archive, { path, size, mtimeMs }: SourceHandle): boolean {
  const row = query(
    archive.sqlite,
    { size: "sources.size", mtimeMs: "sources.mtime_ms", version: "sources.format_version" },
    "SELECT size, mtime_ms AS mtimeMs, format_version AS version FROM sources WHERE path = ? AND format = ? AND status = 'ok'",
  ).get(path, ARCHIVE_FORMAT);
  return row !== undefined && row.size === size && Math.abs(row.mtimeMs - mtimeMs) < 1 && row.version === versionNow;
}

/** Formats that a release adds read more of an archive that is as it was. */
const versionNow = VERSION * 1_000_000 + FORMATS.reduce((sum, { version }) => sum + version * 100 + 1, 0);

/** The version of one whose files are not read yet. */
const UNFINISHED = 0;

function noteFinished({ sqlite }: Archive, path: string): void {
  command(sqlite, "UPDATE sources SET format_version = ? WHERE path = ? AND format = ?").run(
    versionNow,
    path,
    ARCHIVE_FORMAT,
  );
}

const sessionsOf = (archive: Archive, path: string): string[] =>
  scalar(
    archive.sqlite,
    "sessions.id",
    "FROM sessions WHERE source_pk IN (SELECT pk FROM sources WHERE substr(path, 1, ?) = ?) ORDER BY pk",
  ).all(path.length + 1, `${path}#`);

function noteArchive(
  archive: Archive,
  { path, size, mtimeMs }: SourceHandle,
  found: string,
  problem: string | null,
): void {
  const now = archive.host.now();
  command(
    archive.sqlite,
    `INSERT INTO sources (path, format, format_version, status, stopped, found, size, mtime_ms, imported_at, changed_at)
       VALUES (?, ?, ${UNFINISHED}, 'ok', ?, ?, ?, ?, ?, ?)
       ON CONFLICT (path) DO UPDATE SET format = excluded.format, format_version = excluded.format_version, status = 'ok', reason = NULL, gone_at = NULL,
         stopped = excluded.stopped, found = excluded.found, size = excluded.size, mtime_ms = excluded.mtime_ms,
         imported_at = excluded.imported_at, changed_at = excluded.changed_at`,
  ).run(path, ARCHIVE_FORMAT, problem, found, size, mtimeMs, now, Math.round(mtimeMs));
}

/** Archives are read to their end. One of which nothing was read says so. */
export function finishArchives(
  archive: Archive,
  batch: Batch,
  expanded: readonly Pick<ExpandedArchive, "finish">[],
  files: readonly ImportedFile[],
): void {
  for (const { finish } of expanded) {
    if (finish === undefined) continue;
    batch.begin();
    finish();
  }
  for (const file of files) {
    if (file.format !== ARCHIVE_FORMAT || file.status !== "imported") continue;
    if (files.some(({ path }) => path.startsWith(`${file.path}#`))) continue;
    const reason = "No session format matches any file of this archive.";
    noteUnread(archive, file.path, "skipped", reason, statOf(file.path));
    Object.assign(file, { format: null, status: "skipped", reason });
  }
}
