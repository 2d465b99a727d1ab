// Importing files and folders, with progress, in batches. What was committed before a cancel stays.
import { command } from "#db/statement.ts";
import { setTimeout } from "node:timers/promises";
import type { ImportAnswer, ImportedFile, ImportProgress, UnmatchedFolder } from "#lib/wire/sources-schema.ts";
import { databaseOf, type Snapshot } from "#lib/sources/sqlite.ts";
import type { Archive } from "../base/archive-type.ts";
import { Batch } from "../base/batch.ts";
import { ARCHIVE_FORMAT, expandArchive, finishArchives, mayBeArchive, type ExpandedArchive } from "./archive-source.ts";
import { followArchived } from "./archived-transcripts.ts";
import { expandDatabase, isDatabasePath, isSqlite } from "./database-source.ts";
import { importFailure, isTransient } from "./import-failure.ts";
import { importFile } from "./import-file.ts";
import { KNOWN_FORMATS } from "./known-formats.ts";
import { readAnew, readLateOutputs } from "./late-outputs.ts";
import { listFiles, statOf, type Wanted } from "./list-files.ts";
import { isObservedStale } from "./observed-stale.ts";
import { settleObserved } from "./observed-windows.ts";
import { queueHeld, type Queued } from "./queue-held.ts";
import { noteRemoved, removedFiles } from "./remove-source.ts";
import { noteUnread } from "./source-row.ts";
import { expandSplit } from "./split-source.ts";
import { noteUnmatched, saveUnmatched, stampOf } from "./unmatched.ts";

export type ImportOptions = {
  readonly id?: string;
  /** A last line without a newline is taken as whole. */
  readonly final?: boolean;
  /** Folders of agents: of these, and what lies in them, only files with the names that formats want are looked into. */
  readonly byName?: readonly string[];
  /** A watcher saw these paths change: nobody named them. */
  readonly isWatched?: boolean;
  /** Of bundles: what is beside a session here gives way to what they have. */
  readonly isCopy?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Told after each commit: sessions with the number of their events. */
  readonly onSessions?: (sessions: readonly string[]) => void;
};

/** How often progress is told (milliseconds). */
const PROGRESS_MS = 200;

/** Pauses before a batch that the disk refused is read again (milliseconds). */
const PAUSES_MS = [100, 1000, 3000] as const;

