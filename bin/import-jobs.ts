// The imports that a server was given and has not done: what a person can see, cancel and retry. One that failed is tried
// again by itself, later each time.
import type { ImportProgress } from "#lib/wire/sources-schema.ts";
import type { Job } from "./import-messages.ts";

/** Pauses before an import that failed is tried again (milliseconds). */
const RETRY_MS = [5000, 30_000, 120_000] as const;

/** An import of the watcher that takes longer is shown like one that a person asked for (milliseconds). */
const SHOWN_MS = 2000;

/** Failed imports that can be retried, at most. */
const FAILED = 20;

type Known = { readonly job: Job; progress: ImportProgress; startedAt: number | null; timer: NodeJS.Timeout | null };

export class ImportJobs {
  readonly #known = new Map<string, Known>();
  readonly #failed = new Map<string, Known>();
  readonly #submit: (job: Omit<Job, "id">) => void;

  constructor(submit: (job: Omit<Job, "id">) => void) {
    this.#submit = submit;
  }

  add(job: Job): void {
    const progress: ImportProgress = {
      id: job.id,
      state: "waiting",
      filesDone: 0,
      files: job.paths.length,
      bytesDone: 0,
      bytes: 0,
      events: 0,
      current: job.paths[0] ?? null,
      reason: null,
    };
    this.#known.set(job.id, { job, progress, startedAt: null, timer: null });
  }

  /** Notes how far an import is. True when it is to be shown. */
  note(progress: ImportProgress, isQuiet: boolean): boolean {
    const known = this.#known.get(progress.id);
    if (known === undefined) return !isQuiet;
    known.startedAt ??= performance.now();
    known.progress = progress;
    return !isQuiet || performance.now() - known.startedAt >= SHOWN_MS;
  }

  end(id: string): void {
    this.#known.delete(id);
  }

  /** Notes a failure, and retries by itself a few times. Its last progress, with the reason. */
  fail(id: string, reason: string): ImportProgress | null {
    const known = this.#known.get(id);
    if (known === undefined) return null;
    this.#known.delete(id);
    // A node brings it again by itself, and this file is gone: there is nothing to retry.
    if (known.job.isCopy === true) return { ...known.progress, state: "done" };
    known.progress = { ...known.progress, state: "failed", reason };
    if (this.#failed.size >= FAILED) this.#failed.delete(this.#failed.keys().next().value!);
    this.#retryLater(known);
    return known.progress;
  }

  #retryLater(known: Known): void {
    const { id, attempt = 0 } = known.job;
    this.#failed.set(id, known);
    const pause = RETRY_MS[attempt];
    if (pause === undefined) return;
    known.timer = setTimeout(() => {
      try {
        this.retry(id);
      } catch (error) {
        console.error("An import could not be retried:", error);
      }
    }, pause).unref();
  }

  /** Submits a failed import again; false when there is none of this id. */
  retry(id: string): boolean {
    const known = this.#failed.get(id);
    if (known === undefined) return false;
    this.#failed.delete(id);
    if (known.timer !== null) clearTimeout(known.timer);
    const { id: _, ...job } = known.job;
    const attempt = (job.attempt ?? 0) + 1;
    try {
      this.#submit({ ...job, attempt });
    } catch (error) {
      // What it needs of the archive cannot be read now.
      this.#retryLater({ ...known, job: { ...known.job, attempt } });
      throw error;
    }
    return true;
  }

  /** Retries a failed import no more; false when there is none of this id. */
  forget(id: string): boolean {
    const known = this.#failed.get(id);
    if (known?.timer != null) clearTimeout(known.timer);
    return this.#failed.delete(id);
  }

  /** Those that run, wait for their turn, or failed. */
  list(): ImportProgress[] {
    return [...this.#known.values(), ...this.#failed.values()].map(({ progress }) => progress);
  }

  close(): void {
    for (const { timer } of this.#failed.values()) if (timer !== null) clearTimeout(timer);
  }
}
