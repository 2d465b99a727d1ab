// The background pass over tokens, list summaries and verdicts, as the thread that writes runs it: another thread counts, this one
// writes what it finds, in small transactions between those of others. A put, an import or a long job stops it at once.
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { noteCounted, saveCounts, sessionsToCount } from "#lib/archive/load/count-tokens.ts";
import { saveRecount } from "#lib/archive/import/state-counts.ts";
import { noteFailure } from "#lib/archive/base/degraded.ts";
import { saveVerdict } from "#lib/archive/load/compute-verdict.ts";
import { saveListSummary } from "#lib/archive/sessions/list-summary.ts";
import { isIndexDue } from "#lib/archive/search/search-index.ts";
import type { FromCounter, ToCounter } from "./counter-messages.ts";
import { sessionIdOf } from "#lib/archive/base/find-session.ts";

export type Counting = {
  /** Counts what there is to count until it is stopped; false when nothing is left. */
  next(): Promise<boolean>;
  stop(): void;
  /** Something was written: there may be more to count. */
  noteWrite(): void;
  /** This session before the others. */
  want(pk: number): void;
  readonly isWanted: boolean;
};

export type Counter = { post(message: ToCounter): void };

export type CountingOptions = {
  readonly opened: Promise<Archive>;
  /** Starts the thread that counts, when there is something to count for the first time. */
  readonly startCounter: (hear: (message: FromCounter) => void, fail: () => void) => Counter;
  readonly onCounted: (sessionId: string) => void;
};

export function createCounting({ opened, startCounter, onCounted }: CountingOptions): Counting {
  let counter: Counter | null = null;
  /** The pass that runs, and what resolves it. */
  let run = 0;
  let resolveRun: ((isDone: boolean) => void) | null = null;
  let isUncounted = true;
  let isUnindexed = true;
  const wanted: number[] = [];
  /** Sessions that a pass came to the end of, by version: with 10,000 of them each write would begin a pass over all. */
  const done = new Map<number, number>();
  /** Writes of what was found, one after the other. */
  let writing: Promise<void> = Promise.resolve();

  function end(isDone: boolean): void {
    resolveRun?.(isDone);
    resolveRun = null;
  }

  function stop(): void {
    if (resolveRun === null) return;
    counter?.post({ type: "stop" });
    end(false);
  }

  /** A disk that is full stops counting, never this thread: the next write or import begins it again. */
  function save(work: (archive: Archive) => void): Promise<void> {
    writing = writing.then(async () => {
      const archive = await opened;
      await archive.turn.take();
      try {
        work(archive);
      } catch (error) {
        // What was found of it may be lost.
        done.clear();
        noteFailure(archive, error);
        stop();
      } finally {
        archive.turn.give();
      }
    });
    return writing;
  }

  function hear(message: FromCounter): void {
    if (message.type === "counts") void save((archive) => saveCounts(archive, message.tokenizer, message.counts));
    else if (message.type === "counted")
      void save((archive) => {
        if (message.recount !== null) saveRecount(archive, message.pk, message.recount);
        if (message.counted > 0) noteCounted(archive, message.pk);
      }).then(() => counter?.post({ type: "written", run: message.run, pk: message.pk }));
    else if (message.type === "verdict")
      void save((archive) => {
        saveListSummary(archive, message.pk, message.summary);
        done.set(message.pk, message.summary.version);
        if (message.verdict === null) return;
        saveVerdict(archive, message.verdict);
        const id = sessionIdOf(archive, message.pk);
        if (typeof id === "string") onCounted(id);
      });
    else if (message.run === run) void writing.then(() => end(true));
  }

  return {
    async next() {
      const archive = await opened;
      const first = wanted.shift();
      const pks =
        first !== undefined
          ? [first]
          : isUncounted
            ? sessionsToCount(archive, Number.MAX_SAFE_INTEGER, 1_000_000)
                .filter(({ pk, version }) => done.get(pk) !== version)
                .map(({ pk }) => pk)
            : [];
      if (first === undefined) isUncounted = false;
      const isIndexing = first === undefined && isUnindexed && isIndexDue(archive);
      isUnindexed = false;
      if (pks.length === 0 && !isIndexing) return false;
      counter ??= startCounter(hear, () => {
        counter = null;
        end(true);
      });
      const number = ++run;
      const ended = new Promise<boolean>((resolve) => (resolveRun = resolve));
      counter.post({ type: "count", run: number, pks });
      if (!(await ended)) isUncounted = isUnindexed = true;
      return first !== undefined;
    },
    stop,
    noteWrite: () => void (isUncounted = isUnindexed = true),
    want: (pk) => void wanted.push(pk),
    get isWanted() {
      return wanted.length > 0;
    },
  };
}
