// Imports, long works and what token counts write, off the server's main thread, on a connection of their own under the
// server's writer lock. One job at a time; imports and works go before counting, which is another thread's.
import { parentPort, Worker, workerData } from "node:worker_threads";
import { openArchive } from "#lib/archive/archive.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { WALK_EVERY_MS } from "#lib/archive/artifacts/gc.ts";
import { fillSearch } from "#lib/archive/artifacts/fill-search.ts";
import { runLongJob } from "#lib/archive/long-jobs.ts";
import { localWriter } from "#lib/archive/base/write.ts";
import { writeNamed } from "#lib/archive/writes.ts";
import { readAgain } from "#lib/archive/import/read-again.ts";
import { importAll } from "#lib/archive/bundle/import-all.ts";
import { noteGone } from "#lib/archive/sources/watch-sources.ts";
import { AppError, isAppError, type ErrorCode } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { ImportAnswer } from "#lib/wire/sources-schema.ts";
import type { GcAnswer } from "#lib/wire/retention-schema.ts";
import { withoutBytes, type Ship } from "#lib/archive/base/held-entry.ts";
import { errorOf, refusedOf } from "./refused-error.ts";
import type { FromWorker, Job, ToWorker, WriteAnswered, WriteRequest } from "./import-messages.ts";
import { createCounting } from "./counting.ts";
import { systemHost } from "./system-host.ts";

const port = parentPort!;
const say = (message: FromWorker): void => port.postMessage(message);
type Work = { readonly id: string; readonly name: string; readonly input: object; readonly quiet: boolean };
type Again = { readonly id: string; readonly again: true };
const jobs: (Job | Work | Again)[] = [];
const isWork = (job: Job | Work | Again): job is Work => "name" in job;
const isAgain = (job: Job | Work | Again): job is Again => "again" in job;
/** Jobs that run, by their ids: one, or the reading again and one that it gives way to. */
const running = new Map<string, AbortController>();
let isBusy = false;

port.on("message", (message: ToWorker) => {
  if (message.type === "cancel") {
    running.get(message.id)?.abort();
    const at = jobs.findIndex((job) => job.id === message.id);
    if (at < 0) return;
    const [job] = jobs.splice(at, 1);
    if (isWork(job!)) say(refusal(job.id, new AppError("timeout", `${job.name} was cancelled before it started.`)));
    else say({ type: "done", id: message.id, answer: nothing(true) });
    return;
  }
  if (message.type === "write") {
    // Counting takes the processor and the disk from it.
    counting.stop();
    counting.noteWrite();
    void ask(message.write);
    return;
  }
  if (message.type === "ships") return void opened.then((archive) => (archive.ship = ship));
  if (message.type === "shipped") {
    shipping.get(message.id)?.(message.refused.map((one) => (one === null ? null : errorOf(one))));
    return void shipping.delete(message.id);
  }
  if (message.type === "count") counting.want(message.pk);
  else if (message.type === "read-again") jobs.push({ id: message.id, again: true });
  else if (message.type === "work") jobs.push({ ...message, quiet: false });
  else jobs.push(message.job);
  counting.stop();
  void work();
});

/** Writes that the other nodes are told of, until they were. */
const shipping = new Map<number, (refused: (Error | null)[]) => void>();
let lastShip = 0;

const ship: Ship = (entries) =>
  new Promise((resolve) => {
    const id = ++lastShip;
    shipping.set(id, resolve);
    // The bytes are in the bucket: they do not travel.
    say({ type: "ship", id, entries: entries.map(withoutBytes) });
  });

// Counting looks through what was written: after each of 10,000 small puts it took more time than the puts. It waits for a
// pause, and not for ever.
const PAUSE_MS = 300;
const LONGEST_MS = 5000;
let soon: NodeJS.Timeout | null = null;
let firstWrite = 0;

function countSoon(): void {
  const now = performance.now();
  if (soon === null) {
    firstWrite = now;
    soon = setTimeout(() => {
      soon = null;
      void work();
    }, PAUSE_MS);
  } else if (now - firstWrite < LONGEST_MS) soon.refresh();
}

const NOTHING = { files: 0, sessions: 0, events: 0, modelCalls: 0, artifacts: 0, errors: 0, bytes: 0, ms: 0 };
const nothing = (cancelled: boolean): ImportAnswer => ({
  files: [],
  unmatched: [],
  lookedFor: [],
  totals: NOTHING,
  cancelled,
});

let answers: WriteAnswered[] = [];

/** Writes go between the batches of an import, several under one barrier. */
async function ask({ id, name, input, kept }: WriteRequest): Promise<void> {
  const reject = (error: unknown): void => void answers.push({ id, refused: refusedOf(error) });
  try {
    (await writer).enqueue({
      what: writeNamed(name),
      input,
      kept,
      resolve: (answer) => void answers.push({ id, answer }),
      reject,
    });
  } catch (error) {
    reject(error);
    tell();
  }
}

function tell(): void {
  if (answers.length === 0) return;
  say({ type: "wrote", writes: answers });
  answers = [];
  countSoon();
}

async function work(): Promise<void> {
  if (isBusy) return;
  isBusy = true;
  try {
    const archive = await opened;
    for (;;) {
      const job = jobs.shift();
      if (job !== undefined) await run(archive, job);
      else if (!(await counting.next())) break;
    }
  } finally {
    isBusy = false;
  }
  if (jobs.length > 0 || counting.isWanted) void work();
}

