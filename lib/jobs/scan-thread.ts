// A large output is looked through (lines, characters, shape) in a thread of its own: 83 MB of JSON take 0.3 s, as long as
// receiving, hashing and writing them.
import { Worker } from "node:worker_threads";
import { LineIndex } from "#lib/kernel/artifacts/line-index.ts";
import type { ContentFacts } from "#lib/kernel/artifacts/scan.ts";
import type { FromScan, ToScan } from "./scan-worker.ts";
import type { StreamScan } from "./job-types.ts";

/** Bytes that wait for the thread; who brings more waits too. */
const AHEAD_BYTES = 2 * 1024 * 1024;

const MESSAGE_BYTES = 256 * 1024;

type Scan = {
  ahead: number;
  /** Continues who waits for room. */
  go: (() => void) | null;
  resolve(facts: ContentFacts): void;
  reject(error: unknown): void;
};

export function createScans(): { open(): StreamScan; close(): Promise<void> } {
  let worker: Worker | null = null;
  const scans = new Map<number, Scan>();
  let lastId = 0;

  function end(id: number): Scan | undefined {
    const scan = scans.get(id);
    scans.delete(id);
    // An idle thread keeps no program from ending.
    if (scans.size === 0) worker?.unref();
    return scan;
  }

  /** A thread that failed says so, and later that it ended: by then another may be there. */
  function leave(thread: Worker, error: unknown): void {
    if (worker !== thread) return;
    worker = null;
    for (const scan of scans.values()) {
      scan.reject(error);
      scan.go?.();
    }
    scans.clear();
  }

  function start(): Worker {
    const started = new Worker(new URL("./scan-worker.ts", import.meta.url), {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 },
    });
    started.on("message", (message: FromScan) => {
      if ("facts" in message) {
        end(message.id)?.resolve({ ...message.facts, index: LineIndex.decode(message.index) });
        return;
      }
      const scan = scans.get(message.id);
      if (scan === undefined) return;
      scan.ahead -= message.scanned;
      if (scan.ahead <= AHEAD_BYTES) scan.go?.();
    });
    started.on("error", (error) => leave(started, error));
    started.on("exit", () => leave(started, new Error("The thread that scans outputs stopped.")));
    return started;
  }

  return {
    open() {
      const thread = (worker ??= start());
      thread.ref();
      const id = ++lastId;
      const facts = new Promise<ContentFacts>((resolve, reject) => {
        scans.set(id, { ahead: 0, go: null, resolve, reject });
      });
      // Whoever asks for the facts hears of a failure.
      facts.catch(() => undefined);
      // Copies, since the pieces are hashed and written meanwhile; a message costs as much as copying 100 KB.
      let filled = 0;
      let copy = new Uint8Array(MESSAGE_BYTES);
      const send = (): void => {
        const scan = scans.get(id);
        if (scan === undefined || filled === 0) return;
        scan.ahead += filled;
        thread.postMessage({ id, piece: copy.subarray(0, filled) } satisfies ToScan, [copy.buffer]);
        copy = new Uint8Array(MESSAGE_BYTES);
        filled = 0;
      };
      return {
        async add(piece) {
          for (let from = 0; from < piece.length;) {
            const part = piece.subarray(from, from + MESSAGE_BYTES - filled);
            copy.set(part, filled);
            filled += part.length;
            from += part.length;
            if (filled === MESSAGE_BYTES) send();
          }
          const scan = scans.get(id);
          if (scan === undefined || scan.ahead <= AHEAD_BYTES) return;
          await new Promise<void>((resume) => (scan.go = resume));
          scan.go = null;
        },
        end() {
          send();
          thread.postMessage({ id, end: "facts" } satisfies ToScan);
          return facts;
        },
        drop() {
          if (end(id) !== undefined) thread.postMessage({ id, end: "nothing" } satisfies ToScan);
        },
      };
    },
    async close() {
      await worker?.terminate();
    },
  };
}
