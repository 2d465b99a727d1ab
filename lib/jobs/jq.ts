// jq: looks at the program, runs it where it can be killed, and hands on what it writes while it writes it.
import { compileJq } from "./jq-module.ts";
import { pieceOutlet, wholeOutlet, type JqOutlet } from "./jq-output.ts";
import { createPipe, pipeReader, type PipeReader } from "./jq-pipe.ts";
import type { JqTask, JqResult } from "./jq-program.ts";
import { refusalOf } from "./jq-refusal.ts";
import type { JqAnswer, JqRequest, JqSource } from "./job-types.ts";
import { createWorkerPool } from "./worker-pool.ts";

export type Jq = { run(request: JqRequest): Promise<JqAnswer>; close(): Promise<void> };

/** A program that writes a little now and then is looked after this often (milliseconds): a person reads along. */
const LOOK_MS = 25;

export function createJq(size: number): Jq {
  const threads = createWorkerPool<JqTask, JqResult>({
    entry: new URL("./jq-worker.ts", import.meta.url),
    size,
    workerData: async () => ({ module: await compileJq() }),
  });
  return {
    async run(request) {
      const { program, options, limits, stderrLines, onPiece } = request;
      const refusal = refusalOf({ program, options, limits });
      if (refusal) return { ...refusal, output: "", outputBytes: 0, truncated: false, values: 0, messages: "", ms: 0 };
      const pipe = createPipe();
      const reader = pipeReader(pipe);
      const outlet = onPiece === undefined ? wholeOutlet() : pieceOutlet(onPiece);
      const stop = new AbortController();
      const signal = request.signal === undefined ? stop.signal : AbortSignal.any([request.signal, stop.signal]);
      const drain = drainer(reader, outlet, signal, (error) => stop.abort(error));
      const looking = onPiece === undefined ? undefined : setInterval(() => void drain(), LOOK_MS);
      try {
        const inputs = sourcesOf(request);
        const task = { program, options, inputs, limits, pipe, ...(stderrLines !== undefined && { stderrLines }) };
        const ran = await threads.run(task, {
          deadlineMs: limits.deadlineMs,
          signal,
          onMore: () => void drain(),
        });
        await unlessStopped(drain(), signal);
        await unlessStopped(outlet.end(reader.isCut), signal);
        const { outputBytes, isCut: truncated, values, messages } = reader;
        const written = { output: outlet.text, outputBytes, truncated, values, messages, ms: ran.ms };
        return { ...written, ...endOf(ran, limits.deadlineMs) };
      } finally {
        clearInterval(looking);
      }
    },
    close: () => threads.close(),
  };
}

type Ran = Awaited<ReturnType<ReturnType<typeof createWorkerPool<JqTask, JqResult>>["run"]>>;

function endOf(ran: Ran, deadlineMs: number): JqResult {
  const failed = (kind: "timeout" | "memory" | "busy", message: string): JqResult => ({
    ok: false,
    kind,
    message,
    position: null,
  });
  if (ran.kind === "answer") return ran.answer;
  if (ran.kind === "busy") return failed("busy", "Too many jq programs are running. Try again in a moment.");
  if (ran.kind === "crash") return failed("memory", `jq failed: ${ran.message}. Narrow the input first.`);
  return failed(
    "timeout",
    `jq ran over ${deadlineMs} ms and was stopped. Narrow the input first: artifact_read, or .[0:100].`,
  );
}

function sourcesOf({ inputs, path, text, isJsonLines = false }: JqRequest): readonly JqSource[] {
  if (inputs !== undefined) return inputs;
  return [path === undefined ? { text: text!, isJsonLines } : { path, isJsonLines }];
}

/** Takes what is in the pipe, one call at a time; a call that comes meanwhile resolves with the one that is under way. */
function drainer(
  reader: PipeReader,
  outlet: JqOutlet,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let running: Promise<void> | null = null;
  async function all(): Promise<void> {
    try {
      for (let piece = reader.next(); piece !== null && !signal.aborted; piece = reader.next()) {
        const given = outlet.add(piece);
        if (given !== undefined) await given;
        // Only now is there room for more: who takes slowly is written to slowly.
        reader.taken(piece.length);
      }
    } catch (error) {
      onError(error);
    }
  }
  return () => (running ??= all().finally(() => (running = null)));
}

/** What is awaited, or a rejection as soon as nobody waits any more. */
function unlessStopped(waited: Promise<void> | void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    Promise.resolve(waited)
      .then(() => (signal.aborted ? stop() : resolve()), reject)
      .finally(() => signal.removeEventListener("abort", stop));
  });
}
