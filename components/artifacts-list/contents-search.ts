// A search through many artifacts, as its answer comes: it runs while somebody watches, and stops when asked.
import type { GrepManyEnd, GrepManyFound, GrepManyPiece, GrepManyRun } from "#lib/wire/grep-many-schema.ts";
import { grepManyPiece } from "#lib/wire/grep-many-schema.ts";
import { piecesOf } from "../shared/ndjson.ts";
import { reach } from "../ui/api.ts";

export type ContentsFound = {
  readonly found: readonly GrepManyFound[];
  /** Artifacts that the search is about; null before the server has said. */
  readonly artifacts: number | null;
  readonly searched: number;
  readonly matched: number;
  readonly end: GrepManyEnd | null;
  readonly error: Error | null;
  readonly isRunning: boolean;
};

export const NOTHING_FOUND: ContentsFound = {
  found: [],
  artifacts: null,
  searched: 0,
  matched: 0,
  end: null,
  error: null,
  isRunning: false,
};

/** The page is drawn at most this often while pieces come (milliseconds). */
const NOTIFY_MS = 80;

export class ContentsSearch {
  readonly #run: Partial<GrepManyRun>;
  readonly #watchers = new Set<() => void>();
  #now: ContentsFound = NOTHING_FOUND;
  #stop: AbortController | null = null;

  constructor(run: Partial<GrepManyRun>) {
    this.#run = run;
  }

  readonly subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    if (this.#stop === null) void this.#begin();
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size > 0) return;
      this.#stop?.abort();
      this.#stop = null;
      this.#now = NOTHING_FOUND;
    };
  };
  readonly snapshot = (): ContentsFound => this.#now;

  /** Ends it; what was found stands. */
  stop(): void {
    this.#stop?.abort();
    this.#set({ isRunning: false });
  }

  async #begin(): Promise<void> {
    const stop = new AbortController();
    this.#stop = stop;
    this.#now = { ...NOTHING_FOUND, isRunning: true };
    let notifiedAt = 0;
    try {
      const response = await reach("/api/artifacts/grep", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(this.#run),
        signal: stop.signal,
      });
      if (response.body)
        for await (const piece of piecesOf(response.body, grepManyPiece)) {
          if (stop.signal.aborted) return;
          this.#now = withPiece(this.#now, piece);
          if (performance.now() - notifiedAt < NOTIFY_MS) continue;
          notifiedAt = performance.now();
          this.#set({});
        }
      this.#set({
        isRunning: false,
        ...(this.#now.end === null && { error: new Error("Connection lost. Search again.") }),
      });
    } catch (error) {
      if (!stop.signal.aborted)
        this.#set({ isRunning: false, error: error instanceof Error ? error : new Error(String(error)) });
    }
  }

  #set(change: Partial<ContentsFound>): void {
    this.#now = { ...this.#now, ...change };
    for (const watcher of this.#watchers) watcher();
  }
}

/** What is known after one more piece. */
export function withPiece(now: ContentsFound, piece: GrepManyPiece): ContentsFound {
  switch (piece.type) {
    case "start":
      return { ...now, artifacts: piece.artifacts };
    case "found":
      return { ...now, found: [...now.found, piece], matched: Math.max(now.matched, now.found.length + 1) };
    case "progress":
      return { ...now, searched: piece.searched, matched: piece.matched };
    case "end":
      return { ...now, searched: piece.searched, matched: piece.matched, end: piece };
  }
}
