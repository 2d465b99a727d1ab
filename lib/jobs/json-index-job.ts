// Asks the thread that indexes JSON documents. Each question takes time in proportion to the bytes that it reads, so the
// deadline is for what nobody thought of: then the thread is ended, and the next question begins a new one.
import { Worker } from "node:worker_threads";
import { AppError } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { JsonAnswer, JsonJob } from "./json-index-types.ts";
import type { FromJsonIndex, ToJsonIndex } from "./json-index-worker.ts";

type Waiting = { resolve(answer: JsonAnswer): void; reject(error: unknown): void };

const closed = (): AppError => new AppError("conflict", "The work was stopped because Plimsoll is closing.");

export function createJsonIndexes(): { ask: JsonJob; close(): Promise<void> } {
  let worker: Worker | null = null;
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let isClosed = false;

  function settle(id: number): Waiting | undefined {
    const one = waiting.get(id);
    waiting.delete(id);
    // An idle thread keeps no program from ending.
    if (waiting.size === 0) worker?.unref();
    return one;
  }

  function start(): Worker {
    const started = new Worker(new URL("./json-index-worker.ts", import.meta.url), {
      env: {},
      execArgv: [],
      // Documents and indexes are not in this heap; hits and rows are.
      resourceLimits: { maxOldGenerationSizeMb: 128 },
    });
    started.on("message", (message: FromJsonIndex) => {
      const one = settle(message.id);
      if ("answer" in message) one?.resolve(message.answer);
      else one?.reject(new AppError(message.failure.code, message.failure.message));
    });
    started.on("error", (error) => leave(started, error));
    started.on("exit", () => leave(started, new Error("The thread that indexes JSON stopped.")));
    return started;
  }

  /** Nothing more is asked of a thread; who still waits for it is told why. */
  function leave(thread: Worker, error: unknown): void {
    if (worker !== thread) return;
    worker = null;
    for (const one of waiting.values()) one.reject(error);
    waiting.clear();
  }

  const ask = ({ ask: question, signal, digest, path, isLines }: Parameters<JsonJob>[0]): Promise<JsonAnswer> => {
    if (isClosed) throw closed();
    signal?.throwIfAborted();
    const thread = (worker ??= start());
    thread.ref();
    const id = ++lastId;
    const result = new Promise<JsonAnswer>((resolve, reject) => waiting.set(id, { resolve, reject }));
    thread.postMessage({ id, file: { digest, path, isLines }, ask: question } satisfies ToJsonIndex);
    const timer = setTimeout(() => {
      settle(id)?.reject(
        new AppError(
          "timeout",
          `This took over ${LIMITS.jsonMs / 1000} s and was stopped. Open it as lines, or download it.`,
        ),
      );
      leave(thread, new AppError("timeout", "Another JSON request took too long and was stopped. Try again."));
      void thread.terminate();
    }, LIMITS.jsonMs);
    const onAbort = (): void => {
      thread.postMessage({ id, stop: true } satisfies ToJsonIndex);
      settle(id)?.reject(signal!.reason);
    };
    signal?.addEventListener("abort", onAbort);
    return result.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    });
  };

  return {
    // The answer is that of the question: answerJson has one for each.
    ask: (async (request) => ask(request)) as JsonJob,
    async close() {
      isClosed = true;
      const thread = worker;
      if (thread === null) return;
      leave(thread, closed());
      await thread.terminate();
    },
  };
}
