// A work that takes seconds, as a page asks for it.
import { isAppError } from "#lib/kernel/errors.ts";
import type { Archive } from "./archive-type.ts";
import { perArchive } from "./per-archive.ts";
import type { WorkOptions } from "./work-options.ts";

export type LongWork<Input extends object, Answer> = {
  /** Its name in lib/archive/long-jobs.ts: in the server it runs in the thread that writes. */
  readonly name: string;
  /** What failed, for the log. */
  readonly failure: string;
  /** What the sessions are now: an answer of another state is stale. */
  readonly stateOf: (archive: Archive) => string;
  readonly run: (archive: Archive, input: Input, options: WorkOptions) => Promise<Answer>;
};

type Running<Input> = {
  readonly input: Input;
  readonly stop: AbortController;
  done: number | null;
  total: number | null;
};

type State<Input, Answer> = {
  running: Running<Input> | null;
  answer: Answer | null;
  madeAt: number;
  /** What the sessions were when the work began. */
  of: string;
  ended: { readonly input: Input; readonly how: "cancelled" | "failed"; readonly reason: string } | null;
};

/** One such work at a time, its last answer held in memory: nobody waits in a request for it. */
export function longWork<Input extends object, Answer>(work: LongWork<Input, Answer>) {
  const states = perArchive((): State<Input, Answer> => ({
    running: null,
    answer: null,
    madeAt: 0,
    of: "",
    ended: null,
  }));

  async function run(archive: Archive, input: Input, options: WorkOptions): Promise<Answer> {
    const elsewhere = archive.writer?.work;
    return elsewhere === undefined
      ? work.run(archive, input, options)
      : ((await elsewhere(work.name, input, options)) as Answer);
  }

  return {
    /** Begins; false when it runs already. */
    begin(archive: Archive, input: Input): boolean {
      const state = states(archive);
      if (state.running !== null) return false;
      // Before it counts as running: a state that cannot be read begins nothing, and blocks nothing.
      const of = work.stateOf(archive);
      const running: Running<Input> = {
        input,
        stop: new AbortController(),
        done: null,
        total: null,
      };
      state.running = running;
      state.ended = null;
      const { signal } = running.stop;
      run(archive, input, { signal, onProgress: ({ done, total }) => Object.assign(running, { done, total }) })
        .then((answer) => {
          Object.assign(state, { answer, madeAt: archive.host.now(), of });
        })
        .catch((error: unknown) => {
          const how = signal.aborted ? ("cancelled" as const) : ("failed" as const);
          if (how === "failed" && !isAppError(error)) console.error(`${work.failure}:`, error);
          const reason = error instanceof Error ? error.message : String(error);
          state.ended = { input, how, reason: how === "cancelled" ? "It was cancelled." : reason };
        })
        .finally(() => {
          state.running = null;
        });
      return true;
    },

    cancel(archive: Archive): void {
      states(archive).running?.stop.abort();
    },

    /** True where it was never begun. */
    isNew(archive: Archive): boolean {
      const { answer, running, ended } = states(archive);
      return answer === null && running === null && ended === null;
    },

    /** How it stands; `isStale`: the sessions changed since the answer. */
    read(archive: Archive) {
      const { running, answer, madeAt, of, ended } = states(archive);
      return {
        running: running === null ? null : { ...running.input, done: running.done, total: running.total },
        answer,
        madeAt: answer === null ? null : new Date(madeAt).toISOString(),
        isStale: answer !== null && running === null && of !== work.stateOf(archive),
        ended: ended === null ? null : { ...ended.input, how: ended.how, reason: ended.reason },
      };
    },
  };
}
