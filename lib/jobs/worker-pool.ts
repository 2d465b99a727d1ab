// Threads that may be killed. A task runs alone in its thread; at the deadline the thread is ended, which stops even an
// endless loop within some 10 ms, and the next task starts a new one (21 ms). No thread exists before the first task.
import { setMaxListeners } from "node:events";
import { Worker } from "node:worker_threads";
import { AppError, fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { createSlots } from "./slots.ts";
import type { FromWorker } from "./worker-side.ts";

const HEAP_MB = 512;
/** jq calls itself for each level of a value, up to 10,000 deep; what is not touched of it takes no memory. */
const STACK_MB = 64;

type Ran<Answer> =
  | { readonly kind: "answer"; readonly answer: Answer; readonly ms: number }
  | { readonly kind: "deadline"; readonly ms: number }
  /** Nobody had time for it. */
  | { readonly kind: "busy"; readonly ms: number }
  /** The thread died of it. */
  | { readonly kind: "crash"; readonly message: string; readonly ms: number };

export type WorkerPool<Task, Answer> = {
  /** `onMore` gets what the thread says before its answer. */
  run(
    task: Task,
    limits: { deadlineMs: number; signal?: AbortSignal; onMore?: (part: unknown) => void },
  ): Promise<Ran<Answer>>;
  close(): Promise<void>;
};

export function createWorkerPool<Task, Answer>(options: {
  readonly entry: URL;
  readonly size: number;
  readonly workerData?: () => Promise<unknown>;
}): WorkerPool<Task, Answer> {
  const slots = createSlots(options.size);
  const idle = new Set<Worker>();
  const all = new Set<Worker>();
  const closing = new AbortController();
  // One listener for each task that waits.
  setMaxListeners(0, closing.signal);
  let workerData: Promise<unknown> | null = null;

  async function start(): Promise<Worker> {
    workerData ??= options.workerData?.() ?? Promise.resolve(undefined);
    const given = await workerData.catch((error: unknown) => {
      // The next task tries again: files may be read by then.
      workerData = null;
      throw error;
    });
    // close() ends the threads that there are: it would miss one that begins now.
    closing.signal.throwIfAborted();
    // No words of the command line and no environment: jq and the pattern engine ask for neither.
    const worker = new Worker(options.entry, {
      workerData: given,
      env: {},
      execArgv: [],
      // Texts and the engine's tables; jq's memory and file buffers are not in this heap and have limits of their own.
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, stackSizeMb: STACK_MB },
    });
    all.add(worker);
    // An error that comes while the thread is being ended has no other listener and would end the process.
    worker.on("error", () => {});
    worker.once("exit", () => {
      all.delete(worker);
      idle.delete(worker);
    });
    const first = await next<Answer>(worker, LIMITS.jobBootMs, closing.signal);
    if (first.kind === "ready") return worker;
    await worker.terminate();
    throw new Error(`A thread for ${options.entry.pathname.split("/").pop()} did not start: ${first.kind}`);
  }

  async function runIn(
    worker: Worker,
    task: Task,
    { deadlineMs, signal, onMore }: { deadlineMs: number; signal: AbortSignal; onMore?: (part: unknown) => void },
  ): Promise<Ran<Answer>> {
    const startedAt = performance.now();
    worker.ref();
    const result = next<Answer>(worker, deadlineMs, signal, onMore);
    worker.postMessage(task);
    let isReusable = false;
    try {
      const message = await result;
      const ms = performance.now() - startedAt;
      if (message.kind === "deadline") return { kind: "deadline", ms };
      if (message.kind === "crash") return { kind: "crash", message: message.message, ms };
      if (message.kind === "ready") throw new Error("The thread answered an unknown request.");
      isReusable = message.kind === "missing" || !message.isSpent;
      if (message.kind === "missing") fail("not_found", "The file to read no longer exists. It may have been deleted.");
      return { kind: "answer", answer: message.answer, ms };
    } finally {
      leave(worker, isReusable);
    }
  }

  /** The slot is free when the thread rests or is gone; 2 GB take it 0.2 s to give back, for which nobody else waits. */
  function leave(worker: Worker, isReusable: boolean): void {
    // An idle thread does not keep a command alive.
    worker.unref();
    if (isReusable) {
      idle.add(worker);
      slots.give();
    } else void worker.terminate().then(slots.give, slots.give);
  }

  async function freeWorker(signal: AbortSignal): Promise<Worker> {
    try {
      signal.throwIfAborted();
      const [rested] = idle;
      if (rested) idle.delete(rested);
      return rested ?? (await start());
    } catch (error) {
      slots.give();
      throw error;
    }
  }

  return {
    async run(task, { deadlineMs, signal, onMore }) {
      if (closing.signal.aborted) throw closing.signal.reason;
      const both = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
      const startedAt = performance.now();
      if (!(await slots.take(LIMITS.jobWaitMs, both))) return { kind: "busy", ms: performance.now() - startedAt };
      const worker = await freeWorker(both);
      return runIn(worker, task, { deadlineMs, signal: both, ...(onMore !== undefined && { onMore }) });
    },
    async close() {
      closing.abort(new AppError("conflict", "The work was stopped because Plimsoll is closing."));
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}

type Heard<Answer> =
  | Exclude<FromWorker<Answer>, { kind: "more" }>
  | { kind: "deadline" }
  | { kind: "crash"; message: string };

/** The next thing that a thread says, or that it died, or that it said nothing in time. Rejects when stopped. */
function next<Answer>(
  worker: Worker,
  deadlineMs: number,
  signal: AbortSignal,
  onMore?: (part: unknown) => void,
): Promise<Heard<Answer>> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const settle = (act: () => void): void => {
      clearTimeout(timer);
      worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      signal.removeEventListener("abort", onAbort);
      act();
    };
    const onMessage = (message: FromWorker<Answer>): void => {
      if (message.kind === "more") onMore?.(message.part);
      else settle(() => resolve(message));
    };
    const onError = (error: Error): void => settle(() => resolve({ kind: "crash", message: error.message }));
    const onExit = (): void => settle(() => resolve({ kind: "crash", message: "the thread ended" }));
    const onAbort = (): void => settle(() => reject(signal.reason));
    const timer = setTimeout(() => settle(() => resolve({ kind: "deadline" })), deadlineMs);
    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
    signal.addEventListener("abort", onAbort);
  });
}
