// fsync of files and folders that many writers wait for: those who come while one is under way share the next one.
import { syncPath } from "#lib/blobs/sync.ts";

type Waiting = { readonly running: Promise<void>; next: Promise<void> | null };

export class SharedSync {
  readonly #waiting = new Map<string, Waiting>();

  /** Resolves when everything that was written to `path` before this call is on the disk. */
  sync(path: string, flags: "r" | "r+"): Promise<void> {
    const waiting = this.#waiting.get(path);
    if (waiting === undefined) return this.#start(path, flags);
    // What runs may have begun before the write: its end is not enough.
    waiting.next ??= waiting.running.then(
      () => this.#start(path, flags),
      () => this.#start(path, flags),
    );
    return waiting.next;
  }

  #start(path: string, flags: "r" | "r+"): Promise<void> {
    const waiting: Waiting = {
      running: syncPath(path, flags).finally(() => {
        if (this.#waiting.get(path) === waiting && waiting.next === null) this.#waiting.delete(path);
      }),
      next: null,
    };
    this.#waiting.set(path, waiting);
    return waiting.running;
  }
}
