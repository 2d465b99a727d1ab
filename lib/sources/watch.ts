// Noticing that sources change. Events of the file system are hints that make it quick; looking at size and
// time is what makes it right, since events are lost, folded together, or never come (network folders, full
// tables). Files that an agent is writing are looked at every second, all others every minute, and the roots
// are searched for new files as often. On Linux only folders are watched, one by one: the recursive watch
// of Node there takes a watch for every file and hides that the table is full.
import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { FolderWatches } from "./folder-watches.ts";
import { databaseOfLog, databaseStat, isDatabaseName } from "./sqlite.ts";
import { isInside } from "./source-handle.ts";

export type WatchedFile = {
  readonly path: string;
  /** As the archive last read it. */
  readonly size: number;
  readonly mtimeMs: number;
  /** Changed in the last minute: looked at every second. */
  readonly running: boolean;
  /** It lies beside this file, which is told of in its place, and read whole for it. */
  readonly of?: { readonly path: string; readonly size: number };
};

export type WatchOptions = {
  readonly roots: () => readonly string[];
  /** Those that are running, where they alone are asked for: they may be more. */
  readonly files: (which?: "running") => Iterable<WatchedFile>;
  /** These differ from what the archive read, or are gone. Told once for each new size and time. */
  readonly onChanged: (paths: string[]) => void;
  /** There may be new files below these roots. */
  readonly onDiscover: (roots: readonly string[]) => void;
  /** Files that were running and have not changed for `settleMs`: a last line without its newline may be taken as it is. */
  readonly onSettled?: (paths: string[]) => void;
  readonly runningMs?: number;
  readonly idleMs?: number;
  readonly settleMs?: number;
  readonly signal: AbortSignal;
};

export type SourceWatch = {
  /** "polling" when the system refused a watch; everything is still found, later. */
  mode(): "events" | "polling";
};

// Long enough to take a burst of writes in one go, short enough to be seen within 2 s of a line.
const HINT_MS = 100;
// A search walks all folders (20 to 55 ms for 10,000 files) and has each file compared: not for every file that comes.
const SEARCH_MS = 1000;
// One that no search has met yet does not wait so long: an agent makes a folder and, 100 to 200 ms later, its session's file in it,
// which stood there for 1.1 s until it was found.
const SEARCH_NEW_MS = 250;
// A log that no format wants but that is written all the time makes us search this often, then no more.
const SEARCHES_FOR_A_STRANGER = 5;
const STATS_UNDER_WAY = 16;
// A database is copied whole each time that it changed: one of 1 GB, which takes a second or two, at most every 90 s.
const [COPIED_AT_ONCE_MB, COPY_PAUSE_MS_A_MB] = [64, 100];
// So is a session read whose file beside it changed: one of 100 MB, which takes some 3 s, at most every 30 s.
const [BESIDE_PAUSE_MS, BESIDE_PAUSE_MS_A_MB] = [500, 300];

/** Watches the roots until `signal` aborts. Does not keep the process alive. */
export function watchSources(options: WatchOptions): SourceWatch {
  const watcher = new SourceWatcher(options);
  if (!options.signal.aborted) watcher.start();
  return { mode: () => watcher.mode };
}

