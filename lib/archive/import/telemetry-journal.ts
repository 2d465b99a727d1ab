// Telemetry on its way to its files. A request tells of hundreds of sessions: what it says is synced once, in a journal, before it
// is acknowledged; the files follow, are synced in a pause, and then the journal is emptied. What it holds at a start is appended
// again: a record that stands twice in a file is one.
import { appendFileSync, closeSync, mkdirSync, openSync, readSync, statSync } from "node:fs";
import { open, readFile, truncate, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Archive } from "../base/archive-type.ts";
import { perArchive } from "../base/per-archive.ts";

/** Text for a file of telemetry, by its path below the folder. */
export type Appended = { readonly file: string; readonly text: string };
const entry = z.object({ file: z.string(), text: z.string() });

/** The journal is emptied when it has this size (bytes), or after a pause (milliseconds). */
const FULL_BYTES = 32 * 1024 * 1024;
const PAUSE_MS = 2000;
const AT_ONCE = 16;

type State = {
  /** Resolves when what was asked before is done. */
  last: Promise<unknown>;
  /** What an earlier process left in the journal is in its files. */
  isRecovered: boolean;
  size: number;
  readonly unsynced: Set<string>;
  /** Files that end with a whole line. */
  readonly whole: Set<string>;
  timer: NodeJS.Timeout | null;
};

export const telemetryFolder = (archive: Pick<Archive, "dir">): string => join(archive.dir, "telemetry");

const stateOf = perArchive((): State => ({
  ...{ last: Promise.resolve(), isRecovered: false, size: 0, timer: null },
  ...{ unsynced: new Set(), whole: new Set() },
}));

/** Appends, and resolves when all of it is durable. Gives the files that are full and took nothing. */
export function appendTelemetry(archive: Archive, parts: readonly Appended[]): Promise<string[]> {
  return next(archive, async (state) => {
    const taken = parts.filter(({ file, text }) => hasRoom(join(telemetryFolder(archive), file), text));
    if (taken.length > 0) {
      mkdirSync(telemetryFolder(archive), { recursive: true, mode: 0o700 });
      const bytes = Buffer.from(taken.map((part) => `${JSON.stringify(part)}\n`).join(""));
      await withFile(journalOf(archive), async (journal) => {
        await journal.truncate(state.size);
        await journal.appendFile(bytes);
        await journal.datasync();
      });
      state.size += bytes.length;
      appendAll(archive, state, taken);
      if (state.size > FULL_BYTES) await empty(archive, state);
      else plan(archive, state);
    }
    return parts.filter((part) => !taken.includes(part)).map(({ file }) => file);
  });
}

/** Appends what was acknowledged and had not come to its file when the last process ended. */
export const recoverTelemetry = (archive: Archive): Promise<void> => next(archive, async () => undefined);

/** Brings all that was acknowledged to its files: what is removed from them afterwards does not come back. */
export const settleTelemetry = (archive: Archive): Promise<void> => next(archive, (state) => empty(archive, state));

/** One after the other; what failed before is no reason to fail. */
function next<T>(archive: Archive, work: (state: State) => Promise<T>): Promise<T> {
  const state = stateOf(archive);
  const done = state.last
    .catch(() => undefined)
    .then(async () => {
      // Before that, writing to the journal would lose what it holds.
      if (!state.isRecovered) await recover(archive, state);
      state.isRecovered = true;
      return work(state);
    });
  state.last = done;
  return done;
}

const journalOf = (archive: Archive): string => join(telemetryFolder(archive), "incoming.journal");

function hasRoom(path: string, text: string): boolean {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return size + Buffer.byteLength(text) <= LIMITS.telemetryFileBytes;
}

function appendAll(archive: Archive, state: State, parts: readonly Appended[]): void {
  for (const { file, text } of parts) {
    const path = join(telemetryFolder(archive), file);
    const isWhole = state.whole.delete(path);
    if (!isWhole) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    appendFileSync(path, isWhole || endsLine(path) ? text : `\n${text}`, { mode: 0o600 });
    state.whole.add(path);
    state.unsynced.add(path);
  }
}

/** A full disk, or a process that was killed, leaves a part of a line. */
function endsLine(path: string): boolean {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return true;
  const file = openSync(path, "r");
  try {
    const last = Buffer.alloc(1);
    readSync(file, last, 0, 1, size - 1);
    return last[0] === 10;
  } finally {
    closeSync(file);
  }
}

function plan(archive: Archive, state: State): void {
  if (state.timer !== null) return void state.timer.refresh();
  state.timer = setTimeout(() => {
    state.timer = null;
    // What the disk refuses now stays in the journal.
    next(archive, () => empty(archive, state)).catch(() => undefined);
  }, PAUSE_MS).unref();
}

async function empty(archive: Archive, state: State): Promise<void> {
  const queue = [...state.unsynced];
  const sync = async (): Promise<void> => {
    for (let path = queue.pop(); path !== undefined; path = queue.pop())
      await withFile(path, (file) => file.datasync()).catch(ignoreMissing);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sync));
  await truncate(journalOf(archive)).catch(ignoreMissing);
  state.unsynced.clear();
  state.whole.clear();
  state.size = 0;
}

async function recover(archive: Archive, state: State): Promise<void> {
  const text = await readFile(journalOf(archive), "utf8").catch(ignoreMissing);
  if (text === undefined || text === "") return;
  const parts = text.split("\n").flatMap((line) => {
    const read = entry.safeParse(jsonOf(line));
    // The last line may have been cut off: it was not acknowledged.
    return read.success && !read.data.file.includes("..") ? [read.data] : [];
  });
  appendAll(archive, state, parts);
  await empty(archive, state);
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** A file that was moved into another meanwhile. */
function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  return undefined;
}

async function withFile(path: string, use: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, path.endsWith("incoming.journal") ? "a" : "r", 0o600);
  try {
    await use(file);
  } finally {
    await file.close();
  }
}
