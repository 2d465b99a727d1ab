// A session that Plimsoll holds, brought up to what other nodes of a fleet were told of it: their writes are carried out again, in
// their order, at their time. They give the numbers that they gave before, or nothing of them is taken.
import { command } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { Archive } from "./archive-type.ts";
import type { Batch } from "./batch.ts";
import { numbersOf, type ReadEntry } from "./held-entry.ts";
import { saveKey, type KeptAnswer } from "./request-key.ts";
import type { AnyWrite } from "./write.ts";

export type ReplayInput = {
  readonly sessionId: string;
  readonly entries: readonly ReadEntry[];
  /** Keys of requests whose writes are in the session by now, and when they came. */
  readonly keys: readonly { readonly kept: KeptAnswer; readonly at: number }[];
  /** Added to the number of its changes: what is remembered of an earlier copy is not taken for this one. */
  readonly version: number;
};

/** `find`: the write of a name. */
export function replayHeld(
  archive: Archive,
  batch: Batch,
  { sessionId, entries, keys, version }: ReplayInput,
  find: (name: string) => AnyWrite,
): void {
  const { now } = batch;
  for (const { kept, at } of keys) saveKey(archive.sqlite, kept, at);
  for (const { write, input, at, seed, kept, numbers } of entries) {
    batch.now = at;
    batch.seedIds(seed);
    const told = numbersOf(find(write).run(archive, batch, input));
    if (told !== numbers)
      fail(
        "conflict",
        `Session ${sessionId} cannot be continued here: its ${write} gives the events ${told}, not ${numbers}. Update this node.`,
      );
    if (kept !== null) saveKey(archive.sqlite, kept, at);
  }
  batch.now = now;
  if (version > 0)
    command(archive.sqlite, "UPDATE sessions SET version = version + ? WHERE id = ?").run(version, sessionId);
}