class SourceWatcher {
  readonly #options: WatchOptions;
  readonly #folders: FolderWatches;
  /** What was told last about a path, so that it is told once: its size and time, or that it is gone. */
  readonly #notified = new Map<string, string>();
  readonly #settled = new Map<string, number>();
  /** When what is read whole was told of last. */
  readonly #copiedAt = new Map<string, number>();
  readonly #strangers = new Map<string, number>();
  readonly #searchedAt = new Map<string, number>();
  #hinted = new Set<string>();
  #hintTimer: NodeJS.Timeout | null = null;
  #hintDueAt = 0;
  #looking: Promise<void> | null = null;
  #failure = "";
  #files: { at: number; list: readonly WatchedFile[] } = { at: Number.NEGATIVE_INFINITY, list: [] };

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#folders = new FolderWatches((path) => this.#hint(path), options.signal);
  }

  get mode(): "events" | "polling" {
    return this.#folders.isComplete ? "events" : "polling";
  }

  start(): void {
    const { runningMs = 1000, idleMs = 60_000, signal } = this.#options;
    const running = setInterval(() => {
      // A round that takes longer than its interval (a network folder) is not started again on top.
      if (this.#looking === null) void this.#run(() => this.#lookAtRunning());
    }, runningMs);
    const idle = setInterval(() => void this.#run(() => this.#rescan()), idleMs);
    running.unref();
    idle.unref();
    signal.addEventListener("abort", () => {
      clearInterval(running);
      clearInterval(idle);
      if (this.#hintTimer !== null) clearTimeout(this.#hintTimer);
      this.#folders.close();
    });
    void this.#run(() => this.#folders.cover(this.#options.roots()));
  }

  /** Said once: an error of the archive, which each round meets again, ends no server. */
  async #run(round: () => Promise<void>): Promise<void> {
    try {
      await round();
    } catch (error) {
      if (!this.#isOver && String(error) !== this.#failure) console.error("Sources could not be watched:", error);
      this.#failure = String(error);
    }
  }

  async #lookAtRunning(): Promise<void> {
    await this.#look([...this.#options.files("running")].filter((file) => file.running));
  }

  async #rescan(): Promise<void> {
    this.#notified.clear();
    this.#strangers.clear();
    await this.#folders.cover(this.#options.roots());
    await this.#looking;
    if (this.#isOver) return;
    await this.#look(this.#known());
    if (this.#isOver) return;
    const roots = this.#options.roots();
    if (roots.length > 0) this.#options.onDiscover(roots);
  }

  get #isOver(): boolean {
    return this.#options.signal.aborted;
  }

  #look(files: readonly WatchedFile[]): Promise<void> {
    this.#looking = this.#compare(files).finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** The archive's list, at most half a second old. An older size in it does no harm: `#told` knows what was told since. */
  #known(maxAgeMs = Math.min(1000, this.#options.runningMs ?? 1000) / 2): readonly WatchedFile[] {
    const now = performance.now();
    if (now - this.#files.at > maxAgeMs) this.#files = { at: now, list: [...this.#options.files()] };
    return this.#files.list;
  }

  /** Tells which files differ from what the archive read. */
  async #compare(files: readonly WatchedFile[]): Promise<void> {
    const changed = new Set<string>();
    const settled: string[] = [];
    let next = 0;
    const workers = Array.from({ length: Math.min(STATS_UNDER_WAY, files.length) }, async () => {
      for (let file = files[next++]; file !== undefined; file = files[next++]) {
        const found = await statOf(file.path);
        if (this.#isOver) return;
        if (this.#isNews(file, found)) changed.add((file.of ?? file).path);
        else if (this.#isSettled(file, found)) settled.push(file.path);
      }
    });
    await Promise.all(workers);
    if (this.#isOver) return;
    if (changed.size > 0) this.#options.onChanged([...changed].toSorted());
    if (settled.length > 0) this.#options.onSettled?.(settled.toSorted());
  }

  #isNews(file: WatchedFile, found: Pick<Stats, "size" | "mtimeMs"> | NodeJS.ErrnoException): boolean {
    let now: string;
    if (found instanceof Error) {
      // Not to be reached for a moment (a network folder) is not the same as gone.
      if (found.code !== "ENOENT" && found.code !== "ENOTDIR") return false;
      // What lay beside a session is kept, and some of it comes later.
      if (file.of !== undefined) return false;
      now = "gone";
    } else {
      if (found.size === file.size && isSameTime(found.mtimeMs, file.mtimeMs)) return false;
      now = `${found.size}:${found.mtimeMs}`;
    }
    if (this.#notified.get(file.path) === now || this.#mustWait(file, found)) return false;
    this.#notified.set(file.path, now);
    return true;
  }

  /** What is read whole for a change of it is told with pauses. It is looked at again behind them. */
  #mustWait({ path, of }: WatchedFile, found: Pick<Stats, "size"> | Error): boolean {
    if (found instanceof Error || (of === undefined && !isDatabaseName(path))) return false;
    const pauseMs =
      of === undefined
        ? (found.size / 1e6 - COPIED_AT_ONCE_MB) * COPY_PAUSE_MS_A_MB
        : BESIDE_PAUSE_MS + (of.size / 1e6) * BESIDE_PAUSE_MS_A_MB;
    const whole = of?.path ?? path;
    const at = performance.now();
    const waitMs = (this.#copiedAt.get(whole) ?? Number.NEGATIVE_INFINITY) + pauseMs - at;
    if (waitMs > 0) {
      this.#hinted.add(path);
      this.#hintSoon(waitMs);
      return true;
    }
    this.#copiedAt.set(whole, at);
    return false;
  }

  #isSettled(file: WatchedFile, found: Pick<Stats, "size" | "mtimeMs"> | NodeJS.ErrnoException): boolean {
    if (!file.running || file.of !== undefined || found instanceof Error) return false;
    if (Date.now() - found.mtimeMs < (this.#options.settleMs ?? 30_000)) return false;
    if (this.#settled.get(file.path) === found.mtimeMs) return false;
    this.#settled.set(file.path, found.mtimeMs);
    return true;
  }

  #hint(path: string): void {
    // What a database is told first stands in its log.
    this.#hinted.add(databaseOfLog(path));
    this.#hintSoon(HINT_MS);
  }

  /** Follows the hints then, or sooner where that was said before: a path that must wait holds up no other. */
  #hintSoon(ms: number): void {
    if (this.#isOver) return;
    const dueAt = performance.now() + ms;
    if (this.#hintTimer !== null && this.#hintDueAt <= dueAt) return;
    if (this.#hintTimer !== null) clearTimeout(this.#hintTimer);
    this.#hintDueAt = dueAt;
    this.#hintTimer = setTimeout(() => void this.#run(() => this.#followHints()), ms).unref();
  }

  async #followHints(): Promise<void> {
    const hinted = this.#hinted;
    this.#hinted = new Set();
    this.#hintTimer = null;
    // A file that was searched for may have been read since the list was made.
    const wasSearched = [...hinted].some((path) => {
      const searches = this.#strangers.get(path) ?? 0;
      return searches > 0 && searches < SEARCHES_FOR_A_STRANGER;
    });
    const known = this.#known(wasSearched ? 0 : undefined).filter((file) => hinted.has(file.path));
    for (const file of known) hinted.delete(file.path);
    await this.#compare(known);
    const newcomers: string[] = [];
    for (const path of hinted) {
      const found = await lstat(path).catch(() => null);
      if (this.#isOver) return;
      // The watch comes before the search, so that what is written in between is found by one of them.
      if (found?.isDirectory()) await this.#folders.add(path);
      // A folder that was moved away: its files send no event of their own.
      else if (found === null && this.#folders.remove(path))
        await this.#compare(this.#known().filter((file) => isInside(file.path, path)));
      const searches = this.#strangers.get(path) ?? 0;
      if (found !== null && searches < SEARCHES_FOR_A_STRANGER) newcomers.push(path);
    }
    if (!this.#isOver) this.#search(newcomers);
  }

  /** Has the roots of these paths searched, for the same paths at most once a second; what must wait is hinted again. */
  #search(paths: readonly string[]): void {
    if (paths.length === 0) return;
    const now = performance.now();
    const due: string[] = [];
    for (const root of this.#options.roots()) {
      const mine = paths.filter((path) => isInside(path, root));
      if (mine.length === 0) continue;
      const pauseMs = mine.every((path) => this.#strangers.has(path)) ? SEARCH_MS : SEARCH_NEW_MS;
      const waitMs = (this.#searchedAt.get(root) ?? Number.NEGATIVE_INFINITY) + pauseMs - now;
      if (waitMs > 0) {
        for (const path of mine) this.#hinted.add(path);
        this.#hintSoon(Math.max(HINT_MS, waitMs));
        continue;
      }
      this.#searchedAt.set(root, now);
      for (const path of mine) this.#strangers.set(path, (this.#strangers.get(path) ?? 0) + 1);
      due.push(root);
    }
    if (due.length > 0) this.#options.onDiscover(due);
  }
}

/** A database with its log, which is written first. */
async function statOf(path: string): Promise<Pick<Stats, "size" | "mtimeMs"> | NodeJS.ErrnoException> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error || !isDatabaseName(path)) return found;
  return databaseStat(path) ?? found;
}

// lstat gives milliseconds as a double of nanoseconds; archives round them.
const isSameTime = (a: number, b: number): boolean => Math.abs(a - b) < 1;
