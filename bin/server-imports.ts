// The server's side of importing: roots, watching, jobs for the worker, progress and changes for the pages.
import type { WorkOptions } from "#lib/archive/base/work-options.ts";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { addRoot, describeRoots, foldersByName, removeRoot, rootsOf } from "#lib/archive/sources/source-roots.ts";
import { saveArchivedOption } from "#lib/archive/sources/archived-option.ts";
import { watchArchive } from "#lib/archive/sources/watch-sources.ts";
import type { Ship } from "#lib/archive/base/held-entry.ts";
import type { Changes } from "#lib/http/changes.ts";
import type { Imports } from "#lib/http/app-context.ts";
import { CAPTURE_FOLDER } from "#lib/kernel/captured-record.ts";
import { AppError, fail } from "#lib/kernel/errors.ts";
import type { ImportAnswer, ImportProgress } from "#lib/wire/sources-schema.ts";
import { writeDemo } from "./demo.ts";
import { ImportJobs } from "./import-jobs.ts";
import { createTelemetryImports } from "./telemetry-imports.ts";
import { receivedTelemetry } from "#lib/archive/import/telemetry-counts.ts";
import { recoverTraces } from "#lib/archive/import/telemetry-files.ts";
import { telemetryFolder } from "#lib/archive/import/telemetry-journal.ts";
import { errorOf, refusedOf } from "./refused-error.ts";
import type { FromWorker, Job, ToWorker, WriteAnswered } from "./import-messages.ts";

export type ServerImports = Imports & {
  watch(): void;
  /** From now on what is written to sessions of agents goes to `archive.ship` first. */
  ships(): void;
  close(): Promise<void>;
};

type Given = { readonly archive: Archive; readonly changes: Changes; readonly sources: readonly string[] | null };
type Working = {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
  onProgress: WorkOptions["onProgress"];
};
type Waiting = { resolve(answer: ImportAnswer): void; reject(error: unknown): void };

