// A memory folder as a store that an agent can run on. Whatever it writes, it first looks whether anybody else wrote since
// it read; then it refuses, and nothing is written. What was written is on the disk when a call returns.
import { join } from "node:path";
import { fail } from "#lib/kernel/errors.ts";
import { lastOf } from "#lib/kernel/memory/in-memory-store.ts";
import {
  memoryTypeOf,
  type CompactionChange,
  type EpisodicItem,
  type MemoryHost,
  type MemoryItem,
  type MemoryItemOf,
  type MemorySnapshot,
  type MemoryStore,
  type MemoryType,
  type RawTrace,
  type SemanticItem,
} from "#lib/kernel/memory/memory-types.ts";
import { planCompaction, planRotation } from "./directory-plan.ts";
import { corpusIn, readDirectory, type Directory } from "./directory.ts";
import { appendLines, changed, makeFolder, stampOf, swapFile, type Stamp } from "./files.ts";
import { episodicLine, episodicOf, semanticLine } from "./memory-items-file.ts";
import { keepIn } from "./run-journal.ts";
import { readObject } from "./trace-lines.ts";
import { defaultState, stateFolder, takeLock, type Lock } from "./lock.ts";
import { FILES } from "./directory-paths.ts";
import { traceLine, traceOf, type Generation } from "./raw-trace.ts";
import type { Boundary } from "./segments.ts";
import { compactedManifest, rewrittenSemantic } from "./semantic-file.ts";
import { snapshotOf, snapshotText } from "./snapshot-file.ts";
import { beginRun, forgetRun, isDone, recoverRuns, undoRun, type RunLocation } from "./runs.ts";
import type { Keep, Step } from "./write-steps.ts";

export type StoreOptions = {
  readonly host: MemoryHost;
  /** Counts where nothing in the folder tells. A folder without files is of the first unless this says otherwise. */
  readonly generation?: Generation;
  /** Where the lock, and what undoing needs, are kept. Beside the folder when nothing is said. */
  readonly state?: string;
  /** Where bytes are kept; a folder in `state` when nothing is said. */
  readonly keep?: Keep;
};

/** What one compaction did to the files, for people. */
export type FileChange = {
  readonly file: string;
  readonly bytesBefore: number | null;
  readonly bytesAfter: number | null;
};

export class AutobyteusStore implements MemoryStore {
  readonly path: string;
  readonly #options: StoreOptions;
  readonly #runs: RunLocation;
  readonly #lock: Lock;
  /** What counts where nothing in the folder tells. */
  #chosen: Generation | null;
  #directory: Directory;
  /** What was read, and what was added since. */
  #traces: RawTrace[] = [];
  #episodic: EpisodicItem[] = [];
  #semantic: SemanticItem[] = [];
  #stamps = new Map<string, Stamp>();
  #isClosed = false;
  #troubles: string[];

  /** Takes the lock, and finishes what a writer of ours that was killed had begun. Changes nothing else. */
  constructor(path: string, options: StoreOptions) {
    this.path = path;
    this.#options = options;
    const folder = stateFolder(options.state ?? defaultState(path), path);
    this.#runs = { path, folder, keep: options.keep ?? keepIn(join(folder, "kept")) };
    this.#chosen = options.generation ?? null;
    this.#lock = takeLock(folder, path);
    try {
      this.#troubles = recoverRuns(this.#runs);
      this.#directory = this.#read();
    } catch (error) {
      this.#lock.release();
      throw error;
    }
  }

  get generation(): Generation | null {
    return this.#directory.generation;
  }

  /** What it read last. */
  get directory(): Directory {
    return this.#directory;
  }

