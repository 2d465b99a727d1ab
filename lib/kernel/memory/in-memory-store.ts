// Memory in RAM: for tests, for agents that need no disk, and as the measure of what other stores do.
import { fail } from "../errors.ts";
import { corpusOf } from "./corpus.ts";
import { memoryTypeOf, traceKey } from "./memory-types.ts";
import type {
  CompactionChange,
  MemoryItem,
  MemoryItemOf,
  MemorySnapshot,
  MemoryStore,
  MemoryType,
  RawTrace,
} from "./memory-types.ts";

type Applied = {
  readonly change: CompactionChange;
  /** What the change took away, with the positions that they had. */
  readonly removed: readonly { readonly at: number; readonly trace: RawTrace }[];
  readonly snapshotBefore: MemorySnapshot | null;
};

export class InMemoryMemoryStore implements MemoryStore {
  #lists: { [T in MemoryType]: MemoryItemOf[T][] } = { raw_trace: [], episodic: [], semantic: [] };
  #archived: RawTrace[] = [];
  #applied: Applied[] = [];
  #undone = new Set<string>();
  #snapshot: MemorySnapshot | null = null;

  add(items: readonly MemoryItem[]): void {
    for (const item of items) (this.#lists[memoryTypeOf(item)] as MemoryItem[]).push(item);
  }

  list<T extends MemoryType>(type: T, limit?: number): readonly MemoryItemOf[T][] {
    return lastOf(this.#lists[type], limit);
  }

  listTraces(): readonly RawTrace[] {
    return this.list("raw_trace");
  }

  listArchived(): readonly RawTrace[] {
    return [...this.#archived];
  }

  corpus(): readonly RawTrace[] {
    return corpusOf(this.#archived, this.#lists.raw_trace);
  }

  compact(change: CompactionChange): void {
    if (this.#undone.has(change.runId) || this.#applied.some((one) => one.change.runId === change.runId)) return;
    const removed: { at: number; trace: RawTrace }[] = [];
    const kept: RawTrace[] = [];
    this.#lists.raw_trace.forEach((trace, at) => {
      if (change.remove.has(traceKey(trace))) removed.push({ at, trace });
      else kept.push(trace);
    });
    this.#archived.push(...removed.map(({ trace }) => trace));
    this.#lists = {
      raw_trace: kept,
      episodic: [...this.#lists.episodic, ...change.episodic],
      semantic: [...this.#lists.semantic, ...change.semantic],
    };
    this.#applied.push({ change, removed, snapshotBefore: this.#snapshot });
    if (change.snapshot !== null) this.#snapshot = change.snapshot;
  }

  readSnapshot(): MemorySnapshot | null {
    return this.#snapshot;
  }

  writeSnapshot(snapshot: MemorySnapshot): void {
    this.#snapshot = snapshot;
  }

  /** The last compaction alone: an earlier one is covered by what came after it. */
  undo(runId: string): void {
    if (this.#undone.has(runId)) return;
    const last = this.#applied.at(-1);
    if (last === undefined || last.change.runId !== runId)
      fail("conflict", `Compaction ${runId} is not the last one. Undo the later ones first.`);
    const traces = this.#lists.raw_trace;
    for (const { at, trace } of last.removed) traces.splice(at, 0, trace);
    this.#archived.length -= last.removed.length;
    const gone = new Set<MemoryItem>([...last.change.episodic, ...last.change.semantic]);
    this.#lists.episodic = this.#lists.episodic.filter((item) => !gone.has(item));
    this.#lists.semantic = this.#lists.semantic.filter((item) => !gone.has(item));
    this.#applied.pop();
    this.#undone.add(runId);
    if (last.change.snapshot !== null && last.snapshotBefore !== null)
      // Epochs never go back: a usage of the epoch that is undone is to be known as old.
      this.#snapshot = { ...last.snapshotBefore, epochId: this.#snapshot!.epochId + 1 };
  }
}

/** The last `limit`, in order; all without a limit. */
export const lastOf = <T>(items: readonly T[], limit?: number): readonly T[] =>
  limit === undefined ? [...items] : limit <= 0 ? [] : items.slice(-limit);
