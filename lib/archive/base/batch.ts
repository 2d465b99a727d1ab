// One fsync barrier for many lines: blobs first, then registry lines, then the commit of the rows that name them; small blobs
// that puts bring are in the commit themselves.
// A crash before the commit leaves bytes that nothing names; a crash after it leaves nothing out.
import { command } from "#db/statement.ts";
import { hash, randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { appendRegistry, flushRegistry, registryText } from "#lib/blobs/session-registry.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { sumSessions } from "#db/session-sums.ts";
import type { Archive } from "./archive-type.ts";
import { noteFailure, requireSound } from "./degraded.ts";
import type { Brought, JournalLines } from "./blob-journal.ts";

/** The transaction ended under a batch: nothing of it is there. */
export class LostBatch extends Error {
  readonly code: string;
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.code = String((cause as { code?: unknown }).code ?? "SQLITE_FULL");
  }
}

/** How long an import hears of no other writes, at most (milliseconds). */
const LISTEN_MS = 20;

/** The barrier of a batch of 200 ms waited 6 ms for blobs that could have been on the disk. */
const AHEAD_MS = 60;

export class Batch {
  readonly #archive: Archive;
  #registry = new Map<string, object[]>();
  /** Sessions whose registries go when it is committed. */
  #forgotten: string[] = [];
  /** Small blobs of puts, by their digest. */
  #brought = new Map<string, Brought>();
  #later: (() => Promise<void>)[] = [];
  /** Blobs that go to the disk ahead of the barrier, and when the next of them do (milliseconds of this batch). */
  readonly #goesAhead: boolean;
  #ahead: Promise<void> = Promise.resolve();
  #aheadAt = AHEAD_MS;
  #bytes = 0;
  #startedAt = 0;
  #listenAt = 0;
  now: number;
  /** Where ids that a write makes must be the same when it is carried out again: what they are made of. */
  #seed: string | null = null;
  #ids = 0;

  /** `ahead`: blobs may go to the disk before the barrier. What is there by then stays when the batch is taken back. */
  constructor(archive: Archive, { ahead = true }: { readonly ahead?: boolean } = {}) {
    this.#archive = archive;
    this.#goesAhead = ahead;
    this.now = archive.host.now();
  }

