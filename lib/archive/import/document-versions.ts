// Earlier versions of a file that is one document, written anew at each step: its records are compared by their names.
import { createHash } from "node:crypto";
import type { Format } from "#lib/kernel/draft.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { readBlocks } from "#lib/sources/blocks.ts";
import type { SourceHandle } from "#lib/sources/source-handle.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { addVersion, moveWhole, WHOLE, type Comparison } from "./earlier-versions.ts";
import { rawBytes } from "./raw-writer.ts";
import type { SourceRow } from "./source-row.ts";

/** True when a document that is written anew has all its records still, as most have: a chat that goes on. */
export async function holdsAll(
  archive: Archive,
  source: SourceRow,
  format: Pick<Format, "recordNames">,
  handle: SourceHandle,
): Promise<boolean> {
  if (format.recordNames === undefined || handle.size > LIMITS.fullOutputBytes) return false;
  const before = format.recordNames(Buffer.concat([...rawBytes(archive, source.pk, 0, Number.MAX_SAFE_INTEGER)]));
  const now = new Set(format.recordNames(await handle.read(0, handle.size)) ?? []);
  // One that was damaged, or read while it was written, has nothing that this one lacks.
  return before === null || before.every((name) => now.has(name));
}

/** A document that lost records is an earlier version, whole: a part of it would be none. */
export async function keepDocument(
  archive: Archive,
  batch: Batch,
  source: SourceRow,
  handle: SourceHandle,
): Promise<Comparison> {
  const hash = createHash("sha256");
  for await (const block of readBlocks(handle, WHOLE)) {
    hash.update(block.bytes);
    block.release?.();
  }
  moveWhole(archive, batch, source, addVersion(archive, source));
  return { sha: hash.digest("hex"), trimmed: [] };
}
