// One file into the archive: as a whole, from where the last reading ended, or not at all. The file is only read.
import { compare, type Seen } from "#lib/sources/fingerprint.ts";
import { openSource, readSmall, type SourceHandle } from "#lib/sources/source-handle.ts";
import { readHead } from "#lib/sources/blocks.ts";
import { FORMATS } from "#lib/formats/index.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Format, SourceFile } from "#lib/kernel/draft.ts";
import type { ImportedFile } from "#lib/wire/sources.ts";
import type { Archive } from "../archive.ts";
import type { Batch } from "./batch.ts";
import { clearSource } from "./clear-source.ts";
import type { FileOptions, Outcome } from "./file-options.ts";
import { Reading } from "./reading.ts";
import { settleName } from "./settle.ts";
import { addSource, findSource, noteBack, noteUnread, sessionIds, type SourceRow } from "./source-row.ts";

/** Nobody is in the middle of writing a line to a file that was left alone this long. */
const IDLE_MS = 30_000;

const EMPTY = { sessions: [], events: 0, modelCalls: 0, artifacts: 0, records: 0, errors: [] };

/** Imports one file. A file that cannot be read is `failed` or `skipped` with its reason; nothing is thrown for it. */
export async function importFile(
  archive: Archive,
  batch: Batch,
  path: string,
  options: FileOptions,
): Promise<ImportedFile> {
  let handle: SourceHandle;
  try {
    handle = await openSource(path, options.roots);
  } catch (error) {
    if (!isAppError(error)) throw error;
    batch.begin();
    if (error.code !== "not_found") noteUnread(archive, path, "failed", error.message);
    return { path, format: null, status: "failed", ...EMPTY, reason: error.message };
  }
  try {
    const isIdle = archive.host.now() - handle.mtimeMs > IDLE_MS;
    return await importOpened(archive, batch, handle, { ...options, final: options.final || isIdle });
  } catch (error) {
    if (options.signal?.aborted === true)
      return {
        path,
        format: null,
        status: "skipped",
        ...EMPTY,
        reason: "Cancelled. What was read is kept; the rest is read next time.",
      };
    if (!isAppError(error)) throw error;
    batch.begin();
    noteUnread(archive, path, "failed", error.message, handle);
    return { path, format: null, status: "failed", ...EMPTY, reason: error.message };
  } finally {
    await handle.close();
  }
}

async function importOpened(
  archive: Archive,
  batch: Batch,
  handle: SourceHandle,
  options: FileOptions,
): Promise<ImportedFile> {
  const { path } = handle;
  let source = findSource(archive, path);
  const seen = source?.seen ?? null;
  const change = await changeOf(handle, source, seen, options.final);
  if (change === "unchanged") {
    if (source!.status !== "ok" && source!.status !== "older copy") {
      batch.begin();
      noteBack(archive, source!.pk);
    }
    return { path, format: source!.format, status: "unchanged", ...EMPTY, sessions: sessionIds(archive, source!.pk) };
  }
  // What an earlier reading of it in this batch still packs is in its rows before they are changed.
  if (source !== null) await batch.settle();
  const head = await readHead(handle);
  const format = findFormat(source, change, { path, head, sidecars: new Map() });
  batch.begin();
  if (format === null) {
    const reason =
      handle.size === 0
        ? "The file is empty."
        : `No session format matches. Known: ${FORMATS.map((f) => f.label).join(", ")}.`;
    noteUnread(archive, path, "skipped", reason, handle);
    return { path, format: null, status: "skipped", ...EMPTY, reason };
  }
  source ??= addSource(archive, path);
  source.format = format.id;
  const { formatVersion } = source;
  source.formatVersion = format.version;
  const wasOlder = source.isOlder;
  // A document has no place to go on from.
  const isRewritten = change === "changed" || (change === "grown" && format.reader === "document");
  // An older version's parser may remember other things between records than this one.
  const isOutdated = change === "grown" && formatVersion !== format.version;
  const reread = isRewritten || isOutdated || change === "new" || wasOlder;
  const file: SourceFile = { path, head, sidecars: await readSidecars(format, path, options.roots) };
  const whole = { ...options, atOnce: true };
  const readAnew = (): Promise<Outcome | null> =>
    allOrNothing(archive, () => {
      clearSource(archive, source);
      return new Reading(archive, batch, handle, format, source, file, whole).run(null);
    });
  const status = change === "new" ? "imported" : isRewritten ? "replaced" : "grown";
  const nameBefore = source.nativeId;
  let result =
    reread && change !== "new"
      ? await readAnew()
      : await new Reading(archive, batch, handle, format, source, file, options).run(reread ? null : source.state);
  const isMoved = result === null;
  // The lines that came later moved the session's name: it is read anew, whole.
  if (result === null) result = (await readAnew())!;
  if (nameBefore !== null && nameBefore !== source.nativeId) settleName(archive, batch, nameBefore);
  return { path, format: format.id, status: isMoved ? "replaced" : status, ...result };
}

/** A log that is replaced is the old one until the new one is there, also when the reading is cancelled. */
async function allOrNothing<T>(archive: Archive, work: () => Promise<T>): Promise<T> {
  archive.sqlite.exec("SAVEPOINT replacing");
  try {
    const result = await work();
    archive.sqlite.exec("RELEASE replacing");
    return result;
  } catch (error) {
    archive.sqlite.exec("ROLLBACK TO replacing; RELEASE replacing");
    throw error;
  }
}

/** A last line that was cut off when it was read as final is read again, whole, once the file goes on. */
async function changeOf(handle: SourceHandle, source: SourceRow | null, seen: Seen | null, final: boolean) {
  if (source === null || seen === null) return "new";
  const change = await compare(handle, seen);
  if (change === "unchanged") return final && seen.offset < handle.size && source.cutTail === null ? "grown" : change;
  return change === "grown" && source.cutTail !== null ? "changed" : change;
}

function findFormat(source: SourceRow | null, change: string, file: SourceFile): Format | null {
  const known = change === "grown" ? FORMATS.find((format) => format.id === source?.format) : undefined;
  return known ?? FORMATS.find((format) => format.detect(file)) ?? null;
}

/** The small files beside a source that its format asks for, by path. */
export async function readSidecars(
  format: Format,
  path: string,
  roots: readonly string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const beside of format.sidecars?.(path) ?? []) {
    const bytes = await readSmall(beside, roots, LIMITS.sidecarBytes);
    if (bytes !== null) found.set(beside, new TextDecoder().decode(bytes));
  }
  return found;
}
