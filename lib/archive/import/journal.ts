// Small blobs that a put brings, and the registry lines of its group, are kept in a table too: the commit makes rows, lines
// and bytes durable by one sync. Their files are put at their places after it, unsynced. In a pause the files are synced and
// the table is emptied. What a crash leaves in it is made good when the archive is opened next. Four syncs for each put,
// three of them its own, were half of the time that 10,000 of them took.
import type { Sqlite } from "#db/connection.ts";
import type { BlobStore } from "#lib/blobs/blob-store.ts";
import { appendRegistry, flushRegistry, readRegistry } from "#lib/blobs/registry.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Turn } from "../turn.ts";
import { prepared } from "./prepared.ts";

/** A small blob, and the file beside its place that holds its bytes; null when they stand at their place. */
export type Brought = { readonly bytes: Uint8Array; readonly written: string | null };

export type JournalOf = {
  readonly dir: string;
  readonly sqlite: Sqlite;
  readonly blobs: BlobStore;
  readonly turn: Turn;
};

// Files that are synced beside the next puts take the disk and the processor from them.
const PAUSE_MS = 500;
/** Rows that are deleted before other writers have their turn. */
const CHUNK = 50;

export class Journal {
  readonly #of: JournalOf;
  #digests = new Set<string>();
  #bytes = 0;
  /** The row of the open transaction, and the last whose files stand at their places. */
  #adding = 0;
  #last = 0;
  /** A file could not be put at its place, or a line not added: all of the table is looked through. */
  #isBehind = false;
  #pause: NodeJS.Timeout | null = null;
  #settling: Promise<void> = Promise.resolve();

  constructor(of: JournalOf) {
    this.#of = of;
  }

  /** Adds a row to the open transaction. */
  add(blobs: ReadonlyMap<string, Brought>, lines: ReadonlyMap<string, string>): void {
    const sizes = [...blobs].map(([digest, { bytes }]) => [digest, bytes.length]);
    const bytes = Buffer.concat([...blobs.values()].map((brought) => brought.bytes));
    const added = prepared(this.#of.sqlite, "INSERT INTO journal (lines, blobs, bytes) VALUES (?, ?, ?)").run(
      JSON.stringify([...lines]),
      JSON.stringify(sizes),
      bytes,
    );
    this.#adding = Number(added.lastInsertRowid);
    this.#bytes += bytes.length;
  }

  /** After the commit: the blobs are seen, and the lines stand in their registries. */
  async reveal(blobs: ReadonlyMap<string, Brought>, lines: ReadonlyMap<string, string>): Promise<void> {
    this.#pause ??= setTimeout(() => void this.settle(), PAUSE_MS).unref();
    this.#pause.refresh();
    try {
      for (const [digest, { bytes, written }] of blobs) {
        await this.#of.blobs.reveal(digest, bytes, written);
        this.#digests.add(digest);
      }
      for (const [id, text] of lines) appendRegistry(this.#of.dir, id, text);
    } catch (error) {
      this.#isBehind = true;
      throw error;
    }
    this.#last = this.#adding;
  }

  /** Resolves when there is room for more: what the next opening would have to look through has an end. */
  async room(): Promise<void> {
    if (this.#bytes >= LIMITS.journalBytes) await this.settle();
  }

  /** Syncs the files of what was added so far, and takes it out of the table. */
  settle(): Promise<void> {
    if (this.#pause !== null) clearTimeout(this.#pause);
    this.#pause = null;
    if (this.#digests.size > 0 || this.#isBehind) this.#settling = this.#settling.then(() => this.#settle());
    return this.#settling;
  }

  async #settle(): Promise<void> {
    const digests = [...this.#digests];
    this.#digests = new Set();
    this.#bytes = 0;
    try {
      await emptyUpTo(this.#of, this.#isBehind ? await this.#catchUp() : await this.#syncFiles(digests));
    } catch (error) {
      // The rows stay: a later pause, or the next opening, makes good what they tell of.
      this.#isBehind = true;
      this.#of.blobs.noteFailure(error);
    }
  }

  async #syncFiles(digests: readonly string[]): Promise<number> {
    const last = this.#last;
    await this.#of.blobs.sync(digests);
    await flushRegistry();
    return last;
  }

  async #catchUp(): Promise<number> {
    await this.#of.turn.take();
    try {
      const last = await makeGood(this.#of);
      this.#isBehind = false;
      return last;
    } finally {
      this.#of.turn.give();
    }
  }
}

/**
 * Makes good what a process that ended in the middle left in the table, and empties it. What was removed on purpose since
 * does not come back. Only who holds the archive's lock does this.
 */
export async function restoreJournal(of: JournalOf): Promise<void> {
  await emptyUpTo(of, await makeGood(of));
}

type Row = { readonly n: number; readonly lines: string; readonly blobs: string; readonly bytes: Uint8Array };

/** Each blob of the table stands at its place then, and each line in its registry. The number of the last row, or 0. */
async function makeGood({ sqlite, blobs, dir }: JournalOf): Promise<number> {
  const removed = prepared(sqlite, "SELECT 1 FROM blobs WHERE digest = ? AND removed_at IS NOT NULL");
  const next = prepared(sqlite, "SELECT n, lines, blobs, bytes FROM journal WHERE n > ? ORDER BY n LIMIT 1");
  const digests = new Set<string>();
  const told = new Map<string, string[]>();
  let last = 0;
  for (let row = next.get(0) as Row | undefined; row !== undefined; row = next.get(last) as Row | undefined) {
    let at = 0;
    for (const [digest, size] of JSON.parse(row.blobs) as [string, number][]) {
      const bytes = row.bytes.subarray(at, (at += size));
      if (removed.get(digest) !== undefined) continue;
      await blobs.reveal(digest, bytes, null);
      digests.add(digest);
    }
    for (const [id, text] of JSON.parse(row.lines) as [string, string][]) {
      const lines = told.get(id) ?? [];
      lines.push(...text.split("\n").filter((line) => line !== ""));
      told.set(id, lines);
    }
    last = row.n;
  }
  for (const [id, lines] of told) {
    const there = new Set<string>();
    for await (const { raw } of readRegistry(dir, id)) there.add(raw);
    appendRegistry(dir, id, lines.flatMap((line) => (there.has(line) ? [] : [`${line}\n`])).join(""));
  }
  if (last > 0) {
    await blobs.sync([...digests]);
    await flushRegistry();
  }
  return last;
}

async function emptyUpTo({ sqlite, turn }: JournalOf, last: number): Promise<void> {
  if (last === 0) return;
  const { first } = prepared(sqlite, "SELECT coalesce(min(n), 0) AS first FROM journal").get() as { first: number };
  for (let from = first; from <= last; from += CHUNK) {
    await turn.take();
    try {
      prepared(sqlite, "DELETE FROM journal WHERE n >= ? AND n < ?").run(from, Math.min(from + CHUNK, last + 1));
    } finally {
      turn.give();
    }
  }
}
