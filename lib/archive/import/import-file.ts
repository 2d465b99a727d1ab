// One file into the archive: as a whole, from where the last reading ended, or not at all. The file is only read.
import { compare, fingerprint, type Seen } from "#lib/sources/fingerprint.ts";
import { openSource, readSmall, type SourceHandle } from "#lib/sources/source-handle.ts";
import { readBlocks, readDocument, readHead, type Block } from "#lib/sources/blocks.ts";
import { FORMATS } from "#lib/formats/index.ts";
import { fail, isAppError } from "../../kernel/errors.ts";
import { LIMITS } from "../../kernel/limits.ts";
import type { Draft, Format, SourceFile, SourceRecord } from "../../kernel/draft.ts";
import type { ImportedFile } from "../../wire/sources.ts";
import type { Archive } from "../archive.ts";
import type { StoredBlob } from "./artifact-writer.ts";
import type { Batch } from "./batch.ts";
import { isClaimed, provisionalId, settleClaims } from "./claims.ts";
import { settleFigures } from "./figures.ts";
import { findFullOutputs } from "./full-output.ts";
import { settleLineage } from "./lineage.ts";
import { settleParents } from "./parents.ts";
import { keepRaw } from "./raw-writer.ts";
import { loadSession } from "./session-row.ts";
import { SessionWriter } from "./session-writer.ts";
import {
  addSource,
  clearSessions,
  clearSource,
  findSource,
  noteProblem,
  noteUnread,
  saveSource,
  type Problem,
  type SourceRow,
} from "./source-row.ts";

export type FileOptions = {
  /** Folders that the file must lie in. */
  readonly roots: readonly string[];
  /** A last line without its newline is read too: nothing more is expected. */
  readonly final: boolean;
  readonly signal?: AbortSignal;
  readonly onBytes?: (bytes: number, events: number) => void;
  /** False when the bytes come from the archive itself. */
  readonly keepsRaw?: boolean;
  /** The file replaces an older log: nothing is committed before its end. */
  readonly atOnce?: boolean;
};

const EMPTY = { sessions: [], events: 0, modelCalls: 0, artifacts: 0, records: 0, errors: [] };

/** Imports one file. A file that cannot be read is `failed` or `skipped` with its reason; nothing is thrown for it. */
export async function importFile(
  archive: Archive,
  batch: Batch,
  path: string,
  options: FileOptions,
): Promise<ImportedFile> {
  let handle: SourceHandle;
  try {
    handle = await openSource(path, options.roots);
  } catch (error) {
    if (!isAppError(error)) throw error;
    batch.begin();
    if (error.code !== "not_found") noteUnread(archive, path, "failed", error.message);
    return { path, format: null, status: "failed", ...EMPTY, reason: error.message };
  }
  try {
    return await importOpened(archive, batch, handle, options);
  } catch (error) {
    if (options.signal?.aborted === true)
      return {
        path,
        format: null,
        status: "skipped",
        ...EMPTY,
        reason: "Cancelled. What was read is kept; the rest is read next time.",
      };
    if (!isAppError(error)) throw error;
    batch.begin();
    noteUnread(archive, path, "failed", error.message, handle);
    return { path, format: null, status: "failed", ...EMPTY, reason: error.message };
  } finally {
    await handle.close();
  }
}

async function importOpened(
  archive: Archive,
  batch: Batch,
  handle: SourceHandle,
  options: FileOptions,
): Promise<ImportedFile> {
  const { path } = handle;
  let source = findSource(archive, path);
  const seen = source?.seen ?? null;
  const change = await changeOf(handle, source, seen, options.final);
  if (change === "unchanged")
    return { path, format: source!.format, status: "unchanged", ...EMPTY, sessions: sessionIds(archive, source!.pk) };

  const head = await readHead(handle);
  const format = findFormat(source, change, { path, head, sidecars: new Map() });
  batch.begin();
  if (format === null) {
    const reason =
      handle.size === 0
        ? "The file is empty."
        : `No session format matches. Known: ${FORMATS.map((f) => f.label).join(", ")}.`;
    noteUnread(archive, path, "skipped", reason, handle);
    return { path, format: null, status: "skipped", ...EMPTY, reason };
  }
  source ??= addSource(archive, path);
  source.format = format.id;
  const wasOlder = source.status === "older copy";
  // A document has no place to go on from.
  const isRewritten = change === "changed" || (change === "grown" && format.reader === "document");
  const reread = isRewritten || change === "new" || wasOlder;
  if (reread && change !== "new") clearSource(archive, source);
  const file: SourceFile = { path, head, sidecars: await readSidecars(format, path, options.roots) };
  const whole = { ...options, atOnce: true };
  const reading = new Reading(archive, batch, handle, format, source, file, isRewritten ? whole : options);
  const status = change === "new" ? "imported" : isRewritten ? "replaced" : "grown";
  const result = await reading.run(reread ? null : source.state);
  if (result === null) {
    // The lines that came later moved the session's name: it is read anew, whole.
    clearSource(archive, source);
    const again = new Reading(archive, batch, handle, format, source, file, whole);
    return { path, format: format.id, status: "replaced", ...(await again.run(null))! };
  }
  return { path, format: format.id, status, ...result };
}

