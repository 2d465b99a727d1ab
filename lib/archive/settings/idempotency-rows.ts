// Writes that were sent with an Idempotency-Key: what they were, and what they were answered, for 24 hours.
import { select } from "#db/statement.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { saveKey, type KeptAnswer } from "../base/request-key.ts";
import { defineWrite, write } from "../base/write.ts";

/** What a principal's key stands for; undefined where it is new, or too old. */
export function keptAnswer(
  archive: Archive,
  principal: string,
  key: string,
): Pick<KeptAnswer, "fingerprint" | "status" | "answer"> | undefined {
  return select(
    archive.sqlite,
    "idempotency_keys",
    ["fingerprint", "status", "answer"],
    "WHERE principal = ? AND key = ? AND at > ?",
  ).get(principal, key, archive.host.now() - LIMITS.idempotencyMs);
}

/** Resolves when it is durable. */
export const keepAnswer = (archive: Archive, kept: SavedKey): Promise<null> =>
  write(archive, saveIdempotencyKeyWrite, kept);

/** `session`: the one that the request wrote to, where there is one. */
export type SavedKey = KeptAnswer & { readonly session: string | null };

function save({ sqlite }: Archive, batch: Batch, saved: SavedKey): null {
  const { session: _, ...kept } = saved;
  saveKey(sqlite, kept, batch.now);
  return null;
}

export const saveIdempotencyKeyWrite = defineWrite("saveIdempotencyKey", save, {
  session: (_, { session }) => session,
});