export async function createImports({ archive, changes, sources }: Given): Promise<ServerImports> {
  const stop = new AbortController();
  const waiting = new Map<string, Waiting>();
  let shown: ImportProgress | null = null;
  const jobs = new ImportJobs(({ paths, ...job }) => void submit(paths, job));
  let watch: { mode(): string } | null = null;
  let isShipping = false;
  let worker: Worker | null = startWorker();

  const roots = () => rootsOf(archive, sources, process.env, process.platform);
  const post = (message: ToWorker): void => (worker ??= startWorker()).postMessage(message);

  const writes = new Map<number, { resolve(answer: unknown): void; reject(error: unknown): void }>();
  const works = new Map<string, Working>();
  let lastWrite = 0;
  archive.writer = {
    run: ({ name }, input, kept) =>
      new Promise((resolve, reject) => {
        const id = ++lastWrite;
        const sessionId = (input as { sessionId?: unknown }).sessionId;
        const wrote = (answer: unknown): void => {
          resolve(answer);
          if (typeof sessionId === "string") changes.publish({ type: "session", id: sessionId, events: 0 });
        };
        writes.set(id, { resolve: wrote, reject });
        post({ type: "write", write: { id, name, input, kept } });
      }),
    work: (name, input, result) => work(name, input as object, result),
  };

  /** Asks the worker for a long work; a signal that aborts stops it where it is. */
  function work(name: string, input: object, { signal, onProgress }: WorkOptions = {}): Promise<unknown> {
    const id = randomUUID();
    const answer = new Promise((resolve, reject) => works.set(id, { resolve, reject, onProgress }));
    post({ type: "work", id, name, input });
    const cancel = (): void => post({ type: "cancel", id });
    signal?.addEventListener("abort", cancel, { once: true });
    return answer.finally(() => {
      signal?.removeEventListener("abort", cancel);
      // It may have ended artifacts of any session.
      changes.publish({ type: "sessions" });
    });
  }

  function startWorker(): Worker {
    const started = new Worker(new URL("./import-worker.ts", import.meta.url), { workerData: { dir: archive.dir } });
    started.on("message", (message: FromWorker) => hear(message, started));
    if (isShipping) started.postMessage({ type: "ships" } satisfies ToWorker);
    started.on("error", (error) => {
      // The worker dies alone: what it had committed stays, what waits is told, and the next job gets a new one. Not at once: where an
      // archive cannot be opened any more, one after the other would take a whole processor.
      console.error("The import worker stopped:", error);
      const reason = "The import stopped unexpectedly. Retry to read the rest.";
      for (const [id, { reject }] of waiting) {
        reject(error);
        const failed = jobs.fail(id, reason);
        if (failed !== null) tell(failed);
      }
      waiting.clear();
      for (const { reject } of writes.values()) reject(error);
      writes.clear();
      for (const { reject } of works.values()) reject(error);
      works.clear();
      if (shown?.state === "running") tell({ ...shown, state: "failed", reason });
      if (worker === started) worker = null;
    });
    return started;
  }

  /** A node that ends takes nothing more. */
  const notHeld: Ship = (entries) =>
    Promise.resolve(
      entries.map(() => new AppError("conflict", "This node is ending. Send the request again.", { isPassing: true })),
    );

  function tell(progress: ImportProgress): void {
    shown = progress;
    changes.publish({ type: "import", progress });
  }

  function hear(message: FromWorker, from: Worker): void {
    switch (message.type) {
      case "progress":
        if (jobs.note(message.progress, message.quiet)) tell(message.progress);
        break;
      case "sessions":
        for (const id of message.sessions.slice(0, 50)) changes.publish({ type: "session", id, events: 0 });
        changes.publish({ type: "sessions" });
        break;
      case "counted":
        changes.publish({ type: "counted", id: message.id });
        break;
      case "done":
        waiting.get(message.id)?.resolve(message.answer);
        waiting.delete(message.id);
        jobs.end(message.id);
        changes.publish({ type: "sources" });
        break;
      case "working":
        works.get(message.id)?.onProgress?.(message.progress);
        break;
      case "worked":
        works.get(message.id)?.resolve(message.answer);
        works.delete(message.id);
        break;
      case "swept":
        changes.publish({ type: "sessions" });
        break;
      case "ship":
        void (archive.ship ?? notHeld)(message.entries).then((refused) =>
          // The one that asks: another one's write of the same number is not told by that.
          from.postMessage({
            type: "shipped",
            id: message.id,
            refused: refused.map((error) => (error === null ? null : refusedOf(error))),
          } satisfies ToWorker),
        );
        break;
      case "wrote":
        for (const one of message.writes) answerWrite(one);
        break;
      case "failed": {
        const error = message.code === null ? new Error(message.message) : new AppError(message.code, message.message);
        if (message.code === null) console.error(message.stack);
        works.get(message.id)?.reject(error);
        works.delete(message.id);
        waiting.get(message.id)?.reject(error);
        waiting.delete(message.id);
        const failed = jobs.fail(message.id, message.message);
        if (failed !== null) tell(failed);
        else if (shown?.id === message.id) tell({ ...shown, state: "failed", reason: message.message });
      }
    }
  }

  function answerWrite(one: WriteAnswered): void {
    const waits = writes.get(one.id);
    writes.delete(one.id);
    if ("answer" in one) return waits?.resolve(one.answer);
    waits?.reject(errorOf(one.refused));
  }

  function submit(
    paths: readonly string[],
    job: Omit<Job, "id" | "paths">,
  ): { id: string; done: Promise<ImportAnswer> } {
    const id = randomUUID();
    const given = { id, paths: [...paths], byName: foldersByName(archive, roots()), ...job };
    const done = new Promise<ImportAnswer>((resolve, reject) => waiting.set(id, { resolve, reject }));
    done.catch(() => undefined);
    jobs.add(given);
    post({ type: "import", job: given });
    return { id, done };
  }

  /** What an older version read, in the background. */
  function readAgain(): void {
    const id = randomUUID();
    const done = new Promise<ImportAnswer>((resolve, reject) => waiting.set(id, { resolve, reject }));
    done.catch(() => undefined);
    post({ type: "read-again", id });
  }

  const telemetry = createTelemetryImports({
    archive,
    read: (paths) => submit(paths, { final: true, quiet: true }).done,
  });

  const start: Imports["start"] = async (paths, as) => submit(paths, { final: true, quiet: false, ...as });

  return {
    start,
    progress: () => shown,
    jobs: () => jobs.list(),
    retry: async (id) => {
      if (!jobs.retry(id)) fail("not_found", `No failed import ${id}. It may have been retried already.`);
    },
    cancel: async (id) => {
      if (jobs.forget(id)) return;
      if (!waiting.has(id)) fail("not_found", `No import ${id} is running.`);
      post({ type: "cancel", id });
    },
    roots: () => describeRoots(archive, roots(), watch !== null),
    folders: async () => roots(),
    addRoot: async (path) => {
      const full = await addRoot(archive, path);
      changes.publish({ type: "sources" });
      submit([full], { final: false, quiet: false });
    },
    readArchived: async (path, on) => {
      await saveArchivedOption(archive, { path, on });
      changes.publish({ type: "sources" });
      changes.publish({ type: "sessions" });
      if (on) submit([path], { final: false, quiet: false });
    },
    removeRoot: async (path) => {
      await removeRoot(archive, path);
      changes.publish({ type: "sources" });
    },
    loadDemo: async () => (await start(await writeDemo(archive.dir))).done,
    telemetry: (stored) => telemetry.note(stored),
    received: () => receivedTelemetry(archive),
    count: (pk) => post({ type: "count", pk }),
    ships: () => {
      isShipping = true;
      post({ type: "ships" });
    },
    watch: () => {
      // Watched before a proxy writes to it: a folder that appears later is found within a minute.
      mkdirSync(join(archive.dir, CAPTURE_FOLDER), { recursive: true, mode: 0o700 });
      const present = roots().map((root) => root.path);
      if (present.length > 0) submit(present, { final: false, quiet: false });
      // What came before the last end and was not read then.
      const received = telemetryFolder(archive);
      if (existsSync(received))
        void recoverTraces(archive)
          .then(telemetry.note)
          .catch((error: unknown) => console.error("Could not read telemetry:", error))
          .then(() => submit([received], { final: true, quiet: true }));
      readAgain();
      const changed = (paths: string[], final: boolean): void => void submit(paths, { final, quiet: true });
      watch = watchArchive(archive, {
        roots: () => roots().map((root) => root.path),
        onChanged: (paths) => changed(paths, false),
        onSettled: (paths) => changed(paths, true),
        onDiscover: (found) => void submit(found, { final: false, quiet: true }),
        signal: stop.signal,
      });
    },
    close: async () => {
      stop.abort();
      telemetry.close();
      jobs.close();
      for (const id of [...waiting.keys(), ...works.keys()])
        worker?.postMessage({ type: "cancel", id } satisfies ToWorker);
      await Promise.race([
        Promise.allSettled([...[...waiting.keys()].map((id) => settled(id)), written()]),
        new Promise((resume) => setTimeout(resume, 3000)),
      ]);
      await worker?.terminate();
    },
  };

  /** Resolves when what was asked to be written has been answered. */
  async function written(): Promise<void> {
    while (writes.size > 0) await new Promise((resume) => setTimeout(resume, 10));
  }

  function settled(id: string): Promise<void> {
    return new Promise((resolve) => {
      const one = waiting.get(id);
      if (one === undefined) return resolve();
      waiting.set(id, {
        resolve: (answer) => (one.resolve(answer), resolve()),
        reject: (error) => (one.reject(error), resolve()),
      });
    });
  }
}
