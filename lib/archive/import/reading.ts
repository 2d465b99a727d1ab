// One pass over a session file: its records become rows, batch by batch. How far it came is written before each commit,
// not after each block: that took three reads and an update of each of the file's sessions.
import { scalar } from "#db/statement.ts";
import { fingerprint, lastBytes } from "#lib/sources/fingerprint.ts";
import { readBlocks, readDocument, type Block } from "#lib/sources/blocks.ts";
import type { SourceHandle } from "#lib/sources/source-handle.ts";
import { isDocument, type Draft, type Format, type SourceFile, type SourceRecord } from "#lib/kernel/draft.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Archive } from "../base/archive-type.ts";
import type { StoredBlob } from "./artifact-writer.ts";
import type { Batch } from "../base/batch.ts";
import { isEmptyRecord, limitReason, partsOf } from "./block-parts.ts";
import { firstLaneName, firstName } from "./session-claims.ts";
import type { FileOptions, Outcome } from "./file-options.ts";
import { writeEmptyRecords } from "./empty-records.ts";
import { findFullOutputs, namesFile, storedOutputs } from "./full-output.ts";
import { identify, nameFrom, type Identified, type ReadDocument } from "./identify.ts";
import { JOINED_BYTES, packRaw } from "./raw-writer.ts";
import { byLane, recordDrafts } from "./record-drafts.ts";
import { lanesOf, loadSession } from "./session-row.ts";
import { SessionWriter } from "./session-writer.ts";
import { isLongToSettle, settleAhead, settleSource } from "./settle.ts";
import { outcomeOf, recordsIn, requireRead, type Growing } from "./reading-outcome.ts";
import type { Shared } from "./shared-records.ts";
import { earlierName, noteProblem, saveSource, type Problem, type SourceRow } from "./source-row.ts";

const NONE: ReadonlyMap<Draft, StoredBlob> = new Map();

export class Reading {
  readonly #archive: Archive;
  readonly #batch: Batch;
  readonly #handle: SourceHandle;
  readonly #format: Format;
  readonly #source: SourceRow;
  readonly #file: SourceFile;
  readonly #options: FileOptions;
  readonly #writers = new Map<string, SessionWriter>();
  readonly #growing = new Map<string, Growing>();
  #lanesBefore: ReadonlyMap<string, number> | null = null;
  readonly #errors: Problem[] = [];
  #native = "";
  /** A document that was read for its name. */
  #document: ReadDocument | null = null;
  /** End of the last block whose rows are written, while the row of the source does not say so. */
  #taken: number | null = null;
  #end = new Uint8Array();
  /** Writes the last block, which is packed while the next one is read: waiting for each took a twelfth of an import. */
  #packed: (() => Promise<void>) | null = null;

  constructor(
    archive: Archive,
    batch: Batch,
    handle: SourceHandle,
    format: Format,
    source: SourceRow,
    file: SourceFile,
    options: FileOptions,
  ) {
    this.#archive = archive;
    this.#batch = batch;
    this.#handle = handle;
    this.#format = format;
    this.#source = source;
    this.#file = file;
    this.#options = options;
  }

