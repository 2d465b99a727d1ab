// Small blobs that a put brings, and the registry lines of its group, are kept in a table too: the commit makes rows, lines
// and bytes durable by one sync. Their files are at their paths by then, unsynced. In a pause the files are synced and
// the table is emptied. What a crash leaves in it is made good when the archive is opened next. Four syncs for each put,
// three of them its own, were half of the time that 10,000 of them took.
import { columns, command, query, type RowOf } from "#db/statement.ts";
import type { Sqlite } from "#db/connection.ts";
import type { BlobStore } from "#lib/blobs/blob-store.ts";
import {
  appendRegistry,
  flushRegistry,
  readRegistry,
  removeRegistry,
  syncRegistry,
} from "#lib/blobs/session-registry.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { isLoss } from "./is-loss.ts";
import type { WriteLock } from "./write-lock.ts";

/** A small blob, and whether a file was made for it. */
export type Brought = { readonly bytes: Uint8Array; readonly isNew: boolean };

/** What a commit adds to registries, by their sessions in its order; null: the session is gone for good, and its registry goes. */
export type JournalLines = readonly (readonly [sessionId: string, text: string | null])[];

export type JournalOf = {
  readonly dir: string;
  readonly sqlite: Sqlite;
  readonly blobs: BlobStore;
  readonly turn: WriteLock;
};

// Files that are synced beside the next puts take the disk and the processor from them.
const PAUSE_MS = 500;
const LONGEST_MS = 10_000;
/** After something failed. */
const AGAIN_MS = 5000;
/** Rows that are deleted before other writers have their turn. */
const CHUNK = 50;

export class Journal {
  readonly #of: JournalOf;
  #digests = new Set<string>();
  #bytes = 0;
  /** Rows whose files are not synced. */
  #rows: number[] = [];
  /** There are rows of a thread that ended, or something failed: all of the table is looked through. */
  #isBehind: boolean;
  #pause: NodeJS.Timeout | null = null;
  #since = 0;
  #settling: Promise<void> = Promise.resolve();

  constructor(of: JournalOf, isWriter: boolean) {
    this.#of = of;
    this.#isBehind = isWriter && hasRows(of.sqlite);
  }

  /** Adds a row to the open transaction; its number, for follow(). */
  add(blobs: ReadonlyMap<string, Brought>, lines: JournalLines): number {
    const sizes = [...blobs].map(([digest, { bytes }]) => [digest, bytes.length]);
    const bytes = Buffer.concat([...blobs.values()].map((brought) => brought.bytes));
    const added = command(this.#of.sqlite, "INSERT INTO journal (lines, blobs, bytes) VALUES (?, ?, ?)").run(
      JSON.stringify(lines),
      JSON.stringify(sizes),
      bytes,
    );
    this.#bytes += bytes.length + lines.reduce((sum, [, text]) => sum + (text?.length ?? 0), 0);
    return Number(added.lastInsertRowid);
  }

