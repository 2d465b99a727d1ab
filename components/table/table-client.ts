// The page's side of a table: what the worker told, the rows that are on screen, and one question of a kind at a time,
// the newest, so that fast typing and scrolling never queue up.
import type { Arrangement } from "./arrange.ts";
import { WorkerClient } from "./worker-talk.ts";
import type { Progress, Questions, RowView, TableSource } from "./table-words.ts";

export type TableSnapshot = {
  readonly progress: Progress | null;
  readonly failure: string | null;
  /** Rows that are left by what was chosen. */
  readonly count: number;
  /** Changes when rows stand in another order. */
  readonly version: number;
  readonly isArranging: boolean;
  /** How long the last arranging took; null when rows stand as they came. */
  readonly ms: number | null;
  readonly window: RowsWindow;
};

export type RowsWindow = {
  readonly from: number;
  readonly rows: readonly RowView[];
  /** Columns of its cells, in order. */
  readonly columns: readonly number[];
  readonly version: number;
};

type Wanted = { readonly from: number; readonly to: number; readonly columns: readonly number[] };

const WORKER = "/workers/table-worker.js";
const EMPTY: RowsWindow = { from: 0, rows: [], columns: [], version: 0 };

export const NOTHING_YET: TableSnapshot = {
  progress: null,
  failure: null,
  count: 0,
  version: 0,
  isArranging: false,
  ms: null,
  window: EMPTY,
};

let clients = 0;

export class TableClient {
  readonly id = ++clients;
  readonly #source: TableSource;
  #started: WorkerClient<Questions> | null = null;
  readonly #watchers = new Set<() => void>();
  #now: TableSnapshot = NOTHING_YET;
  #arrangement: Arrangement = { sort: null, query: "", filters: [] };
  #isPlain = true;
  #isBusy = false;
  #isOld = false;
  #wanted: Wanted | null = null;
  #isLooking = false;

  constructor(source: TableSource) {
    this.#source = source;
  }

  /** The worker lives while somebody watches. */
  readonly subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    this.#start();
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.#end();
    };
  };
  readonly snapshot = (): TableSnapshot => this.#now;

  /** Chosen before all is read, it holds when it is. */
  arrange(arrangement: Arrangement): void {
    this.#arrangement = arrangement;
    this.#isOld = true;
    void this.#arrangeNow();
  }

  /** The rows and columns that are on screen. */
  look(wanted: Wanted): void {
    this.#wanted = wanted;
    void this.#lookNow();
  }

  row(row: number): Promise<Questions["row"]["answer"]> {
    return this.#worker.ask("row", { row });
  }

  csv(columns: readonly number[]): Promise<Blob> {
    return this.#worker.ask("csv", { columns }).then(({ blob }) => blob);
  }

  /** Reads no further; what was read stays. */
  stop(): void {
    this.#worker.notify("stop");
  }

  #start(): void {
    if (this.#started) return;
    this.#started = new WorkerClient<Questions>(
      WORKER,
      (result) => this.#hear(result as { progress?: Progress; failed?: string }),
      (message) => this.#set({ failure: message }),
    );
    this.#started.notify({ open: this.#source });
  }

  #end(): void {
    this.#started?.end();
    this.#started = null;
    this.#now = NOTHING_YET;
    this.#isPlain = true;
    this.#isOld = true;
    this.#isBusy = false;
    this.#isLooking = false;
  }

  get #worker(): WorkerClient<Questions> {
    this.#start();
    return this.#started as WorkerClient<Questions>;
  }

  #hear({ progress, failed }: { progress?: Progress; failed?: string }): void {
    if (failed !== undefined) return this.#set({ failure: failed });
    if (!progress) return;
    this.#set(this.#isPlain ? { progress, count: progress.rows } : { progress });
    if (progress.isDone) void this.#arrangeNow();
    void this.#lookNow();
  }

  async #arrangeNow(): Promise<void> {
    if (this.#isBusy || !this.#isOld || this.#now.progress?.isDone !== true) return;
    const request = this.#arrangement;
    const isPlain = request.sort === null && request.query === "" && request.filters.length === 0;
    this.#isOld = false;
    if (isPlain && this.#isPlain) return;
    this.#isBusy = true;
    this.#set({ isArranging: true });
    try {
      const { count, ms } = await this.#worker.ask("arrange", request);
      this.#isPlain = isPlain;
      this.#set({ count, ms: isPlain ? null : ms, version: this.#now.version + 1, isArranging: false });
    } catch (error) {
      this.#set({ failure: error instanceof Error ? error.message : String(error), isArranging: false });
    }
    this.#isBusy = false;
    void this.#lookNow();
    void this.#arrangeNow();
  }

  async #lookNow(): Promise<void> {
    const wanted = this.#wanted;
    if (this.#isLooking || wanted === null || this.#now.progress === null) return;
    this.#isLooking = true;
    const { version, count } = this.#now;
    try {
      const { from, rows } = await this.#worker.ask("rows", wanted);
      this.#set({ window: { from, rows, columns: wanted.columns, version } });
    } catch (error) {
      this.#set({ failure: error instanceof Error ? error.message : String(error) });
    }
    this.#isLooking = false;
    // More rows count only when the screen was not full.
    const isShort = wanted.to > count && this.#now.count > count;
    if (this.#wanted !== wanted || this.#now.version !== version || isShort) void this.#lookNow();
  }

  #set(change: Partial<TableSnapshot>): void {
    this.#now = { ...this.#now, ...change };
    for (const watcher of this.#watchers) watcher();
  }
}
