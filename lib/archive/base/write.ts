// Writes of every door, a group at a time: those that wait share one barrier (blobs, registries, commit) and are answered
// after it. In the server the groups run in its writing thread, between the batches of an import; a program that opened
// an archive for itself runs them where it is.
import { randomUUID } from "node:crypto";
import { query } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { Archive, Writer } from "./archive-type.ts";
import { Batch, LostBatch } from "./batch.ts";
import { noteFailure } from "./degraded.ts";
import { besideOf, namesBeside } from "./beside-rows.ts";
import { numbersOf, type HeldEntry } from "./held-entry.ts";
import { isNoRoom } from "./is-no-room.ts";
import { makeRoom } from "./make-room.ts";
import { keptText, keyedRequest, saveKey, type KeptAnswer } from "./request-key.ts";

/**
 * A write that a door may ask for: a function of the open batch that adds rows and registry lines. Its name travels to
 * the thread that writes, so what it takes and answers can be cloned.
 */
export type Write<Input, Answer> = {
  readonly name: string;
  readonly run: (archive: Archive, batch: Batch, input: Input) => Answer;
  /** It makes room, or says how: on a full disk the reserve is its own. */
  readonly freesRoom: boolean;
  /** What is needed before the group's transaction begins. */
  readonly prepare: ((archive: Archive) => void) | null;
  /** It is all that its request writes: the request's Idempotency-Key is kept in the same transaction. */
  readonly isWhole: boolean;
  /** What it answers is the whole answer to its request: that is kept there too, for the price of no second commit. */
  readonly isAnswer: boolean;
  /** The session that it writes to: where Plimsoll holds that, nodes of a fleet tell each other of the write. */
  readonly session: ((archive: Archive, input: Input) => string | null) | null;
  /** It also writes what a person keeps beside an imported session: a fleet keeps that for all nodes. */
  readonly isBeside: boolean;
};

type Traits<Input> = Pick<
  Write<Input, unknown>,
  "freesRoom" | "isWhole" | "isAnswer" | "prepare" | "session" | "isBeside"
>;

export function defineWrite<Input, Answer>(
  name: string,
  run: (archive: Archive, batch: Batch, input: Input) => Answer,
  {
    freesRoom = false,
    prepare = null,
    isAnswer = false,
    isWhole = isAnswer,
    session = null,
    isBeside = false,
  }: Partial<Traits<Input>> = {},
): Write<Input, Answer> {
  return { name, run, freesRoom, prepare, isWhole, isAnswer, session, isBeside };
}

/** Of a write that names its session. */
export const ofSession = (_: Archive, { sessionId }: { readonly sessionId: string }): string => sessionId;

/** Asks for a write; resolves when it is durable. What it refuses leaves the others of its group alone. */
export async function write<Input, Answer>(
  archive: Archive,
  what: Write<Input, Answer>,
  input: Input,
): Promise<Answer> {
  archive.writer ??= localWriter(archive);
  try {
    const request = what.isWhole ? keyedRequest() : null;
    const kept = request?.rowOf() ?? null;
    const keyed = keyedRequest();
    if (keyed !== null && what.session !== null) keyed.session ??= what.session(archive, input);
    const answer = (await archive.writer.run(what, input, kept)) as Answer;
    if (what.isAnswer && kept !== null) request!.isAnswered = true;
    return answer;
  } catch (error) {
    // The thread that writes knows it already; the one that asked says so too.
    noteFailure(archive, error);
    throw error;
  }
}

/** A write of any kind: it is paired with its own input where it is asked for. */
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyWrite = Write<any, unknown>;

export type WaitingWrite = {
  readonly what: AnyWrite;
  readonly input: unknown;
  readonly kept: KeptAnswer | null;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
};

// One savepoint each: 256 small puts are some 20 ms of one transaction, and their barrier is one fsync.
const GROUP = 256;

export type LocalWriter = Writer & {
  /** The same as run(), without a promise. */
  enqueue(write: WaitingWrite): void;
};

/** Runs writes on this connection; `onAnswered` is called when a group has its answers. */
export function localWriter(archive: Archive, onAnswered: () => void = () => undefined): LocalWriter {
  const queue: WaitingWrite[] = [];
  let isDraining = false;

  async function drain(): Promise<void> {
    isDraining = true;
    while (queue.length > 0) {
      await archive.journal.room();
      await archive.turn.take();
      try {
        await runGroup(archive, queue.splice(0, GROUP));
        onAnswered();
      } finally {
        archive.turn.give();
      }
    }
    isDraining = false;
  }

  function enqueue(write: WaitingWrite): void {
    queue.push(write);
    // Those that are asked for in the same round of the event loop share the first barrier.
    if (isDraining) return;
    isDraining = true;
    setImmediate(() => void drain());
  }

  return {
    enqueue,
    run(what: AnyWrite, input, kept) {
      if (archive.mode === "read") fail("conflict", `This archive is open read-only: ${what.name} is refused.`);
      return new Promise((resolve, reject) => enqueue({ what, input, kept, resolve, reject }));
    },
  };
}