  /**
   * After the commit: the lines are added to their registries, and those that end are removed. Where that fails it is made good from the table later, and
   * nobody is told: all of it is durable.
   */
  follow(row: number, digests: Iterable<string>, lines: JournalLines): void {
    for (const digest of digests) this.#digests.add(digest);
    this.#settleSoon(PAUSE_MS);
    try {
      for (const [id, text] of lines)
        if (text === null) removeRegistry(this.#of.dir, id);
        else appendRegistry(this.#of.dir, id, text);
      this.#rows.push(row);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** In the next pause; where puts leave none, when the first of them has waited long. */
  #settleSoon(ms: number): void {
    const now = performance.now();
    if (this.#pause === null) {
      this.#since = now;
      this.#pause = setTimeout(() => void this.settle(), ms).unref();
    } else if (now - this.#since < LONGEST_MS) this.#pause.refresh();
  }

  #fail(error: unknown): void {
    this.#isBehind = true;
    const { blobs } = this.#of;
    blobs.noteFailure(
      isLoss(error) ? Object.assign(new Error(String(error), { cause: error }), { code: "EIO" }) : error,
    );
    // A disk that failed is not asked again before the next start.
    if (blobs.broken() === null) this.#settleSoon(AGAIN_MS);
  }

  /** Resolves when there is room for more: what the next opening would have to look through has an end. */
  async room(): Promise<void> {
    if (this.#bytes >= LIMITS.journalBytes) await this.settle();
  }

  /** Syncs the files of what was added so far, and takes it out of the table. */
  settle(): Promise<void> {
    if (this.#pause !== null) clearTimeout(this.#pause);
    this.#pause = null;
    if (this.#rows.length > 0 || this.#isBehind) this.#settling = this.#settling.then(() => this.#settle());
    return this.#settling;
  }

  async #settle(): Promise<void> {
    const { blobs, turn } = this.#of;
    if (blobs.broken() !== null) return;
    const digests = [...this.#digests];
    const rows = this.#rows;
    const bytes = this.#bytes;
    this.#digests = new Set();
    this.#rows = [];
    try {
      if (this.#isBehind) await this.#catchUp();
      else {
        await blobs.sync(digests);
        // Not beside the flush of a commit: both would sync the same file, and the first to end might close it.
        await turn.take();
        await flushRegistry().finally(() => turn.give());
        await remove(this.#of, rows);
      }
      this.#bytes -= bytes;
    } catch (error) {
      // The rows stay: a later pause, or the next opening, makes good what they tell of.
      this.#fail(error);
    }
  }

  async #catchUp(): Promise<void> {
    await this.#of.turn.take();
    // All that is in the table is looked through, and its numbers are given again when it is empty.
    this.#rows = [];
    this.#digests = new Set();
    const { good, isAll } = await makeGood(this.#of).finally(() => this.#of.turn.give());
    this.#isBehind = !isAll;
    await remove(this.#of, good);
  }
}

/**
 * Makes good what a process that ended in the middle left in the table, and takes it out. What was removed on purpose since
 * does not come back. Only who holds the archive's lock does this.
 */
export async function restoreJournal(of: JournalOf): Promise<void> {
  const { good } = await makeGood(of);
  await remove(of, good);
}

const ROW_COLUMNS = columns("journal", "n", "lines", "blobs", "bytes");
type Row = RowOf<typeof ROW_COLUMNS>;

const nextRow = (sqlite: Sqlite, after: number): Row | undefined =>
  query(sqlite, ROW_COLUMNS, "FROM journal WHERE n > ? ORDER BY n LIMIT 1").get(after);

function hasRows(sqlite: Sqlite): boolean {
  try {
    return nextRow(sqlite, 0) !== undefined;
  } catch {
    // A damaged page: what is wrong is told when its rows are made good, and everything else can be read.
    return true;
  }
}

/** The rows whose blobs stand at their paths now and whose lines in their registries, all of it synced. */
async function makeGood({ sqlite, blobs, dir }: JournalOf): Promise<{ good: number[]; isAll: boolean }> {
  const removed = command(sqlite, "SELECT 1 FROM blobs WHERE digest = ? AND removed_at IS NOT NULL");
  const good: number[] = [];
  let isAll = true;
  const digests = new Set<string>();
  const result = new Map<string, string[]>();
  const ended = new Set<string>();
  for (let row = nextRow(sqlite, 0); row !== undefined; row = nextRow(sqlite, row.n)) {
    let at = 0;
    let isWhole = true;
    for (const [digest, size] of JSON.parse(row.blobs) as [string, number][]) {
      const bytes = row.bytes.subarray(at, (at += size));
      if (removed.get(digest) !== undefined) continue;
      // What has no path now keeps its row; the others are not to wait for it.
      try {
        blobs.putAnew(digest, bytes);
      } catch {
        isWhole = false;
      }
      digests.add(digest);
    }
    for (const [id, text] of JSON.parse(row.lines) as JournalLines) {
      const lines = text === null ? [] : (result.get(id) ?? []);
      if (text === null) ended.add(id);
      else lines.push(...text.split("\n").filter((line) => line !== ""));
      result.set(id, lines);
    }
    if (isWhole) good.push(row.n);
    else isAll = false;
  }
  // One that was made anew since has a registry of its own.
  const isKnown = command(sqlite, "SELECT 1 FROM sessions WHERE id = ?");
  for (const id of ended) {
    if (isKnown.get(id) !== undefined) continue;
    removeRegistry(dir, id);
    result.delete(id);
  }
  for (const [id, lines] of result) {
    if (lines.length === 0) continue;
    const there = new Set<string>();
    for await (const { raw } of readRegistry(dir, id)) there.add(raw);
    appendRegistry(dir, id, lines.flatMap((line) => (there.has(line) ? [] : [`${line}\n`])).join(""));
  }
  if (good.length > 0) {
    await blobs.sync([...digests]);
    // The lines that are there may be in memory alone.
    for (const [id, lines] of result) if (lines.length > 0) await syncRegistry(dir, id);
    await flushRegistry();
  }
  return { good, isAll };
}

/** Takes rows out, and their bytes out of the pages that stay: an artifact that is deleted is not to be found in them. */
async function remove({ sqlite, turn }: JournalOf, rows: readonly number[]): Promise<void> {
  for (let from = 0; from < rows.length; from += CHUNK) {
    await turn.take();
    const before = sqlite.pragma("secure_delete", { simple: true }) as number;
    try {
      sqlite.pragma("secure_delete = 1");
      sqlite.transaction(() => {
        for (const n of rows.slice(from, from + CHUNK)) command(sqlite, "DELETE FROM journal WHERE n = ?").run(n);
      })();
    } finally {
      sqlite.pragma(`secure_delete = ${before}`);
      turn.give();
    }
  }
}
