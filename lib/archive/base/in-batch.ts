// A batch of one's own: whoever writes takes turns.
import type { Archive } from "./archive-type.ts";
import { Batch } from "./batch.ts";

/** Runs within one transaction, in its turn; where `work` fails nothing of it stays. */
export async function inBatch<T>(archive: Archive, work: (batch: Batch) => T | Promise<T>): Promise<T> {
  await archive.turn.take();
  const batch = new Batch(archive);
  try {
    batch.begin();
    const result = await work(batch);
    await batch.commit();
    return result;
  } catch (error) {
    await batch.rollback();
    throw error;
  } finally {
    archive.turn.give();
  }
}