async function run(archive: Archive, job: Job | Work | Again): Promise<void> {
  const stop = new AbortController();
  running.set(job.id, stop);
  try {
    if (isAgain(job)) await runAgain(archive, job, stop.signal);
    else if (isWork(job)) await runLong(archive, job, stop.signal);
    else await runJob(archive, job, stop.signal);
  } finally {
    running.delete(job.id);
  }
}

/** Other jobs, and what a person opened, do not wait for all of it. */
async function giveWay(archive: Archive): Promise<void> {
  for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) await run(archive, job);
  while (counting.isWanted && jobs.length === 0) await counting.next();
}

async function runAgain(archive: Archive, { id }: Again, signal: AbortSignal): Promise<void> {
  try {
    const { sources, failed, cancelled } = await readAgain(archive, {
      id,
      signal,
      between: () => giveWay(archive),
      onProgress: (progress) => say({ type: "progress", progress, quiet: false }),
      onSessions: (sessions) => say({ type: "sessions", sessions: [...sessions] }),
    });
    if (sources > 0) counting.noteWrite();
    if (!cancelled) await fillWords(archive, signal);
    for (const { path, reason } of failed) console.error(`${path} was not updated: ${reason}`);
    say({ type: "done", id, answer: nothing(cancelled) });
  } catch (error) {
    say(signal.aborted ? { type: "done", id, answer: nothing(true) } : refusal(id, error));
  }
}

/** What an older version did not put into the search index. */
async function fillWords(archive: Archive, signal: AbortSignal): Promise<void> {
  try {
    await writer;
    await fillSearch(archive, { signal, between: () => giveWay(archive) });
  } catch (error) {
    // The next start goes on with it.
    console.error("Could not index older outputs:", error);
  }
}

async function runLong(archive: Archive, { id, name, input, quiet }: Work, signal: AbortSignal): Promise<void> {
  try {
    const answer = await runLongJob(archive, name, input, {
      signal,
      onProgress: (progress) => quiet || say({ type: "working", id, progress }),
    });
    if (quiet) tellSwept(answer as GcAnswer);
    else say({ type: "worked", id, answer });
  } catch (error) {
    if (signal.aborted && !isAppError(error))
      say(refusal(id, new AppError("timeout", `${name} was cancelled before it ended.`)));
    else if (quiet) console.error("The sweep failed:", error);
    else say(refusal(id, error));
  }
}

function tellSwept({ expired, swept }: GcAnswer): void {
  if (expired + swept > 0) say({ type: "swept" });
}

function refusal(id: string, error: unknown): FromWorker {
  const { isApp, code, message, stack } = refusedOf(error);
  return { type: "failed", id, code: isApp ? (code as ErrorCode) : null, message, stack };
}

let walkedAt = Number.NEGATIVE_INFINITY;

/** The sweep that nobody asks for. The first looks at every file; then each row is looked at, and the files four times a day. */
function sweepNow(): void {
  const counted = performance.now();
  const walk = counted - walkedAt >= WALK_EVERY_MS;
  if (walk) walkedAt = counted;
  jobs.push({ id: "sweep", name: "gc", input: { walk }, quiet: true });
  counting.stop();
  void work();
}

async function runJob(archive: Archive, job: Job, signal: AbortSignal): Promise<void> {
  try {
    // What the watcher told may be gone by now; a path that a person named is answered for.
    const paths = job.quiet ? noteGone(archive, job.paths) : job.paths;
    if (paths.length < job.paths.length) say({ type: "sessions", sessions: [] });
    const answer = await importAll(archive, paths, {
      id: job.id,
      final: job.final,
      isWatched: job.quiet,
      isCopy: job.isCopy,
      byName: job.byName ?? [],
      signal,
      // Of commits that a node reads, hundreds an hour, as of what the watcher sees: those alone that take long are shown.
      onProgress: (progress) => say({ type: "progress", progress, quiet: job.quiet || job.isCopy === true }),
      onSessions: (sessions) => say({ type: "sessions", sessions: [...sessions] }),
    });
    if (answer.totals.events > 0) counting.noteWrite();
    say({ type: "done", id: job.id, answer });
  } catch (error) {
    if (signal.aborted) return say({ type: "done", id: job.id, answer: nothing(true) });
    // The sentence is for the page; what was found under it stands in the log.
    if (isAppError(error)) console.error("An import stopped:", error.cause ?? error);
    say(refusal(job.id, error));
  }
}

const FIRST_SWEEP_MS = 60_000;
const { dir } = workerData as { dir: string };
const opened = openArchive({ dir, host: systemHost(), mode: "worker" });
const writer = opened.then((archive) => {
  const local = localWriter(archive, tell);
  archive.writer = local;
  return local;
});
const counting = createCounting({
  opened,
  startCounter: (hear, fail) => {
    const thread = new Worker(new URL("./count-worker.ts", import.meta.url), { workerData: { dir } });
    thread.on("message", hear);
    thread.on("error", (error) => {
      console.error("The token counter stopped:", error);
      fail();
    });
    return { post: (message) => thread.postMessage(message) };
  },
  onCounted: (id) => say({ type: "counted", id }),
});
void work();
void opened.then(() => {
  // Not at once: a start has other things to do.
  setTimeout(sweepNow, FIRST_SWEEP_MS);
  setInterval(sweepNow, LIMITS.sweepMs);
});