  /** Opens the transaction, when none is open. */
  begin(): void {
    if (this.#archive.sqlite.inTransaction) return;
    requireSound(this.#archive);
    this.#archive.sqlite.exec("BEGIN IMMEDIATE");
    this.#startedAt = performance.now();
    this.#bytes = 0;
    this.#aheadAt = AHEAD_MS;
    this.now = this.#archive.host.now();
  }

  /** The next write makes its ids of this; at random where it is null. */
  seedIds(seed: string | null): void {
    this.#seed = seed;
    this.#ids = 0;
  }

  /** 32 hexadecimal digits. */
  newId(): string {
    return this.#seed === null
      ? randomUUID().replaceAll("-", "")
      : hash("sha256", `${this.#seed} ${this.#ids++}`, "hex").slice(0, 32);
  }

  /** Notes how much was read into this batch. Its blobs go to the disk while the next lines are read. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (!this.#goesAhead || performance.now() - this.#startedAt < this.#aheadAt) return;
    this.#aheadAt += AHEAD_MS;
    const before = this.#ahead;
    this.#ahead = this.#archive.blobs.flush().then(() => before);
    // The commit hears of a failure.
    this.#ahead.catch(() => undefined);
  }

  /** What is written before the commit: it is being made meanwhile. */
  later(write: () => Promise<void>): void {
    this.#later.push(write);
  }

  /** Writes it now. */
  async settle(): Promise<void> {
    for (const write of this.#later.splice(0)) await write();
  }

  /** Ends the transaction, and lets those who wait write. */
  async giveWay(): Promise<void> {
    await this.commit();
    await this.#archive.turn.pass();
  }

  /** Lets the thread hear of other writes now and then: compressed blocks come without a pause. */
  async listen(): Promise<void> {
    if (performance.now() < this.#listenAt) return;
    await setImmediate();
    this.#listenAt = performance.now() + LISTEN_MS;
  }

  /** Somebody who waits for this transaction to end makes it a short one. */
  get isFull(): boolean {
    const longest = this.#archive.turn.isWanted ? LIMITS.batchWantedMs : LIMITS.batchMs;
    return this.#bytes >= LIMITS.batchBytes || performance.now() - this.#startedAt >= longest;
  }

  register(sessionId: string, line: object): void {
    const lines = this.#registry.get(sessionId);
    if (lines === undefined) this.#registry.set(sessionId, [line]);
    else lines.push(line);
  }

  /** Takes back the lines of an id that were not written yet: the session has another id now. */
  unregister(sessionId: string): void {
    this.#registry.delete(sessionId);
  }

  /** A session is gone for good: once that is durable, its registry goes too. */
  forget(sessionId: string): void {
    this.unregister(sessionId);
    this.#forgotten.push(sessionId);
  }

  /** Takes the bytes of a small blob, which become durable with the rows and the registry lines that name them. */
  bring(digest: string, bytes: Uint8Array): void {
    if (this.#brought.has(digest)) return;
    this.#brought.set(digest, { bytes, isNew: this.#archive.blobs.putNow(digest, bytes) });
  }

  /**
   * One piece of a batch: all of it or nothing. What fails takes back its rows and its registry lines, and leaves the
   * others of the batch alone.
   */
  attempt<T>(work: () => T): T {
    const { sqlite } = this.#archive;
    const before = new Map([...this.#registry].map(([id, lines]) => [id, lines.length]));
    const brought = this.#brought.size;
    const forgotten = this.#forgotten.length;
    command(sqlite, "SAVEPOINT attempt").run();
    try {
      const answer = work();
      command(sqlite, "RELEASE attempt").run();
      return answer;
    } catch (error) {
      // A full or failing disk may have ended the whole transaction: then there is no savepoint to go back to, and what
      // the others of the batch wrote is gone too.
      if (!sqlite.inTransaction) throw new LostBatch(error);
      sqlite.exec("ROLLBACK TO attempt; RELEASE attempt");
      for (const [id, lines] of this.#registry) lines.length = before.get(id) ?? 0;
      this.#takeBack([...this.#brought].slice(brought));
      this.#forgotten.length = forgotten;
      throw error;
    }
  }

  /** The barrier. After it everything of this batch is durable. */
  async commit(): Promise<void> {
    const { sqlite, blobs, dir } = this.#archive;
    if (!sqlite.inTransaction) return;
    try {
      await this.settle();
      await this.#ahead;
      await blobs.flush();
      sumSessions(sqlite);
      const lines = [...this.#registry].map(([id, added]) => [id, registryText(added)] as const);
      const forgotten = this.#forgotten.map((id) => [id, null] as const);
      // What another session was registered under the same id stands behind the end of the one before.
      if (this.#brought.size + forgotten.length > 0) this.#commitWithJournal([...forgotten, ...lines]);
      else {
        for (const [id, text] of lines) appendRegistry(dir, id, text);
        if (lines.length > 0) await flushRegistry();
        sqlite.exec("COMMIT");
      }
      this.#registry = new Map();
      this.#forgotten = [];
    } catch (error) {
      noteFailure(this.#archive, error);
      throw error;
    }
  }

  /** One sync makes rows, lines, ended registries and small blobs durable: what is in files is synced later. */
  #commitWithJournal(lines: JournalLines): void {
    const { journal, sqlite } = this.#archive;
    const brought = this.#brought;
    const row = journal.add(brought, lines);
    sqlite.exec("COMMIT");
    this.#brought = new Map();
    journal.follow(row, brought.keys(), lines);
  }

  /** Nothing names them: nobody else has written since. */
  #takeBack(brought: readonly (readonly [string, Brought])[]): void {
    for (const [digest, { isNew }] of brought) {
      this.#brought.delete(digest);
      if (isNew) this.#archive.blobs.removeNow(digest);
    }
  }

  /** Takes back what was not committed. */
  async rollback(): Promise<void> {
    this.#registry = new Map();
    this.#forgotten = [];
    this.#takeBack([...this.#brought]);
    this.#later = [];
    await this.#ahead.catch(() => undefined);
    this.#ahead = Promise.resolve();
    await this.#archive.blobs.discard();
    if (this.#archive.sqlite.inTransaction) this.#archive.sqlite.exec("ROLLBACK");
  }
}
