// What of a block is written at once, and what is not written record by record: a megabyte of short lines would hold up other
// writers for seconds, and lines that say nothing would take a row of 100 bytes each.
import type { Block } from "#lib/sources/line-reader.ts";
import type { SourceRecord } from "#lib/kernel/draft.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { exactly } from "#lib/kernel/exactly.ts";

/** The parts of a block, cut where a record begins: of so many records and, where that is given, of so many bytes. */
export function partsOf(block: Block, partBytes = Infinity): Block[] {
  const { records } = block;
  const isSmall = records.length <= LIMITS.partRecords && block.bytes.length <= partBytes;
  if (isSmall || records.length < 2) return [block];
  const parts: Block[] = [];
  let { byteStart } = block;
  for (let from = 0; from < records.length;) {
    const to = endOfPart(records, from, byteStart + partBytes);
    const next = records[to];
    const byteEnd = next?.byteStart ?? block.byteEnd;
    const bytes = block.bytes.subarray(byteStart - block.byteStart, byteEnd - block.byteStart);
    const part = { byteStart, byteEnd, bytes, records: records.slice(from, to) };
    parts.push(next === undefined ? { ...block, ...part } : { ...part, nextLine: next.line });
    byteStart = byteEnd;
    from = to;
  }
  return parts;
}

/** Records without content take no time: only the others count. */
function endOfPart(records: readonly SourceRecord[], from: number, byteEnd: number): number {
  let to = from;
  for (let written = 0; to < records.length && written < LIMITS.partRecords; to++) {
    if (to > from && records[to]!.byteStart >= byteEnd) break;
    if (!isEmptyRecord(records[to]!)) written++;
  }
  return to;
}

const EMPTY = new Set(["{}", "[]", "null", '""']);
const EMPTY_BYTES = 16;

/** True for a record without content. */
export function isEmptyRecord({ bytes }: SourceRecord): boolean {
  const { length } = bytes;
  if (length > EMPTY_BYTES) return false;
  // Nearly all of them; millions are asked about.
  if (length === 2 && bytes[0] === 0x7b && bytes[1] === 0x7d) return true;
  return EMPTY.has(Buffer.from(bytes).toString("latin1").replaceAll(/\s+/g, ""));
}

/** Why a file with so many events is read no further, or null. */
export function limitReason(events: number, byteEnd: number, line: number): string | null {
  const perMegabyte = Math.max(LIMITS.fileEventsFree, (byteEnd / 1e6) * LIMITS.fileEventsPerMegabyte);
  if (events <= Math.min(LIMITS.fileEvents, perMegabyte)) return null;
  const limit =
    events > LIMITS.fileEvents
      ? `${exactly(LIMITS.fileEvents)} events in one file`
      : `${exactly(LIMITS.fileEventsPerMegabyte)} events per megabyte`;
  return `Reading stopped at line ${exactly(line)}: over ${limit}. Earlier events are imported. Split the file to read the rest.`;
}
