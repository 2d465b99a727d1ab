// Importing files and folders, with progress, in batches. What was committed before a cancel stays.
import { realpathSync, statSync } from "node:fs";
import type { Stats } from "node:fs";
import { dirname, resolve } from "node:path";
import { discover } from "#lib/sources/discover.ts";
import { FORMATS } from "#lib/formats/index.ts";
import type { ImportAnswer, ImportedFile, ImportProgress } from "#lib/wire/sources.ts";
import type { Archive } from "../archive.ts";
import { Batch } from "./batch.ts";
import { importFile } from "./import-file.ts";
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
  let toldAt = 0;
  const tell = (force = false): void => {
    if (options.onProgress === undefined || (!force && performance.now() - toldAt < PROGRESS_MS)) return;
    toldAt = performance.now();
    options.onProgress({ ...progress });
  };
  const batch = new Batch(archive);
  let touched: string[] = [];
  /** Files read since the last commit. */
  let uncommitted = 0;
  const commit = async (): Promise<void> => {
    await batch.commit();
    await archive.turn.pass();
    if (touched.length > 0) options.onSessions?.(touched);
    touched = [];
    uncommitted = 0;
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
      } catch (error) {
        if (!isFault(error)) throw error;
        // A file that meets a mistake of ours must not keep the others out: those of this batch are read again.
        await batch.rollback();
        queue.splice(at + 1, 0, ...queue.slice(at - uncommitted, at));
        files.splice(files.length - uncommitted, uncommitted);
        progress.filesDone -= uncommitted;
        const reason = `Plimsoll failed on this file (${error.message}). The others were read; please report it.`;
        batch.begin();
        noteUnread(archive, file.path, "failed", reason, { size: file.size, mtimeMs: 0 });
        touched = [];
        await commit();
        files.push({ ...skippedFile(file.path, reason), status: "failed" });
        progress.filesDone++;
        continue;
      }
      uncommitted++;
      files.push(result);
      if (result.status !== "unchanged") touched.push(...result.sessions);
      progress.filesDone++;
      progress.bytesDone = done + file.size;
      if (batch.isFull) await commit();
    }
    if (files.some(({ status }) => !["unchanged", "skipped", "failed"].includes(status))) {
      batch.begin();
      settleObserved(archive);
    }
    await commit();
  } catch (error) {
    await batch.rollback();
    throw error;
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
  const known = sqlite.prepare("SELECT 1 FROM sources WHERE path = ? AND status = 'skipped' AND reason = ?");
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
