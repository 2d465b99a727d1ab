// Writes that were sent with an Idempotency-Key: what they were, and what they were answered, for 24 hours.
import { command, select } from "#db/statement.ts";
import type { Rows } from "#db/schema.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { defineWrite, write } from "../base/write.ts";

type KeptAnswer = Omit<Rows["idempotency_keys"], "pk" | "at">;

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
export const keepAnswer = (archive: Archive, kept: KeptAnswer): Promise<null> =>
  write(archive, saveIdempotencyKeyWrite, kept);

function save({ sqlite }: Archive, batch: Batch, kept: KeptAnswer): null {
  command(
    sqlite,
    `INSERT OR REPLACE INTO idempotency_keys (principal, key, fingerprint, status, answer, at)
     VALUES (@principal, @key, @fingerprint, @status, @answer, @at)`,
  ).run({ ...kept, at: batch.now });
  command(sqlite, "DELETE FROM idempotency_keys WHERE at <= ? OR pk <= (SELECT max(pk) FROM idempotency_keys) - ?").run(
    batch.now - LIMITS.idempotencyMs,
    LIMITS.idempotencyKeys,
  );
  return null;
}

export const saveIdempotencyKeyWrite = defineWrite("saveIdempotencyKey", save);
