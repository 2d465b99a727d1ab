// A large output is looked through (lines, characters, shape) in a thread of its own: 83 MB of JSON take 0.3 s, as long as
// receiving, hashing and writing them.
import { Worker } from "node:worker_threads";
import { LineIndex } from "#lib/kernel/artifacts/line-index.ts";
import type { ContentFacts } from "#lib/kernel/artifacts/scan.ts";
import type { FromScan, ToScan } from "./scan-worker.ts";
import type { StreamScan } from "./types.ts";

/** Bytes that wait for the thread; who brings more waits too. */
const AHEAD_BYTES = 2 * 1024 * 1024;

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

  function failAll(error: unknown): void {
    worker = null;
    for (const scan of scans.values()) {
      scan.reject(error);
      scan.go?.();
    }
    scans.clear();
  }

  function start(): Worker {
    const started = new Worker(new URL("./scan-worker.ts", import.meta.url), {
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
    started.on("error", failAll);
    started.on("exit", () => failAll(new Error("The thread that looks through outputs ended.")));
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
      return {
        async add(piece) {
          const scan = scans.get(id);
          if (scan === undefined) return;
          scan.ahead += piece.length;
          // A copy: the piece is hashed and written meanwhile.
          const copy = new Uint8Array(piece);
          thread.postMessage({ id, piece: copy } satisfies ToScan, [copy.buffer]);
          if (scan.ahead > AHEAD_BYTES) await new Promise<void>((resume) => (scan.go = resume));
          scan.go = null;
        },
        end() {
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
