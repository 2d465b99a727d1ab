// One file into the archive: as a whole, from where the last reading ended, or not at all. The file is only read.
import { compare, type Seen } from "#lib/sources/fingerprint.ts";
import { openSource, type SourceHandle } from "#lib/sources/source-handle.ts";
import { headShape } from "#lib/formats/head-shape.ts";
import { FORMATS } from "#lib/formats/index.ts";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { isDocument, type SourceFile } from "#lib/kernel/draft.ts";
import type { ImportedFile } from "#lib/wire/sources-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { StoredBlob } from "./artifact-writer.ts";
import type { Batch } from "../base/batch.ts";
import { clearSource } from "./clear-source.ts";
import { losesRows } from "./database-source.ts";
import { holdsAll, keepDocument } from "./document-versions.ts";
import {
  hasRegained,
  hasVersions,
  keepEarlier,
  linkVersions,
  releaseRegained,
  requireSame,
  WHOLE,
  type Comparison,
  type Span,
} from "./earlier-versions.ts";
import { isEditedInside } from "./edited-inside.ts";
import type { FileOptions, Outcome } from "./file-options.ts";
import { findFormat } from "./format-head.ts";
import { rawHandle } from "./raw-handle.ts";
import { Reading } from "./reading.ts";
import { removedFiles } from "./remove-source.ts";
import { reparse, storedOutputsOf } from "./reparse.ts";
import { settleName } from "./settle.ts";
import { saveBeside } from "./beside-files.ts";
import { besideNow, isBesideNews, readSidecars } from "./sidecars.ts";
import {
  addSource,
  findSource,
  noteBack,
  noteFound,
  noteSize,
  noteUnread,
  sessionIds,
  type SourceRow,
} from "./source-row.ts";

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
    handle = options.open === undefined ? await openSource(path, options.roots) : options.open(options.final);
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
        reason: "Cancelled. The next import reads the rest.",
      };
    if (!isAppError(error)) throw error;
    if (removedFiles(archive).has(path))
      return { path, format: null, status: "skipped", ...EMPTY, reason: error.message };
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
  // Rows have no file of their own: whether they changed is seen in their bytes alone.
  const last = seen !== null && handle.isRows === true ? { ...seen, dev: handle.dev, ino: handle.ino } : seen;
  const { change: found, isContinued } = await changeOf(handle, source, last, options.final);
  const isStopped = found === "grown" && source?.stopped != null;
  const isSame = (found === "unchanged" || found === "grown") && !isStopped;
  const isChanged = isSame && source !== null && (await isEditedInside(archive, batch, source, handle, found));
  const change = isStopped ? "unchanged" : isChanged ? "changed" : found;
  if (isStopped && handle.size !== seen?.size) {
    batch.begin();
    noteSize(archive, source!.pk, handle);
  }
  if (change === "unchanged") {
    if (source!.status !== "ok" && source!.status !== "older copy") {
      batch.begin();
      noteBack(archive, source!.pk);
    }
    const read = FORMATS.find((one) => one.id === source!.format);
    if (read !== undefined && options.beside === undefined) noteBesideNews(source!, besideNow(read, path), options);
    return { path, format: source!.format, status: "unchanged", ...EMPTY, sessions: sessionIds(archive, source!.pk) };
  }
  // What an earlier reading of it in this batch still packs is in its rows before they are changed.
  if (source !== null) await batch.settle();
  const earlier = change === "grown" ? FORMATS.find((one) => one.id === source?.format) : undefined;
  // A line or two may be any agent's: as long as the head grows, the file is known by it anew.
  const isYoung = source?.seen != null && source.seen.offset < LIMITS.oversizedHeadBytes;
  const known = earlier === undefined || isYoung ? FORMATS : [earlier, ...FORMATS];
  const { format: matching, head } = await findFormat(handle, known);
  const format = isYoung ? (matching ?? earlier ?? null) : (earlier ?? matching);
  batch.begin();
  if (format === null) {
    const reason =
      handle.size === 0
        ? seen === null
          ? "The file is empty."
          : "The file is empty now. Its earlier content stays."
        : `No session format matches. Found: ${headShape(head)}.`;
    if (options.isLookedInto !== true || source !== null) noteUnread(archive, path, "skipped", reason, handle);
    return { path, format: null, status: "skipped", ...EMPTY, reason };
  }
  source ??= addSource(archive, path);
  source.format = format.id;
  if (change !== "grown") noteFound(archive, source.pk, headShape(head));
  const { formatVersion } = source;
  source.formatVersion = format.version;
  const wasOlder = source.isOlder;
  // A document has no position to go on from.
  const isWhole = isDocument(format, { path, head, sidecars: new Map() });
  const isRewritten = change === "changed" || (change === "grown" && isWhole);
  // An older version's parser may remember other things between records than this one.
  const isOutdated = earlier !== undefined && (formatVersion !== format.version || format !== earlier);
  const reread = isRewritten || isOutdated || change === "new" || wasOlder;
  const { pk } = source;
  const beside = options.beside === undefined ? besideNow(format, path) : null;
  if (reread) source.beside = beside;
  source.beside ??= beside;
  const sidecars = await readSidecars(
    format,
    path,
    options.roots,
    (file) => saveBeside(archive, pk, file),
    options.beside,
  );
  const file: SourceFile = { path, head, sidecars };
  const { final, signal } = options;
  const span: Span = reread
    ? { ...WHOLE, final, signal }
    : { from: source.seen!.offset, line: Math.max(1, source.line), final, signal };
  // What an older copy held stands in another file; a line that was cut off goes on.
  const isEdited =
    handle.isRows === true
      ? isRewritten && !(await losesRows(archive, source.pk, handle))
      : isRewritten && isWhole && (await holdsAll(archive, source, format, handle));
  const isLosing = isRewritten && !wasOlder && !isContinued && !isEdited;
  const isRegaining = !isLosing && change !== "new" && (await hasRegained(archive, source, handle, span));
  const read = (state: string | null, given: FileOptions): Promise<Outcome | null> =>
    new Reading(archive, batch, handle, format, source, file, given).run(state);
  let isMoved = false;
  const readWhole = (state: string | null, from: number): Promise<Outcome> =>
    allOrNothing(archive, async () => {
      const outputs = storedOutputsOf(archive, source.pk);
      const compared = isLosing
        ? await (isWhole && format.recordNames !== undefined ? keepDocument : keepEarlier)(
            archive,
            batch,
            source,
            handle,
            span,
          )
        : isRegaining
          ? await releaseRegained(archive, source, handle, span)
          : null;
      const given = { ...options, atOnce: true, before: { nativeId: null, outputs } };
      let outcome = state === null ? null : await read(state, given);
      if (outcome === null) {
        isMoved = state !== null;
        clearSource(archive, source);
        source.beside = beside;
        outcome = (await read(null, given))!;
      }
      if (compared !== null) await finish(archive, batch, source, { ...compared, from, outputs });
      else linkVersions(archive, source);
      return outcome;
    });
  const status = change === "new" ? "imported" : isRewritten ? "replaced" : "grown";
  const nameBefore = source.nativeId;
  let result: Outcome | null;
  if (reread && change !== "new") result = await readWhole(null, 0);
  else if (isRegaining) result = await readWhole(source.state, span.from);
  else result = await read(reread ? null : source.state, options);
  if (result === null) {
    // The lines that came later moved the session's name: it is read anew, whole.
    isMoved = true;
    result = await readWhole(null, 0);
  }
  if (nameBefore !== null && nameBefore !== source.nativeId) settleName(archive, batch, nameBefore);
  if (change === "new") await releaseCopied(archive, batch, source);
  // A session that goes on is read further with what they say by now, and from its beginning when it rests.
  if (final) noteBesideNews(source, beside, options);
  return { path, format: format.id, status: isMoved ? "replaced" : status, ...result };
}