/** A last line that was cut off when it was read as final is read again, whole, once the file goes on. */
async function changeOf(handle: SourceHandle, source: SourceRow | null, seen: Seen | null, final: boolean) {
  if (source === null || seen === null) return "new";
  const change = await compare(handle, seen);
  if (change === "unchanged") return final && seen.offset < handle.size && source.cutTail === null ? "grown" : change;
  return change === "grown" && source.cutTail !== null ? "changed" : change;
}

function findFormat(source: SourceRow | null, change: string, file: SourceFile): Format | null {
  const known = change === "grown" ? FORMATS.find((format) => format.id === source?.format) : undefined;
  return known ?? FORMATS.find((format) => format.detect(file)) ?? null;
}

async function readSidecars(format: Format, path: string, roots: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const beside of format.sidecars?.(path) ?? []) {
    const bytes = await readSmall(beside, roots, LIMITS.sidecarBytes);
    if (bytes !== null) found.set(beside, new TextDecoder().decode(bytes));
  }
  return found;
}

/** Reads a source again from its kept bytes, in place of what was read from it before. */
export async function reparse(
  archive: Archive,
  batch: Batch,
  sourcePk: number,
  handle: SourceHandle,
): Promise<Outcome> {
  const source = findSource(archive, handle.path)!;
  const head = await readHead(handle);
  const format = FORMATS.find((known) => known.id === source.format);
  if (format === undefined)
    fail("unsupported", `${handle.path} was read as "${source.format}", which this Plimsoll does not know.`);
  const size = source.seen?.size ?? handle.size;
  clearSessions(archive, sourcePk);
  archive.sqlite.prepare("DELETE FROM import_errors WHERE source_pk = ?").run(sourcePk);
  Object.assign(source, { seen: null, line: 1, state: null, records: 0, problems: 0 });
  const file: SourceFile = { path: handle.path, head, sidecars: new Map() };
  const options = { roots: [], final: true, atOnce: true, keepsRaw: false };
  const outcome = await new Reading(archive, batch, handle, format, source, file, options).run(null);
  archive.sqlite.prepare("UPDATE sources SET size = ? WHERE pk = ?").run(size, sourcePk);
  return outcome!;
}

function sessionIds(archive: Archive, sourcePk: number): string[] {
  return archive.sqlite
    .prepare("SELECT id FROM sessions WHERE source_pk = ? ORDER BY pk")
    .pluck()
    .all(sourcePk) as string[];
}

/** Characters of a broken piece that its event shows. */
const BROKEN_CHARS = 500;

/** A piece that is no record stands in the log at its place; a note about a record that was read, or on an oversized line, does not. */
function brokenEvent(
  problem: Extract<Draft, { kind: "problem" }>,
  record: SourceRecord,
): Exclude<Draft, { kind: "problem" }> | null {
  const isWholeRecord = problem.byteStart === record.byteStart && problem.byteEnd === record.byteEnd;
  if (
    record.oversized === true ||
    (isWholeRecord && !/^(An unfinished|Not JSON|Not UTF-8|A run of NUL)/.test(problem.reason))
  )
    return null;
  const bytes = record.bytes.subarray(problem.byteStart - record.byteStart, problem.byteEnd - record.byteStart);
  const text = new TextDecoder().decode(bytes.subarray(0, BROKEN_CHARS * 4)).slice(0, BROKEN_CHARS);
  const { byteStart, byteEnd, reason } = problem;
  return {
    kind: "event",
    lane: "",
    ts: null,
    body: { type: "unknown", reason, text },
    recordKey: null,
    callKey: null,
    startsTurn: false,
    byteStart,
    byteEnd,
    isRecord: false,
  };
}

