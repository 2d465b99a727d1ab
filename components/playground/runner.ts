// Runs a program as it is being written: a little after the last key, and each run ends the one before. What it knows is
// told in snapshots; the output of a run stays until the next has something to show in its place.
import { LIMITS } from "#lib/kernel/limits.ts";
import { jqPiece, type JqRun, type JqRunEnd } from "#lib/wire/playground-schema.ts";
import { failureOf, reach } from "../ui/api.ts";
import { piecesOf } from "../shared/ndjson.ts";
import { Output } from "./jq-output-view.ts";

export type RunRequest = Omit<JqRun, "deadlineMs" | "outputBytes" | "isKept">;

export type RunState = {
  readonly phase: "idle" | "running" | "ended";
  /** Null until something was asked. */
  readonly request: RunRequest | null;
  readonly output: Output;
  /** Grows with the output, which is one object while a run lasts. */
  readonly version: number;
  /** The output is that of a run before. */
  readonly isOld: boolean;
  readonly end: JqRunEnd | null;
  /** The door said no, or did not answer. */
  readonly refusal: { readonly code: string; readonly message: string } | null;
};

const TYPED_MS = LIMITS.jqTypedMs;
export const LONGER_MS = LIMITS.jqLongMs;
/** Of output, for the page; *Download all* brings the rest. */
const SHOWN_BYTES = LIMITS.jqPersonShownBytes;
/** What a person left alone for so long is what he ended on. */
const REST_MS = 2500;
/** Pieces that come at once are drawn at once: 1 MB comes as sixteen. */
const TELL_MS = 30;
/** Kept in the history without being sent again. */
const KEPT_BYTES = 1000;

const LEAST_WAIT_MS = 40;
const MOST_WAIT_MS = 400;

/** From the last key to the run: the longer the last one took, the less it helps to ask at every key. */
export const waitAfter = (lastMs: number): number => Math.min(MOST_WAIT_MS, Math.max(LEAST_WAIT_MS, lastMs / 2));

type RunnerOptions = {
  readonly fetch?: typeof reach;
  /** A run was kept in the history. */
  readonly onKept?: () => void;
};

export const IDLE: RunState = {
  phase: "idle",
  request: null,
  output: new Output(),
  version: 0,
  isOld: false,
  end: null,
  refusal: null,
};

export class Runner {
  #state = IDLE;
  #lastMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #stop = new AbortController();
  #kept = "";
  readonly #fetch: typeof reach;
  readonly #onKept: () => void;
  readonly #watchers = new Set<() => void>();

  constructor({ fetch = reach, onKept = () => {} }: RunnerOptions = {}) {
    this.#fetch = fetch;
    this.#onKept = onKept;
  }

  readonly get = (): RunState => this.#state;

  readonly subscribe = (notify: () => void): (() => void) => {
    this.#watchers.add(notify);
    return () => void this.#watchers.delete(notify);
  };

  /** As one types: soon. */
  type(requested: RunRequest): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#rest);
    // What runs may end in the meantime: stopping it costs the server a thread, and the next run the start of another.
    this.#timer = setTimeout(() => {
      this.#halt();
      void this.#run(requested, TYPED_MS, false);
    }, waitAfter(this.#lastMs));
  }

  /** As a person says: at once, and into the history. */
  run(requested: RunRequest, deadlineMs: number = LIMITS.jqPersonMs): void {
    this.#halt();
    void this.#run(requested, deadlineMs, true);
  }

  /** Stops what runs; what came of it stays. */
  stop(): void {
    this.#halt();
    if (this.#state.phase === "running") this.#tell({ phase: "ended", end: null });
  }

  /** It cannot be asked at all. */
  refuse(code: string, message: string): void {
    this.#halt();
    this.#tell({ ...IDLE, phase: "ended", refusal: { code, message } });
  }

  clear(): void {
    this.#halt();
    this.#tell(IDLE);
  }

  #halt(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#rest);
    this.#stop.abort();
  }

  async #run(requested: RunRequest, deadlineMs: number, isKept: boolean): Promise<void> {
    const stop = new AbortController();
    this.#stop = stop;
    this.#tell({ phase: "running", request: requested, isOld: true, refusal: null });
    const output = new Output();
    let notifiedAt = -TELL_MS;
    try {
      for await (const piece of this.#ask(
        { ...requested, deadlineMs, outputBytes: SHOWN_BYTES, isKept },
        stop.signal,
      )) {
        if (stop.signal.aborted) return;
        if (piece.type === "output") {
          output.append(piece.text);
          const now = performance.now();
          if (now - notifiedAt < TELL_MS) continue;
          notifiedAt = now;
          this.#tell({ output, version: this.#state.version + 1, isOld: false, end: null });
          continue;
        }
        // jq's own time: the first answer of a page is late for other reasons.
        this.#lastMs = piece.ms;
        // An unfinished word is an error for a moment; the result before it is not taken away for that.
        const isShown = piece.failure?.kind !== "compile" || output.text !== "";
        this.#tell({
          phase: "ended",
          end: piece,
          ...(isShown && { output, version: this.#state.version + 1, isOld: false }),
        });
        if (isKept) this.#hasKept(requested);
        else if (piece.failure?.kind !== "compile") this.#rest = setTimeout(() => void this.#keep(requested), REST_MS);
      }
      if (this.#state.phase === "running" && !stop.signal.aborted) throw new Error("Connection lost. Run it again.");
    } catch (error) {
      if (stop.signal.aborted) return;
      this.#tell({ phase: "ended", end: null, refusal: failureOf(error) });
    }
  }

  /** Into the history what was typed and then left alone; once. */
  async #keep(requested: RunRequest): Promise<void> {
    if (this.#kept === JSON.stringify(requested)) return;
    const stop = new AbortController();
    this.#stop = stop;
    try {
      const request = { ...requested, deadlineMs: TYPED_MS, outputBytes: KEPT_BYTES, isKept: true };
      for await (const _ of this.#ask(request, stop.signal)) if (stop.signal.aborted) return;
      if (!stop.signal.aborted) this.#hasKept(requested);
    } catch {
      // The history is a convenience: what it could not take was shown nonetheless.
    }
  }

  #hasKept(requested: RunRequest): void {
    this.#kept = JSON.stringify(requested);
    this.#onKept();
  }

  async *#ask(request: JqRun, signal: AbortSignal) {
    const response = await this.#fetch("/api/playground/jq", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
      signal,
    });
    if (response.body) yield* piecesOf(response.body, jqPiece);
  }

  #tell(change: Partial<RunState>): void {
    this.#state = { ...this.#state, ...change };
    for (const notify of this.#watchers) notify();
  }
}
