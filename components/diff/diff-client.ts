// The page's side of a comparison: what the worker found, and the rows that are on screen.
import { WorkerClient } from "../table/worker-talk.ts";
import type { Mode } from "./diff-rows.ts";
import type { DiffAsk, DiffRow, Questions, Summary } from "./diff-words.ts";

export type DiffSnapshot = {
  readonly summary: Summary | null;
  readonly failure: string | null;
  readonly count: number;
  /** First rows of changes. */
  readonly changes: readonly number[];
  /** Changes when rows stand in another order. */
  readonly version: number;
  readonly window: { readonly from: number; readonly rows: readonly DiffRow[] };
};

const WORKER = "/workers/diff-worker.js";

export const NOT_COMPARED: DiffSnapshot = {
  summary: null,
  failure: null,
  count: 0,
  changes: [],
  version: 0,
  window: { from: 0, rows: [] },
};

export class DiffClient {
  readonly #ask: DiffAsk;
  readonly #watchers = new Set<() => void>();
  #worker: WorkerClient<Questions> | null = null;
  #now: DiffSnapshot = NOT_COMPARED;
  #mode: Mode = "split";
  #opened = new Set<number>();
  #isAllOpen = false;
  #wanted: { from: number; to: number } | null = null;
  #isLooking = false;

  constructor(ask: DiffAsk) {
    this.#ask = ask;
  }

  /** The worker lives while somebody watches. */
  readonly subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    if (!this.#worker) this.#start();
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size > 0) return;
      this.#worker?.end();
      this.#worker = null;
      this.#now = NOT_COMPARED;
      this.#isLooking = false;
    };
  };
  readonly snapshot = (): DiffSnapshot => this.#now;

  show(mode: Mode, isAllOpen: boolean): void {
    this.#mode = mode;
    this.#isAllOpen = isAllOpen;
    void this.#arrange();
  }

  /** Opens the unchanged lines of a run. */
  unfold(run: number): void {
    this.#opened.add(run);
    void this.#arrange();
  }

  look(from: number, to: number): void {
    this.#wanted = { from, to };
    void this.#lookNow();
  }

  #start(): void {
    this.#opened = new Set();
    const worker = new WorkerClient<Questions>(
      WORKER,
      () => {},
      (message) => this.#set({ failure: message }),
    );
    this.#worker = worker;
    worker.ask("compare", this.#ask).then(
      (summary) => {
        this.#set({ summary });
        void this.#arrange();
      },
      (error: Error) => this.#set({ failure: error.message }),
    );
  }

  async #arrange(): Promise<void> {
    if (this.#worker === null || this.#now.summary === null) return;
    const ask = { mode: this.#mode, opened: [...this.#opened], isAllOpen: this.#isAllOpen };
    const { count, changes } = await this.#worker.ask("arrange", ask);
    this.#set({ count, changes, version: this.#now.version + 1 });
    void this.#lookNow();
  }

  async #lookNow(): Promise<void> {
    const wanted = this.#wanted;
    if (this.#isLooking || wanted === null || this.#worker === null || this.#now.version === 0) return;
    this.#isLooking = true;
    const { version } = this.#now;
    const window = await this.#worker.ask("rows", wanted);
    this.#isLooking = false;
    this.#set({ window });
    if (this.#wanted !== wanted || this.#now.version !== version) void this.#lookNow();
  }

  #set(change: Partial<DiffSnapshot>): void {
    this.#now = { ...this.#now, ...change };
    for (const watcher of this.#watchers) watcher();
  }
}