  /** Null when the session's name changed on the way. `stored` is the parser's state of the last reading. */
  async run(stored: string | null): Promise<Outcome | null> {
    const source = this.#source;
    const { earlier } = source;
    const found = stored === null && earlier === null ? await this.#identify() : null;
    const native = found?.name ?? source.nativeId!;
    this.#document = found?.document ?? null;
    const state = this.#document?.read?.state ?? this.#stateFrom(stored);
    source.nativeId = native;
    const known = scalar(
      this.#archive.sqlite,
      "sessions.native_id",
      "FROM sessions WHERE source_pk = ? AND lane = ''",
    ).get(source.pk);
    if (earlier !== null) this.#native = earlierName(native, earlier);
    else this.#native = known ?? this.#nameBefore(native) ?? firstName(this.#archive, native, source.pk);
    try {
      for await (const block of this.#blocks()) {
        const partBytes = this.#archive.turn.isShared ? JOINED_BYTES : Infinity;
        for (const part of partsOf(block, partBytes)) if (source.stopped === null) await this.#take(part, state);
        if (source.stopped !== null) break;
      }
    } catch (error) {
      // A cancelled reading keeps its whole blocks: what is saved says exactly how far they go.
      if (this.#taken !== null && this.#options.atOnce !== true) await this.#save(this.#taken, state, false);
      throw error;
    }
    if (this.#writers.size > 0 && nameFrom(this.#format, state) !== native && stored !== null) return null;
    if (this.#taken !== null && this.#archive.turn.isWanted) await this.#giveWay(this.#taken, state);
    await this.#finish(state);
    // The next file is read while the last block of this one is packed.
    if (this.#packed !== null) this.#batch.later(this.#packed);
    return outcomeOf(this.#archive, source, native, this.#growing.values(), this.#errors);
  }

  #blocks(): AsyncGenerator<Block> {
    const { seen, line } = this.#source;
    const { final, signal } = this.#options;
    if (isDocument(this.#format, this.#file))
      return readDocument(this.#handle, { signal, ...(this.#document !== null && { bytes: this.#document.bytes }) });
    return readBlocks(this.#handle, { from: seen?.offset ?? 0, line: Math.max(1, line), final, signal });
  }

  /** A file that is asked for its name to its end takes as long as one that is read: others write meanwhile. */
  #identify(): Promise<Identified> {
    return identify(this.#handle, this.#format, this.#file, this.#options, () => this.#between());
  }

  #nameBefore(native: string): string | null {
    const before = this.#options.before?.nativeId ?? null;
    return before === native || before?.startsWith(`${native}~`) === true ? before : null;
  }

  #stateFrom(stored: string | null): unknown {
    if (stored === null) return this.#format.start(this.#file);
    const state: unknown = JSON.parse(stored);
    return this.#format.resume?.(state, this.#file) ?? state;
  }

  async #take(block: Block, state: unknown): Promise<void> {
    this.#batch.begin();
    // A small block may be joined to the one before, which is in its row then.
    if (block.bytes.length < JOINED_BYTES) await this.#keepRaw();
    const keepRaw = this.#packing(block);
    let isCut = false;
    let cutAt = 0;
    // Written one by one: what a whole block yields would outlive several collections of young garbage.
    let empty: SourceRecord[] = [];
    for (const record of block.records) {
      if (isEmptyRecord(record)) {
        empty.push(record);
        continue;
      }
      if (empty.length > 0) writeEmptyRecords(this.#archive, this.#writer(""), empty.splice(0));
      let hasProblem = false;
      for (const drafts of this.#draftsOf(record, state)) {
        this.#write(record, drafts, drafts.some(namesFile) ? await this.#findFiles(drafts) : NONE);
        hasProblem ||= drafts.some((draft) => draft.kind === "problem");
      }
      isCut = record.byteEnd === block.byteEnd && hasProblem;
      cutAt = record.byteStart;
    }
    if (empty.length > 0) writeEmptyRecords(this.#archive, this.#writer(""), empty.splice(0));
    this.#source.cutTail = isCut ? cutAt : null;
    await this.#keepRaw();
    this.#packed = keepRaw;
    if (block.problem !== undefined) {
      const { byteStart, byteEnd, problem: reason } = block;
      const problem = { line: this.#source.line, byteStart, byteEnd, reason };
      noteProblem(this.#archive, this.#source, problem);
      this.#errors.push(problem);
    }
    this.#source.line = block.nextLine;
    const events = [...this.#writers.values()].reduce((sum, { session }) => sum + session.nextSeq - 1, 0);
    this.#source.stopped =
      block.isStopped === true ? block.problem! : limitReason(events, block.byteEnd, block.nextLine);
    this.#batch.add(block.bytes.length);
    this.#options.onBytes?.(block.bytes.length, block.records.length);
    this.#taken = block.byteEnd;
    if (block.bytes.length > 0) this.#end = lastBytes(block.bytes);
    await this.#batch.listen();
    if (this.#batch.isFull) await this.#giveWay(block.byteEnd, state);
  }

  /** Ends a transaction, so that others may write. */
  async #giveWay(offset: number, state: unknown): Promise<void> {
    // A replaced log changes in one transaction: half of the new one is never seen.
    if (this.#options.atOnce) return;
    await this.#save(offset, state, false);
    await this.#batch.giveWay();
    requireRead(this.#archive, this.#source);
  }

  /** Begins to pack a block; what writes it gives its bytes back, too. */
  #packing(block: Block): () => Promise<void> {
    const write = this.#options.keepsRaw === false ? null : packRaw(this.#archive, this.#source.pk, block);
    return async () => {
      await write?.();
      block.release?.();
    };
  }

  /** Writes the block that is being packed, if one is. */
  async #keepRaw(): Promise<void> {
    const keep = this.#packed;
    this.#packed = null;
    await keep?.();
  }

  async #findFiles(drafts: readonly Draft[]): Promise<ReadonlyMap<Draft, StoredBlob>> {
    const { before, roots } = this.#options;
    const { path, mtimeMs } = this.#handle;
    const source = { pk: this.#source.pk, path, mtimeMs };
    const files = await findFullOutputs(this.#archive, this.#format, source, drafts, roots);
    // What an older version stored may be the part that the record holds.
    return new Map([...storedOutputs(drafts, before?.outputs), ...files]);
  }

  /** What was read for the name is not read again. */
  #draftsOf(record: SourceRecord, state: unknown): Iterable<readonly Draft[]> {
    const read = this.#document?.read?.drafts;
    this.#document = null;
    return recordDrafts(this.#format, record, state, { isPart: this.#source.isPart, read });
  }

  #write(record: SourceRecord, drafts: readonly Draft[], found: ReadonlyMap<Draft, StoredBlob>): void {
    const first = drafts[0];
    if (first === undefined) return;
    // Nearly every record belongs to one session, and is whole.
    if (drafts.every((draft) => draft.kind !== "problem" && draft.lane === (first as { lane?: string }).lane)) {
      this.#writer((first as { lane: string }).lane).append(drafts, { from: "file", record, found });
      return;
    }
    const { problems, lanes } = byLane(drafts, record);
    for (const problem of problems) {
      noteProblem(this.#archive, this.#source, problem);
      if (this.#errors.length < LIMITS.importProblems) this.#errors.push(problem);
    }
    for (const [lane, own] of lanes) this.#writer(lane).append(own, { from: "file", record, found });
  }

  #writer(lane: string): SessionWriter {
    let writer = this.#writers.get(lane);
    if (writer === undefined) {
      const { pk } = this.#source;
      const name = lane === "" ? this.#native : firstLaneName(this.#archive, `${this.#native}/${lane}`, pk);
      this.#lanesBefore ??= lanesOf(this.#archive, pk);
      const session = loadSession(this.#archive, pk, this.#lanesBefore, lane, name, this.#format.id);
      if (lane !== "") this.#writer("");
      const { nextSeq, calls, artifacts, records } = session;
      this.#growing.set(lane, { session, before: { nextSeq, calls, artifacts, records } });
      writer = new SessionWriter(this.#archive, this.#batch, session);
      this.#writers.set(lane, writer);
    }
    return writer;
  }

  /**
   * Until the end is reached and everything is settled, the size is what was read, and less than the file's: a reading
   * that stopped, even behind the last line, is never taken for a whole one.
   */
  async #save(offset: number, state: unknown, isWhole: boolean): Promise<void> {
    const source = this.#source;
    if (!isWhole) await this.#keepRaw();
    const print = await fingerprint(this.#handle, offset, this.#end);
    source.seen = {
      dev: this.#handle.dev,
      ino: this.#handle.ino,
      size: isWhole ? this.#handle.size : Math.min(offset, this.#handle.size - 1),
      offset,
      ...print,
    };
    source.state = JSON.stringify(state);
    source.status = source.earlier === null ? "ok" : "earlier version";
    saveSource(this.#archive, source, this.#handle, this.#batch.now);
    for (const writer of this.#writers.values()) writer.saveChanges(this.#handle.mtimeMs);
    this.#taken = null;
  }

  async #finish(state: unknown): Promise<void> {
    this.#batch.begin();
    const offset = this.#taken ?? this.#source.seen?.offset ?? 0;
    let found: ReadonlyMap<number, Shared> | undefined;
    if (this.#isLong()) {
      await this.#save(offset, state, false);
      found = await settleAhead(this.#archive, this.#source.pk, () => this.#between());
    }
    await this.#save(offset, state, true);
    this.#source.records = recordsIn(this.#archive, this.#source.pk);
    saveSource(this.#archive, this.#source, this.#handle, this.#batch.now);
    settleSource(this.#archive, this.#batch, this.#source.pk, this.#source.nativeId!, found);
  }

  /** True when settling what was read takes so long that others should write meanwhile. */
  #isLong(): boolean {
    const started = [...this.#growing.values()].map(({ session, before }) => session.nextSeq - before.nextSeq);
    return Math.max(0, ...started) > LIMITS.settledEvents || isLongToSettle(this.#archive, this.#source.pk);
  }

  /** Between two steps of a long work. A replaced log changes in one transaction; whoever reads it again is asked. */
  async #between(): Promise<void> {
    await this.#batch.listen();
    this.#options.signal?.throwIfAborted();
    this.#options.onBytes?.(0, 0);
    if (this.#batch.isFull && this.#options.atOnce !== true) await this.#batch.giveWay();
    requireRead(this.#archive, this.#source);
    this.#batch.begin();
  }
}
