// Rows of a database and documents are edited in place, be it to what is as long: neither their size nor their ends tell, as they do of a
// file that is appended to. What the archive keeps of them does.
import { FORMATS } from "#lib/formats/index.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { SourceHandle } from "#lib/sources/source-handle.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { rawHandle } from "./raw-handle.ts";
import { noteStamp, type SourceRow } from "./source-row.ts";

/** True where other bytes are kept of a source that seems to be as it was, or to go on. A document that grew is read whole anyway. */
export async function isEditedInside(
  archive: Archive,
  batch: Batch,
  source: SourceRow,
  handle: SourceHandle,
  change: "unchanged" | "grown",
): Promise<boolean> {
  const isDocument = change === "unchanged" && mayBeDocument(source.format);
  const isWritten = handle.isRows === true || (isDocument && Math.abs(handle.mtimeMs - source.mtimeMs) >= 1);
  if (!isWritten || source.isOlder) return false;
  await batch.settle();
  if (!(await beginsWith(handle, rawHandle(archive, source.pk)))) return true;
  batch.begin();
  noteStamp(archive, source.pk, handle);
  return false;
}

function mayBeDocument(formatId: string | null): boolean {
  const format = FORMATS.find(({ id }) => id === formatId);
  return format?.reader === "document" || format?.isDocument !== undefined;
}

async function beginsWith(handle: SourceHandle, kept: SourceHandle): Promise<boolean> {
  for (let at = 0; at < kept.size; at += LIMITS.rawBlockBytes) {
    const length = Math.min(LIMITS.rawBlockBytes, kept.size - at);
    const [now, before] = [await handle.read(at, length), await kept.read(at, length)];
    if (Buffer.compare(now, before) !== 0) return false;
  }
  return true;
}
