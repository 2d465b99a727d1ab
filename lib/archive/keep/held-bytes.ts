// The bytes of a source from its blocks, in order and without a gap, a block at a time.
import { scalar } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { Archive } from "../base/archive-type.ts";
import { rawBytes } from "../import/raw-writer.ts";

export const heldBytes = (archive: Archive, sourcePk: number): number =>
  scalar(archive.sqlite, "integer?", "SELECT max(byte_end) FROM raw_blocks WHERE source_pk = ?").get(sourcePk) ?? 0;

/** All of them. A gap would make another file of it: it fails. */
export function* rawRun(archive: Archive, sourcePk: number, sizeBytes: number): Generator<Uint8Array> {
  let given = 0;
  for (const bytes of rawBytes(archive, sourcePk, 0, sizeBytes)) {
    given += bytes.length;
    yield bytes;
  }
  if (given !== sizeBytes)
    fail("conflict", `The archive holds ${given} of ${sizeBytes} bytes of this file. Run plimsoll check.`);
}
