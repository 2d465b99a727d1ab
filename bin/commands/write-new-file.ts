// A new file that a person named with --out, and that only its owner reads. What is there already is never overwritten.
import { createNewFile } from "#lib/sources/new-file.ts";

export async function writeNew(path: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  const created = await createNewFile({ path, bytes, ifThere: "refuse", advice: "Choose another --out." });
  return created.sizeBytes;
}
