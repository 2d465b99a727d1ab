// Importing files and folders, with progress, in batches. What was committed before a cancel stays.
import { command } from "#db/statement.ts";
import { realpathSync, statSync } from "node:fs";
import type { Stats } from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { discover } from "#lib/sources/discover.ts";
import { FORMATS } from "#lib/formats/index.ts";
import type { ImportAnswer, ImportedFile, ImportProgress } from "#lib/wire/sources-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { Batch } from "../base/batch.ts";
import { importFailure, isTransient } from "./import-failure.ts";
import { importFile } from "./import-file.ts";
import { isObservedStale } from "./observed-stale.ts";
import { settleObserved } from "./observed-windows.ts";
import { noteUnread } from "./source-row.ts";

export type ImportOptions = {
  readonly id?: string;
  /** A last line without a newline is taken as whole. */
  readonly final?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Told after each commit: sessions with the number of their events. */
  readonly onSessions?: (sessions: readonly string[]) => void;
};

/** How often progress is told (milliseconds). */
const PROGRESS_MS = 200;

/** Pauses before a batch that the disk refused is read again (milliseconds). */
const PAUSES_MS = [100, 1000, 3000] as const;

/** `named`: a person named this very file, whatever it is called. */
type Wanted = { path: string; roots: readonly string[]; size: number; skipped?: string; named: boolean };

/** Imports each path: a file of any name, or a folder with the files that a format wants. */
export async function importPaths(
  archive: Archive,
  paths: readonly string[],
  options: ImportOptions = {},
): Promise<ImportAnswer> {
  const startedAt = performance.now();
  const files: ImportedFile[] = [];
  const wanted = await listFiles(paths, options.signal);
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
  let touched: string[] = [];
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
    const queue = [...wanted];
    for (let at = 0; at < queue.length; at++) {
      const file = queue[at]!;
      if (options.signal?.aborted === true) break;
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
        result =
          file.skipped === undefined
            ? await importFile(archive, batch, file.path, { roots, final, signal, onBytes })
            : noteSkipped(archive, batch, file.path, file.skipped);
        files.push(result);
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
        queue.splice(at + 1, 0, ...again);
        const reason = `Plimsoll failed on this file (${error.message}). The others were read; please report it.`;
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
    await commit();
  } catch (error) {
    await batch.rollback();
    throw importFailure(error);
  } finally {
    archive.turn.give();
  }
  progress.state = options.signal?.aborted === true ? "cancelled" : "done";
  progress.current = null;
  tell(true);
  return {
    files,
    totals: totalsOf(files, wanted, performance.now() - startedAt),
    cancelled: options.signal?.aborted === true,
  };
}

async function listFiles(paths: readonly string[], signal?: AbortSignal): Promise<Wanted[]> {
  const wanted: Wanted[] = [];
  const wants = (path: string): boolean => FORMATS.some((format) => format.wants(path));
  for (const given of paths) {
    const path = resolve(given);
    const stat = statOf(path);
    if (stat === undefined)
      wanted.push({ path, roots: [], size: 0, skipped: `Nothing at ${path}. Check the path.`, named: true });
    else if (stat.isDirectory()) {
      for await (const found of discover(path, wants, signal))
        wanted.push({
          path: found.path,
          roots: [path],
          size: sizeOf(found.path),
          named: false,
          ...(found.skipped && { skipped: found.skipped }),
        });
    } else wanted.push({ path, roots: [dirname(path), dirname(realpathSync(path))], size: stat.size, named: true });
  }
  // A compressed rollout beside its plain one is the same session, older.
  const plain = new Set(wanted.map((file) => file.path));
  return wanted.filter((file) => file.named || !file.path.endsWith(".zst") || !plain.has(file.path.slice(0, -4)));
}

/** A mistake in our own code, or a value that a table refuses. A full or broken disk is none: it stops the import. */
const isFault = (error: unknown): error is Error =>
  error instanceof RangeError ||
  error instanceof TypeError ||
  (error instanceof Error &&
    /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|ERROR)/.test((error as { code?: string }).code ?? ""));

const sizeOf = (path: string): number => statOf(path)?.size ?? 0;

/** A ring of links, or a folder that may not be entered, is no reason to stop: opening the file says what is the matter. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

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

function skippedFile(path: string, reason: string): ImportedFile {
  return {
    path,
    format: null,
    status: reason.startsWith("Nothing at") ? "failed" : "skipped",
    sessions: [],
    events: 0,
    modelCalls: 0,
    artifacts: 0,
    records: 0,
    errors: [],
    reason,
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