/** What was told to the other nodes already, as it was carried out then. */
type Told = { readonly at: number; readonly seeds: ReadonlyMap<WaitingWrite, string> };

async function runGroup(archive: Archive, group: readonly WaitingWrite[], told: Told | null = null): Promise<void> {
  const batch = new Batch(archive);
  const done: (() => void)[] = [];
  const failed = new Set<WaitingWrite>();
  const entries: { readonly one: WaitingWrite; readonly entry: HeldEntry }[] = [];
  try {
    for (const { what } of group) what.prepare?.(archive);
    batch.begin();
    if (told !== null) batch.now = told.at;
    for (const one of group) {
      const { what, input, kept, resolve, reject } = one;
      const seed = archive.ship === null ? null : (told?.seeds.get(one) ?? randomUUID());
      batch.seedIds(seed);
      try {
        const isNews = seed !== null && told === null;
        const before = isNews ? sharedOf(archive, one) : null;
        const answer = batch.attempt(() => {
          const result = what.run(archive, batch, input);
          if (kept !== null) saveKey(archive.sqlite, keptWith(one, result)!, batch.now);
          return result;
        });
        done.push(() => resolve(answer));
        // One that a write makes is known after it.
        const shared = before ?? (isNews ? sharedOf(archive, one) : null);
        if (shared !== null)
          entries.push({ one, entry: entryOf(archive, one, shared, { answer, at: batch.now, seed: seed! }) });
      } catch (error) {
        if (error instanceof LostBatch || (isNoRoom(error) && what.freesRoom)) throw error;
        failed.add(one);
        done.push(() => reject(error));
      }
    }
    const refused = await tellNodes(archive, entries);
    if (refused.size > 0) {
      // The others of this group are told already: they are carried out again as they were.
      await batch.rollback();
      for (const tell of done.filter((_, n) => failed.has(group[n]!))) tell();
      for (const [one, error] of refused) one.reject(error);
      const seeds = new Map(entries.map(({ one, entry }) => [one, entry.seed]));
      const rest = group.filter((one) => !failed.has(one) && !refused.has(one));
      if (rest.length > 0) await runGroup(archive, rest, { at: batch.now, seeds });
      return;
    }
    await batch.commit();
  } catch (error) {
    // What the disk refuses may refuse this too: those who wait are told in any case.
    await batch.rollback().catch((second: unknown) => noteFailure(archive, second));
    const freeing = isNoRoom(error) ? group.filter(({ what }) => what.freesRoom) : [];
    const isAgain = freeing.length > 0 && makeRoom(archive);
    for (const { what, reject } of group)
      if (!isAgain || !what.freesRoom) reject(error instanceof LostBatch ? (error.cause as Error) : error);
    if (isAgain) await runGroup(archive, freeing);
    return;
  }
  for (const tell of done) tell();
}

/** The key of a write's request as it is kept with what the write answered. */
function keptWith({ what, kept }: WaitingWrite, result: unknown): KeptAnswer | null {
  if (kept === null) return null;
  return { ...kept, answer: what.isAnswer ? keptText(JSON.stringify(result)) : null };
}

type SharedSession = {
  readonly pk: number;
  readonly session: string;
  /** Null: Plimsoll holds it. Else names of what was beside it before. */
  readonly beside: readonly string[] | null;
};

/** The session of a write that other nodes are told of; null for all others. */
function sharedOf(archive: Archive, { what, input }: WaitingWrite): SharedSession | null {
  const session = what.session?.(archive, input) ?? null;
  if (session === null) return null;
  const find = query(archive.sqlite, { pk: "sessions.pk", held: "sessions.held" }, "FROM sessions WHERE id = ?");
  const row = find.get(session);
  if (row === undefined || (row.held === 0 && !what.isBeside)) return null;
  return { pk: row.pk, session, beside: row.held === 1 ? null : namesBeside(archive, row.pk) };
}

type Answered = Pick<HeldEntry, "at" | "seed"> & { readonly answer: unknown };

function entryOf(
  archive: Archive,
  one: WaitingWrite,
  { pk, session, beside }: SharedSession,
  { answer, at, seed }: Answered,
): HeldEntry {
  const entry = { session, at, seed, write: one.what.name, numbers: numbersOf(answer) };
  return beside === null
    ? { ...entry, input: one.input as object, kept: keptWith(one, answer) }
    : { ...entry, input: {}, kept: null, beside: besideOf(archive, pk, beside) };
}

/** Tells the other nodes, before it is committed here: this archive is never ahead of them. What they refuse, with the reason. */
async function tellNodes(
  archive: Archive,
  entries: readonly { readonly one: WaitingWrite; readonly entry: HeldEntry }[],
): Promise<Map<WaitingWrite, Error>> {
  if (entries.length === 0) return new Map();
  const answers = await archive.ship!(entries.map(({ entry }) => entry));
  return new Map(entries.flatMap(({ one }, n) => (answers[n] == null ? [] : [[one, answers[n]] as const])));
}