/** Imports each path: a file of any name, or a folder with the files that a format wants or matches. */
export async function importPaths(
  archive: Archive,
  paths: readonly string[],
  options: ImportOptions = {},
): Promise<ImportAnswer> {
  const startedAt = performance.now();
  const files: ImportedFile[] = [];
  const removed = removedFiles(archive);
  // A watcher names files that it saw change; who imports one by name wants it back.
  const asked = options.isWatched === true ? paths.filter((path) => !removed.has(path)) : paths;
  // Rows are read with the database that has them, once.
  const databases = new Set(asked.flatMap((path) => databaseOf(path) ?? []));
  const others = asked.filter((path) => databaseOf(path) === null && !databases.has(path));
  const { wanted, aside, unmatched: found } = await listFiles(archive, [...others, ...databases], options);
  const unmatched = [...found];
  const progress: ImportProgress = {
    id: options.id ?? "import",
    state: "running",
    filesDone: 0,
    files: wanted.length,
    bytesDone: 0,
    bytes: wanted.reduce((sum, file) => sum + file.size, 0),
    events: 0,
    current: null,
    reason: null,
  };
  let notifiedAt = 0;
  const tell = (force = false): void => {
    if (options.onProgress === undefined || (!force && performance.now() - notifiedAt < PROGRESS_MS)) return;
    notifiedAt = performance.now();
    options.onProgress({ ...progress });
  };
  const batch = new Batch(archive);
  const snapshots: (Pick<Snapshot, "close"> & Pick<ExpandedArchive, "finish">)[] = [];
  let touched: string[] = [];
  /** Sources whose files beside them changed. */
  const outdated = new Set<number>();
  /** Files read since the last commit, and answers and progress then. */
  let uncommitted = 0;
  let committed = { files: 0, done: 0, bytes: 0, events: 0 };
  let tries = 0;
  const commit = async (): Promise<void> => {
    await batch.commit();
    await archive.turn.pass();
    if (touched.length > 0) options.onSessions?.(touched);
    touched = [];
    uncommitted = 0;
    tries = 0;
    const { filesDone: done, bytesDone: bytes, events } = progress;
    committed = { files: files.length, done, bytes, events };
  };
  const rollback = async (): Promise<void> => {
    await batch.rollback();
    touched = [];
    files.length = committed.files;
    Object.assign(progress, { filesDone: committed.done, bytesDone: committed.bytes, events: committed.events });
  };
  await archive.turn.take();
  try {
    // What stands in a list may be gone with it.
    if (followArchived(archive, batch, aside) > 0) options.onSessions?.([]);
    if (wanted.some(({ path, named }) => named && removed.has(path))) {
      batch.begin();
      for (const { path, named } of wanted) if (named) noteRemoved(archive, path, false);
    }
    const queue: Queued[] = [...wanted];
    /** Of a database that is read again they are sessions again. */
    const faulty = new Set<string>();
    for (let at = 0; at < queue.length; at++) {
      const file = queue[at]!;
      if (options.signal?.aborted === true) break;
      if (faulty.has(file.path)) continue;
      progress.current = file.path;
      tell();
      const done = progress.bytesDone;
      const onBytes = (bytes: number, events: number): void => {
        progress.bytesDone += bytes;
        progress.events += events;
        tell();
      };
      const { roots } = file;
      const { final = true, signal } = options;
      let result: ImportedFile;
      try {
        // A person removed its session since this import began.
        if (!removed.has(file.path) && removedFiles(archive).has(file.path))
          result = skippedFile(file.path, "Its session was removed while the import was running.");
        else if (file.skipped !== undefined) result = noteSkipped(archive, batch, file.path, file.skipped);
        else if (isDatabasePath(file.path) || (file.open === undefined && isSqlite(file.path))) {
          const note = file.others === undefined;
          const { sessions, reason, snapshot } = await expandDatabase(archive, batch, file.path, roots, note);
          if (snapshot !== null) snapshots.push(snapshot);
          queueHeld(queue, at, sessions, roots, progress);
          result = { ...skippedFile(file.path, reason), status: reason === null ? "unchanged" : "skipped" };
        } else {
          const split = file.open === undefined ? await expandSplit(archive, file.path, file.isJoined) : null;
          if (split !== null) snapshots.push(split);
          const { beside, open = split?.open } = file;
          const packed = open === undefined && split === null && mayBeArchive(file.path, file.named);
          const expanded = packed ? await expandArchive(archive, batch, file.path, roots, signal) : null;
          if (expanded !== null) {
            snapshots.push(expanded);
            unmatched.push(expanded.others);
            queueHeld(queue, at, expanded.files, [], progress);
          }
          if (expanded !== null) result = archiveResult(file.path, expanded);
          else if (split?.isUnchanged === true) result = { ...skippedFile(file.path, null), status: "unchanged" };
          else
            result = await importFile(archive, batch, file.path, {
              roots,
              final,
              signal,
              onBytes,
              onBesideNews: (pk) => outdated.add(pk),
              ...(open && { open }),
              ...(beside && { beside }),
              ...(file.others && { isLookedInto: true }),
            });
        }
        if (file.others !== undefined && isUnmatched(result)) leaveUnmatched(archive, file);
        else files.push(result);
        if (result.status !== "unchanged") touched.push(...result.sessions);
        progress.filesDone++;
        progress.bytesDone = done + file.size;
        if (batch.isFull || at === queue.length - 1) await commit();
        else uncommitted++;
      } catch (error) {
        const again = queue.slice(at - uncommitted, at);
        uncommitted = 0;
        if (isTransient(error) && tries < PAUSES_MS.length) {
          // What the disk refused once it may take in a moment: the files of this batch are read again.
          await rollback();
          archive.turn.give();
          await setTimeout(PAUSES_MS[tries++], undefined, { signal }).catch(() => undefined);
          await archive.turn.take();
          queue.splice(at + 1, 0, ...again, file);
          continue;
        }
        if (!isFault(error)) throw error;
        // A file that meets a mistake of ours must not keep the others out: those of this batch are read again.
        await rollback();
        faulty.add(file.path);
        queue.splice(at + 1, 0, ...again);
        const reason = `Plimsoll failed on this file (${error.message}). Other files were read; please report it.`;
        batch.begin();
        noteUnread(archive, file.path, "failed", reason, { size: file.size, mtimeMs: 0 });
        files.push({ ...skippedFile(file.path, reason), status: "failed" });
        progress.filesDone++;
        await commit();
      }
    }
    const isChanged = files.some(({ status }) => !["unchanged", "skipped", "failed"].includes(status));
    if (isChanged || isObservedStale(archive)) {
      batch.begin();
      settleObserved(archive);
    }
    if (options.signal?.aborted !== true) finishArchives(archive, batch, snapshots, files);
    if (options.signal?.aborted !== true) for (const one of unmatched) saveUnmatched(archive, batch, one.result);
    await commit();
  } catch (error) {
    await batch.rollback();
    throw importFailure(error);
  } finally {
    archive.turn.give();
    for (const snapshot of snapshots) snapshot.close();
  }
  for (const pk of outdated) await readAnew(archive, pk, options);
  await readLateOutputs(archive, asked, options);
  progress.state = options.signal?.aborted === true ? "cancelled" : "done";
  progress.current = null;
  tell(true);
  // A folder without any file is answered for, too.
  const empty = ({ path }: UnmatchedFolder): boolean => !files.some((file) => file.path.startsWith(path));
  const left = unmatched.map(({ result }) => result).filter((one) => one.files > 0 || empty(one));
  return {
    files,
    unmatched: left,
    lookedFor: left.length > 0 || files.some(isUnmatched) ? KNOWN_FORMATS : [],
    totals: totalsOf(files, wanted, performance.now() - startedAt),
    cancelled: options.signal?.aborted === true,
  };
}

