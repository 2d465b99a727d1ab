// Writes of every door, a group at a time: those that wait share one barrier (blobs, registries, commit) and are answered
// after it. In the server the groups run in its writing thread, between the batches of an import; a program that opened
// an archive for itself runs them where it is.
import { fail } from "#lib/kernel/errors.ts";
import type { Archive, Writer } from "./archive.ts";
import { prepareQuota } from "./artifacts/quota.ts";
import { noteFailure } from "./base/degraded.ts";
import { Batch, LostBatch } from "./base/batch.ts";
import { isNoRoom } from "./base/is-no-room.ts";
import { makeRoom } from "./base/make-room.ts";
import { WRITES, type WriteName } from "./writes.ts";

type Wish<K extends WriteName> = Parameters<(typeof WRITES)[K]>[2];
type Answer<K extends WriteName> = ReturnType<(typeof WRITES)[K]>;

/** Asks for a write by its name; resolves when it is durable. What it refuses leaves the others of its group alone. */
export async function write<K extends WriteName>(archive: Archive, name: K, wish: Wish<K>): Promise<Answer<K>> {
  archive.writer ??= localWriter(archive);
  try {
    return (await archive.writer.run(name, wish)) as Answer<K>;
  } catch (error) {
    // The thread that writes knows it already; the one that asked says so too.
    noteFailure(archive, error);
    throw error;
  }
}

export type Waiting = {
  readonly name: string;
  readonly wish: unknown;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
};

// One savepoint each: 256 small puts are some 20 ms of one transaction, and their barrier is one fsync.
const GROUP = 256;

export type LocalWriter = Writer & {
  /** The same as run(), without a promise. */
  ask(write: Waiting): void;
};

/** Runs writes on this connection; `onTold` is called when a group has its answers. */
export function localWriter(archive: Archive, onTold: () => void = () => undefined): LocalWriter {
  const queue: Waiting[] = [];
  let isDraining = false;

  async function drain(): Promise<void> {
    isDraining = true;
    while (queue.length > 0) {
      await archive.journal.room();
      await archive.turn.take();
      try {
        await runGroup(archive, queue.splice(0, GROUP));
        onTold();
      } finally {
        archive.turn.give();
      }
    }
    isDraining = false;
  }

  function ask(write: Waiting): void {
    queue.push(write);
    // Those that are asked for in the same round of the event loop share the first barrier.
    if (isDraining) return;
    isDraining = true;
    setImmediate(() => void drain());
  }

  return {
    ask,
    run(name, wish) {
      if (archive.mode === "read") fail("conflict", `This archive was opened for reading: ${name} is refused.`);
      return new Promise((resolve, reject) => ask({ name, wish, resolve, reject }));
    },
  };
}

// Writes that make room, or that say how: on a full disk the reserve is theirs.
const FREEING: ReadonlySet<string> = new Set<WriteName>([
  "deleteArtifact",
  "endArtifacts",
  "expireDue",
  "retire",
  "dropBlob",
  "saveRetention",
  "saveClock",
]);

async function runGroup(archive: Archive, group: readonly Waiting[]): Promise<void> {
  const batch = new Batch(archive);
  const done: (() => void)[] = [];
  try {
    prepareQuota(archive);
    batch.begin();
    for (const { name, wish, resolve, reject } of group) {
      try {
        const answer = batch.attempt(() => verbOf(name)(archive, batch, wish));
        done.push(() => resolve(answer));
      } catch (error) {
        if (error instanceof LostBatch || (isNoRoom(error) && FREEING.has(name))) throw error;
        done.push(() => reject(error));
      }
    }
    await batch.commit();
  } catch (error) {
    // What the disk refuses may refuse this too: those who wait are told in any case.
    await batch.rollback().catch((second: unknown) => noteFailure(archive, second));
    const freeing = isNoRoom(error) ? group.filter(({ name }) => FREEING.has(name)) : [];
    const isAgain = freeing.length > 0 && makeRoom(archive);
    for (const { name, reject } of group)
      if (!isAgain || !FREEING.has(name)) reject(error instanceof LostBatch ? (error.cause as Error) : error);
    if (isAgain) await runGroup(archive, freeing);
    return;
  }
  for (const tell of done) tell();
}

function verbOf(name: string): (archive: Archive, batch: Batch, wish: unknown) => unknown {
  if (!Object.hasOwn(WRITES, name)) fail("unsupported", `There is no write named "${name}".`);
  return WRITES[name as WriteName] as (archive: Archive, batch: Batch, wish: unknown) => unknown;
}