type Outcome = Pick<ImportedFile, "sessions" | "events" | "modelCalls" | "artifacts" | "records" | "errors"> & {
  reason?: string;
};

/** One pass over a file. */
class Reading {
  readonly #archive: Archive;
  readonly #batch: Batch;
  readonly #handle: SourceHandle;
  readonly #format: Format;
  readonly #source: SourceRow;
  readonly #file: SourceFile;
  readonly #options: FileOptions;
  readonly #writers = new Map<string, SessionWriter>();
  readonly #startSeq = new Map<number, number>();
  readonly #before = new Map<number, { calls: number; artifacts: number; records: number }>();
  readonly #errors: Problem[] = [];
  #native = "";

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
    const state: unknown = stored === null ? this.#format.start(this.#file) : JSON.parse(stored);
    const native = stored === null ? await this.#identify() : source.nativeId!;
    source.nativeId = native;
    const known = this.#archive.sqlite
      .prepare("SELECT native_id FROM sessions WHERE source_pk = ? AND lane = ''")
      .pluck()
      .get(source.pk) as string | undefined;
    this.#native = known ?? (isClaimed(this.#archive, native, source.pk) ? provisionalId(native, source.pk) : native);
    for await (const block of this.#blocks()) await this.#take(block, state);
    if (this.#writers.size > 0 && this.#nameFrom(state) !== native && stored !== null) return null;
    await this.#finish(state);
    return this.#outcome(native);
  }

  #blocks(): AsyncGenerator<Block> {
    const { seen, line } = this.#source;
    const { final, signal } = this.#options;
    if (this.#format.reader === "document") return readDocument(this.#handle, { signal });
    return readBlocks(this.#handle, { from: seen?.offset ?? 0, line: Math.max(1, line), final, signal });
  }

  /** The session's name. Where the first bytes do not settle it, the whole file is asked before anything is written. */
  async #identify(): Promise<string> {
    const state: unknown = this.#format.start(this.#file);
    const early = this.#nameFrom(state);
    if (early !== null) return early;
    const { final, signal } = this.#options;
    const blocks =
      this.#format.reader === "document"
        ? readDocument(this.#handle, { signal })
        : readBlocks(this.#handle, { from: 0, line: 1, final, signal });
    for await (const block of blocks) for (const record of block.records) this.#format.parse(record, state);
    const { head } = await fingerprint(this.#handle, this.#handle.size);
    return this.#nameFrom(state) ?? `${this.#format.id}:file-${head.slice(0, 16)}`;
  }

  #nameFrom(state: unknown): string | null {
    const name = this.#format.identify(state);
    return name === null ? null : `${this.#format.id}:${name}`;
  }

  async #take(block: Block, state: unknown): Promise<void> {
    this.#batch.begin();
    const parsed = block.records.map((record) => ({ record, drafts: this.#parse(record, state) }));
    const found = await findFullOutputs(
      this.#archive,
      this.#format,
      this.#handle.path,
      parsed.flatMap(({ drafts }) => drafts),
      this.#options.roots,
    );
    for (const { record, drafts } of parsed) this.#write(record, drafts, found);
    const last = parsed.at(-1);
    const isCut =
      last !== undefined &&
      last.record.byteEnd === block.byteEnd &&
      last.drafts.some((draft) => draft.kind === "problem");
    this.#source.cutTail = isCut ? last.record.byteStart : null;
    if (this.#options.keepsRaw !== false) keepRaw(this.#archive, this.#source.pk, block);
    if (block.problem !== undefined) {
      const problem = {
        line: this.#source.line,
        byteStart: block.byteStart,
        byteEnd: block.byteEnd,
        reason: block.problem,
      };
      noteProblem(this.#archive, this.#source, problem);
      this.#errors.push(problem);
    }
    this.#source.line = block.nextLine;
    this.#batch.add(block.bytes.length);
    this.#options.onBytes?.(block.bytes.length, block.records.length);
    await this.#save(block.byteEnd, state, false);
    // A replaced log changes in one transaction: half of the new one is never seen.
    if (this.#batch.isFull && !this.#options.atOnce) await this.#batch.commit();
  }

  #parse(record: SourceRecord, state: unknown): readonly Draft[] {
    if (record.oversized !== true) return this.#format.parse(record, state);
    const reason = `A line of ${(record.byteEnd - record.byteStart).toLocaleString("en")} bytes is over the limit of ${LIMITS.lineBytes.toLocaleString("en")}: its bytes are kept, not read.`;
    const text = new TextDecoder().decode(record.bytes);
    return [
      { kind: "problem", line: record.line, byteStart: record.byteStart, byteEnd: record.byteEnd, reason },
      {
        kind: "event",
        lane: "",
        ts: null,
        body: { type: "unknown", reason, text },
        recordKey: null,
        callKey: null,
        startsTurn: false,
      },
    ];
  }

  #write(record: SourceRecord, drafts: readonly Draft[], found: ReadonlyMap<Draft, StoredBlob>): void {
    let lanes: Map<string, Draft[]> | null = null;
    for (const draft of drafts) {
      if (draft.kind === "problem") {
        const { kind: _, ...problem } = draft;
        noteProblem(this.#archive, this.#source, problem);
        if (this.#errors.length < LIMITS.importProblems) this.#errors.push(problem);
      }
      const event = draft.kind === "problem" ? brokenEvent(draft, record) : draft;
      if (event === null) continue;
      lanes ??= new Map();
      const lane = lanes.get(event.lane);
      if (lane === undefined) lanes.set(event.lane, [event]);
      else lane.push(event);
    }
    for (const [lane, own] of lanes ?? []) this.#writer(lane).write(own, record, found);
  }

  #writer(lane: string): SessionWriter {
    let writer = this.#writers.get(lane);
    if (writer === undefined) {
      const name = lane === "" ? this.#native : `${this.#native}/${lane}`;
      const session = loadSession(this.#archive, this.#source.pk, lane, name, this.#format.id);
      if (lane !== "") this.#writer("");
      this.#startSeq.set(session.pk, session.nextSeq);
      this.#before.set(session.pk, { calls: session.calls, artifacts: session.artifacts, records: session.records });
      writer = new SessionWriter(this.#archive, this.#batch, session);
      this.#writers.set(lane, writer);
    }
    return writer;
  }

  /** Until the end is reached the size is what was read: a reading that stopped is never taken for a whole one. */
  async #save(offset: number, state: unknown, isWhole: boolean): Promise<void> {
    const source = this.#source;
    const print = await fingerprint(this.#handle, offset);
    source.seen = {
      dev: this.#handle.dev,
      ino: this.#handle.ino,
      size: isWhole ? this.#handle.size : offset,
      offset,
      ...print,
    };
    source.state = JSON.stringify(state);
    source.status = "ok";
    saveSource(this.#archive, source, this.#handle, this.#batch.now);
    for (const writer of this.#writers.values()) writer.save(this.#handle.mtimeMs);
  }

  async #finish(state: unknown): Promise<void> {
    this.#batch.begin();
    await this.#save(this.#source.seen?.offset ?? 0, state, true);
    this.#source.records = this.#archive.sqlite
      .prepare("SELECT coalesce(sum(records), 0) FROM sessions WHERE source_pk = ?")
      .pluck()
      .get(this.#source.pk) as number;
    saveSource(this.#archive, this.#source, this.#handle, this.#batch.now);
    settleClaims(this.#archive, this.#source.nativeId!, this.#source.pk);
    for (const [pk, seq] of this.#startSeq) settleLineage(this.#archive, pk, seq);
    for (const pk of this.#startSeq.keys()) {
      settleParents(this.#archive, pk);
      settleFigures(this.#archive, pk);
    }
  }

  #outcome(native: string): Outcome {
    const { sqlite } = this.#archive;
    const row = sqlite.prepare("SELECT status, reason FROM sources WHERE pk = ?").get(this.#source.pk) as {
      status: string;
      reason: string | null;
    };
    const outcome = {
      sessions: sessionIds(this.#archive, this.#source.pk),
      events: 0,
      modelCalls: 0,
      artifacts: 0,
      records: 0,
      errors: this.#errors,
    };
    for (const { session } of this.#writers.values()) {
      const before = this.#before.get(session.pk)!;
      outcome.events += session.nextSeq - this.#startSeq.get(session.pk)!;
      outcome.modelCalls += session.calls - before.calls;
      outcome.artifacts += session.artifacts - before.artifacts;
      outcome.records += session.records - before.records;
    }
    if (row.status === "older copy")
      return { ...outcome, sessions: [], events: 0, modelCalls: 0, artifacts: 0, reason: row.reason ?? native };
    return outcome;
  }
}