/** What came of an archive itself: its files are answered for by themselves. */
function archiveResult(path: string, { files, unchanged, reason }: ExpandedArchive): ImportedFile {
  const status = unchanged !== null ? "unchanged" : reason !== null && files.length === 0 ? "failed" : "imported";
  return { ...skippedFile(path, reason), format: ARCHIVE_FORMAT, status, sessions: [...(unchanged ?? [])] };
}

const isUnmatched = ({ status, format, reason = "" }: ImportedFile): boolean =>
  status === "skipped" && format === null && /^No (?:session format matches|table of it is known)/.test(reason);

function leaveUnmatched(archive: Archive, { path, size, others }: Queued): void {
  others!.addLookedInto(path, size);
  const file = statOf(path);
  if (file !== undefined) noteUnmatched(archive, path, stampOf(file));
}

/** A mistake in our own code, or a value that a table refuses. A full or broken disk is none: it stops the import. */
const isFault = (error: unknown): error is Error =>
  error instanceof RangeError ||
  error instanceof TypeError ||
  (error instanceof Error &&
    /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|ERROR)/.test((error as { code?: string }).code ?? ""));

/** What was found and is not read stands among the sources with its reason; a path that leads nowhere does not. */
function noteSkipped(archive: Archive, batch: Batch, path: string, reason: string): ImportedFile {
  const skipped = skippedFile(path, reason);
  const { sqlite } = archive;
  // Every search finds it again: only what is new is written.
  const known = command(sqlite, "SELECT 1 FROM sources WHERE path = ? AND status = 'skipped' AND reason = ?");
  if (skipped.status === "skipped" && known.get(path, reason) === undefined) {
    batch.begin();
    noteUnread(archive, path, "skipped", reason);
  }
  return skipped;
}

function skippedFile(path: string, reason: string | null): ImportedFile {
  return {
    path,
    format: null,
    status: reason?.startsWith("Nothing at") === true ? "failed" : "skipped",
    sessions: [],
    events: 0,
    modelCalls: 0,
    artifacts: 0,
    records: 0,
    errors: [],
    ...(reason !== null && { reason }),
  };
}

function totalsOf(files: readonly ImportedFile[], wanted: readonly Wanted[], ms: number): ImportAnswer["totals"] {
  const sum = (pick: (file: ImportedFile) => number): number => files.reduce((total, file) => total + pick(file), 0);
  const read = new Set(files.filter((file) => file.status !== "unchanged").map((file) => file.path));
  return {
    files: files.length,
    sessions: new Set(files.flatMap((file) => file.sessions)).size,
    events: sum((file) => file.events),
    modelCalls: sum((file) => file.modelCalls),
    artifacts: sum((file) => file.artifacts),
    errors: sum((file) => file.errors.length) + files.filter((file) => file.status === "failed").length,
    bytes: wanted.filter((file) => read.has(file.path)).reduce((total, file) => total + file.size, 0),
    ms: Math.round(ms),
  };
}