  get warnings(): readonly string[] {
    return [...this.#directory.warnings, ...this.#troubles];
  }

  add(items: readonly MemoryItem[]): void {
    const { generation } = this.#forWriting();
    const of = <T extends MemoryType>(type: T): MemoryItemOf[T][] =>
      items.filter((item) => memoryTypeOf(item) === type) as MemoryItemOf[T][];
    const semantic = of("semantic");
    // Checked before anything is written: all of the items, or none.
    const semanticBytes = semantic.length === 0 ? null : this.#semanticBytes(semantic);
    const traces = of("raw_trace").map((trace) => traceLine(trace, generation));
    const episodic = of("episodic").map((item) => episodicLine(item, generation));
    this.#append(FILES.rawTraces, traces);
    this.#traces.push(...traces.map((line) => traceOf(readObject(Buffer.from(line))!)));
    this.#append(FILES.episodic, episodic);
    this.#episodic.push(...episodic.map((line) => episodicOf(readObject(Buffer.from(line))!)));
    if (semanticBytes === null) return;
    if (generation === 2) this.#swap(FILES.semantic, semanticBytes);
    else this.#append(FILES.semantic, [semanticBytes.toString("utf8")]);
    this.#reread();
  }

  list<T extends MemoryType>(type: T, limit?: number): readonly MemoryItemOf[T][] {
    const all = { raw_trace: this.#traces, episodic: this.#episodic, semantic: this.#semantic }[type];
    return lastOf(all as unknown as readonly MemoryItemOf[T][], limit);
  }

  listTraces(): readonly RawTrace[] {
    return [...this.#traces];
  }

  listArchived(): readonly RawTrace[] {
    return [...this.#directory.archived];
  }

  corpus(): readonly RawTrace[] {
    return corpusIn({ archived: this.#directory.archived, traces: this.#traces });
  }

  readSnapshot(): MemorySnapshot | null {
    return this.#directory.snapshot;
  }

  writeSnapshot(snapshot: MemorySnapshot): void {
    const generation = this.#knownGeneration();
    const snapshotBytes = Buffer.from(snapshotText(snapshot, generation));
    this.#swap(FILES.snapshot, snapshotBytes);
    const read = snapshotOf(snapshotBytes, generation);
    this.#directory = { ...this.#directory, snapshotBytes, snapshot: typeof read === "string" ? null : read };
  }

  /** What a compaction would do to the files, each once. Writes nothing. */
  planFiles(change: CompactionChange): readonly FileChange[] {
    const nowhere: Keep = { put: () => "", get: () => Buffer.alloc(0) };
    const changes = new Map<string, FileChange>();
    for (const { file, before, after } of this.#plan(change, nowhere)) {
      const bytesBefore = changes.has(file) ? changes.get(file)!.bytesBefore : (before?.size ?? null);
      changes.set(file, { file, bytesBefore, bytesAfter: after?.size ?? null });
    }
    return [...changes.values()];
  }

  compact(change: CompactionChange): void {
    this.#forWriting();
    if (!isDone(this.#runs, change.runId)) beginRun(this.#runs, change.runId, this.#plan(change, this.#runs.keep));
    this.#read();
  }

  /** Moves what stands before a marker into the archive of the second generation, as a provider's own compaction asks. */
  rotate(runId: string, markerId: string, boundary: Boundary): void {
    const generation = this.#knownGeneration();
    if (generation !== 2) fail("unsupported", "Only folders of the second generation have an archive in segments.");
    if (isDone(this.#runs, runId)) return;
    const given = { directory: this.#reread(), generation, keep: this.#runs.keep, nowMs: this.#options.host.now() };
    beginRun(this.#runs, runId, planRotation(given, markerId, boundary));
    this.#read();
  }

  /** Brings every file of a compaction back as it was, byte for byte; lines that were added since stay behind. */
  undo(runId: string): void {
    this.#forWriting();
    undoRun(this.#runs, runId, this.generation);
    this.#read();
  }

  /** Ends that a compaction can be undone; the bytes that this needed go. */
  forget(runId: string): void {
    this.#forWriting();
    forgetRun(this.#runs, runId);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#lock.release();
  }

  #plan(change: CompactionChange, keep: Keep): Step[] {
    const generation = this.#knownGeneration();
    const directory = this.#reread();
    return planCompaction({ directory, generation, keep, nowMs: this.#options.host.now() }, change);
  }

  #read(): Directory {
    const found = readDirectory(this.path, this.#chosen);
    const isEmpty = [...found.stamps.values()].every((stamp) => stamp === null);
    if (isEmpty) this.#chosen ??= 1;
    this.#directory = { ...found, generation: found.generation ?? this.#chosen };
    this.#stamps = new Map(found.stamps);
    this.#traces = [...found.traces];
    this.#episodic = [...found.episodic];
    this.#semantic = [...found.semantic];
    return this.#directory;
  }

  #reread(): Directory {
    this.#check();
    return this.#read();
  }

  /** Fails when anybody else wrote to any of the files since they were read. */
  #check(): void {
    for (const [name, stamp] of this.#stamps)
      if (stampOf(join(this.path, name)) !== stamp) changed(join(this.path, name));
  }

  #forWriting(): Directory {
    if (this.#isClosed) fail("conflict", `${this.path} is closed.`);
    if (this.#directory.isNewer)
      fail("unsupported", `${this.path} was written by a newer Autobyteus. It is read-only here.`);
    this.#check();
    return this.#directory;
  }

  #knownGeneration(): Generation {
    return (
      this.#forWriting().generation ??
      fail("conflict", `The Autobyteus version of ${this.path} is unknown. Give generation 1 or 2 to write it.`)
    );
  }

  #semanticBytes(items: readonly SemanticItem[]): Buffer {
    const generation = this.#knownGeneration();
    if (generation === 1) return Buffer.from(items.map((item) => semanticLine(item, generation)).join(""));
    const { bytes, leftOut } = rewrittenSemantic(this.#directory.files.get(FILES.semantic)!, items);
    for (const line of leftOut) {
      const ref = this.#runs.keep.put(line.bytes);
      this.#troubles.push(
        `Line ${line.at.line} of ${FILES.semantic} is not a fact. It was left out and saved as ${ref}.`,
      );
    }
    return bytes;
  }

  /** A new folder of the second generation says so, as its own code does when it starts. */
  #begin(): void {
    const isEmpty = [...this.#stamps.values()].every((stamp) => stamp === null);
    makeFolder(this.path);
    if (!isEmpty || this.generation !== 2) return;
    const text = compactedManifest(this.#options.host.now());
    this.#stamps.set(FILES.compactedManifest, swapFile(join(this.path, FILES.compactedManifest), Buffer.from(text)));
  }

  #append(name: string, lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#begin();
    const path = join(this.path, name);
    this.#stamps.set(name, appendLines(path, Buffer.from(lines.join("")), this.#stamps.get(name) ?? null));
  }

  #swap(name: string, bytes: Buffer): void {
    this.#begin();
    const stamp = swapFile(join(this.path, name), bytes, () => this.#check());
    this.#stamps.set(name, stamp);
  }
}
