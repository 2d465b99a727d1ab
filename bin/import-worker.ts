// Imports and token counts, off the server's main thread, on a connection of their own under the server's writer lock.
// One job at a time; imports go before counting, and counting stops for them.
import { parentPort, workerData } from "node:worker_threads";
import { openArchive, type Archive } from "#lib/archive/archive.ts";
import { countSession, sessionsToCount } from "#lib/archive/count-tokens.ts";
import { cardOf } from "#lib/archive/session-card.ts";
import { localWriter } from "#lib/archive/writer.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { noteGone } from "#lib/archive/watch.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import type { FromWorker, Job, ToWorker } from "./import-messages.ts";
import { systemHost } from "./host.ts";

const port = parentPort!;
const say = (message: FromWorker): void => port.postMessage(message);
const jobs: Job[] = [];
/** Sessions that a person opened: counted before the others. */
const wanted: number[] = [];
let running: { id: string; stop: AbortController } | null = null;
let counting: AbortController | null = null;
let uncounted = true;
let isBusy = false;

port.on("message", (message: ToWorker) => {
  if (message.type === "cancel") {
    if (running?.id === message.id) running.stop.abort();
    const at = jobs.findIndex((job) => job.id === message.id);
    if (at >= 0) say({ type: "done", id: message.id, answer: { files: [], totals: NOTHING, cancelled: true } });
    if (at >= 0) jobs.splice(at, 1);
    return;
  }
  if (message.type === "write") {
    // Counting has no barrier to wait for, and holds the turn: it makes room at once.
    counting?.abort();
    uncounted = true;
    void runWrite(message.id, message.name, message.wish).then(() => work());
    return;
  }
  if (message.type === "count") wanted.push(message.pk);
  else jobs.push(message.job);
  counting?.abort();
  void work();
});

const NOTHING = { files: 0, sessions: 0, events: 0, modelCalls: 0, artifacts: 0, errors: 0, bytes: 0, ms: 0 };

/** Writes go between the batches of an import, several under one barrier. */
async function runWrite(id: number, name: string, wish: unknown): Promise<void> {
  try {
    const archive = await opened;
    archive.writer ??= localWriter(archive);
    say({ type: "wrote", id, answer: await archive.writer.run(name, wish) });
  } catch (error) {
    const { code, message, stack } = error as { code?: unknown; message?: string; stack?: string };
    say({
      type: "refused",
      id,
      code: typeof code === "string" ? code : null,
      isApp: isAppError(error),
      message: message ?? String(error),
      stack: stack ?? "",
    });
  }
}

async function work(): Promise<void> {
  if (isBusy) return;
  isBusy = true;
  try {
    const archive = await opened;
    for (;;) {
      const job = jobs.shift();
      if (job !== undefined) await runJob(archive, job);
      else if (!(await countNext(archive))) break;
    }
  } finally {
    isBusy = false;
  }
  if (jobs.length > 0 || wanted.length > 0) void work();
}

async function runJob(archive: Archive, job: Job): Promise<void> {
  running = { id: job.id, stop: new AbortController() };
  try {
    // What the watcher told may be gone by now; a path that a person named is answered for.
    const paths = job.quiet ? noteGone(archive, job.paths) : job.paths;
    if (paths.length < job.paths.length) say({ type: "sessions", sessions: [] });
    const answer = await importPaths(archive, paths, {
      id: job.id,
      final: job.final,
      signal: running.stop.signal,
      onProgress: (progress) => say({ type: "progress", progress, quiet: job.quiet }),
      onSessions: (sessions) => say({ type: "sessions", sessions: [...sessions] }),
    });
    if (answer.totals.events > 0) uncounted = true;
    say({ type: "done", id: job.id, answer });
  } catch (error) {
    const code = isAppError(error) ? error.code : null;
    say({
      type: "failed",
      id: job.id,
      code,
      message: error instanceof Error ? error.message : String(error),
      stack: error instanceof Error ? (error.stack ?? "") : "",
    });
  } finally {
    running = null;
  }
}

/** Counts one session; false when nothing is left to count. */
async function countNext(archive: Archive): Promise<boolean> {
  counting = new AbortController();
  const { signal } = counting;
  const opened = wanted.shift();
  const pks =
    opened !== undefined
      ? [opened]
      : uncounted
        ? sessionsToCount(archive, Number.MAX_SAFE_INTEGER, 1_000_000).map(({ pk }) => pk)
        : [];
  for (const pk of pks) {
    if (signal.aborted || jobs.length > 0) return true;
    await archive.turn.take();
    let counted = 0;
    try {
      counted = await countSession(archive, pk, signal);
      cardOf(archive, pk);
    } finally {
      archive.turn.give();
    }
    const id = archive.sqlite.prepare("SELECT id FROM sessions WHERE pk = ?").pluck().get(pk) as string | undefined;
    if (counted > 0 && id !== undefined) say({ type: "counted", id });
  }
  if (signal.aborted) return true;
  if (opened === undefined) uncounted = false;
  return opened !== undefined;
}

const { dir } = workerData as { dir: string };
const opened = openArchive({ dir, host: systemHost(), mode: "worker" });
void work();
