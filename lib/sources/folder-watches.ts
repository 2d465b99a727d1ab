// Watches on folders. They only hint, so one that the system refuses costs time and nothing else.
import type { FSWatcher } from "node:fs";
import { watch } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isInside } from "./source-handle.ts";

const RECURSIVE = process.platform === "darwin" || process.platform === "win32";
// Every folder of a large history, and far below the 65,536 watches that a user usually has.
const FOLDERS = 8192;

export class FolderWatches {
  readonly #watchers = new Map<string, FSWatcher>();
  /** Those whose folder is no longer the one of that name. */
  readonly #stale = new Set<string>();
  readonly #onHint: (path: string) => void;
  readonly #signal: AbortSignal;
  #refused = 0;

  constructor(onHint: (path: string) => void, signal: AbortSignal) {
    this.#onHint = onHint;
    this.#signal = signal;
  }

  /** Whether every folder is watched that should be. */
  get isComplete(): boolean {
    return this.#refused === 0;
  }

  /** Watches every folder below the roots, and no other. Tries again what was refused before. */
  async cover(roots: readonly string[]): Promise<void> {
    const wanted = new Set<string>();
    // One that is added from now on may be too new to be listed.
    const before = new Map(this.#watchers);
    for (const root of roots) {
      const kind = await realpath(root)
        .then((real) => stat(real))
        .catch(() => null);
      // The folder of a single file, since a watch on the file ends when it is replaced.
      if (kind?.isFile()) wanted.add(dirname(root));
      else if (kind?.isDirectory()) await this.#collect(root, wanted);
    }
    if (this.#signal.aborted) return;
    for (const [path, watcher] of before)
      if (!wanted.has(path) && this.#watchers.get(path) === watcher) this.#close(path);
    // What was refused while others were still open.
    this.#refused = 0;
    for (const path of wanted) this.#open(path);
  }

  /** Watches a new folder and those in it. */
  async add(folder: string): Promise<void> {
    if ((!this.#watchers.has(folder) || this.#stale.has(folder)) && !RECURSIVE) await this.#collect(folder, new Set());
  }

  /** Drops the watches at and below a path that is gone. False when there were none: it was no folder. */
  remove(folder: string): boolean {
    const gone = [...this.#watchers.keys()].filter((path) => isInside(path, folder));
    for (const path of gone) this.#close(path);
    return gone.length > 0;
  }

  close(): void {
    for (const path of [...this.#watchers.keys()]) this.#close(path);
  }

  /** Watches a folder before it is listed, so that what is made in between is seen by one of the two. */
  async #collect(root: string, into: Set<string>): Promise<void> {
    const pending = [root];
    for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
      if (this.#signal.aborted) return;
      into.add(folder);
      this.#open(folder);
      if (RECURSIVE) return;
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      for (const entry of entries) if (entry.isDirectory()) pending.push(join(folder, entry.name));
    }
  }

  #open(folder: string): void {
    if (this.#stale.has(folder)) this.#close(folder);
    if (this.#watchers.has(folder)) return;
    if (this.#watchers.size >= FOLDERS) {
      this.#refused++;
      return;
    }
    try {
      const watcher = watch(folder, { persistent: false, recursive: RECURSIVE }, (event, name) => {
        this.#onHint(name === null ? folder : join(folder, name));
        // The folder itself was deleted or moved away: its watch hears nothing of another one of that name, which is added.
        if (RECURSIVE || event !== "rename" || name !== basename(folder)) return;
        this.#stale.add(folder);
        this.#onHint(folder);
      });
      watcher.on("error", () => {
        this.#close(folder);
        this.#refused++;
      });
      this.#watchers.set(folder, watcher);
    } catch (error) {
      // ENOENT: the folder went away meanwhile. Else the table is full (ENOSPC, EMFILE) or there is no such service.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") this.#refused++;
    }
  }

  #close(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
    this.#stale.delete(folder);
  }
}