function noteBesideNews(source: SourceRow, now: string | null, { onBesideNews }: FileOptions): void {
  if (!source.isOlder && source.stopped === null && isBesideNews(source.beside, now)) onBesideNews?.(source.pk);
}

/** The bytes that were read are those that were compared; versions that changed are read again. */
async function finish(
  archive: Archive,
  batch: Batch,
  source: SourceRow,
  compared: Comparison & { readonly from: number; readonly outputs?: ReadonlyMap<string, StoredBlob> },
): Promise<void> {
  const { from, outputs, trimmed } = compared;
  if (source.stopped !== null) fail("too_large", `${source.path} was not read again. ${source.stopped}`);
  await batch.settle();
  requireSame(archive, source, from, compared);
  for (const pk of trimmed) await reparse(archive, batch, pk, outputs === undefined ? {} : { outputs });
  linkVersions(archive, source);
}

/** A file that was renamed before it was read first, by a rotation, holds what was an earlier version until now. */
async function releaseCopied(archive: Archive, batch: Batch, source: SourceRow): Promise<void> {
  // Nearly every file: it does not wait for its last block to be packed.
  if (!hasVersions(archive, source)) return;
  await batch.settle();
  const handle = rawHandle(archive, source.pk);
  if (!(await hasRegained(archive, source, handle, WHOLE))) return;
  await allOrNothing(archive, async () => {
    const compared = await releaseRegained(archive, source, handle, WHOLE);
    await finish(archive, batch, source, { ...compared, from: 0 });
  });
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

type Change = { change: "new" | "unchanged" | "grown" | "changed"; isContinued: boolean };

/** A last line that was cut off when it was read as final is read again, whole, once the file goes on. */
async function changeOf(
  handle: SourceHandle,
  source: SourceRow | null,
  seen: Seen | null,
  final: boolean,
): Promise<Change> {
  if (source === null || seen === null) return { change: "new", isContinued: false };
  const change = await compare(handle, seen);
  if (change === "unchanged" && final && seen.offset < handle.size && source.cutTail === null)
    return { change: "grown", isContinued: false };
  const isContinued = change === "grown" && source.cutTail !== null;
  return { change: isContinued ? "changed" : change, isContinued };
}
