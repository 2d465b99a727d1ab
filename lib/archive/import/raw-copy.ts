// Copies some records of a source's raw blocks to another source, line by line, with their line ends.
import { command } from "#db/statement.ts";
import { readBlocks } from "#lib/sources/blocks.ts";
import type { SourceRecord } from "#lib/kernel/draft.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Archive } from "../base/archive-type.ts";
import { rawHandle } from "./raw-handle.ts";
import { packRaw, rawBytes } from "./raw-writer.ts";

const LF = 0x0a;

export async function copyRecords(
  archive: Archive,
  fromPk: number,
  toPk: number,
  isWanted: (record: SourceRecord) => boolean,
): Promise<void> {
  let position = 0;
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  const flush = async (): Promise<void> => {
    const bytes = Buffer.concat(held);
    held = [];
    heldBytes = 0;
    await packRaw(archive, toPk, { byteStart: position, byteEnd: position + bytes.length, bytes })();
    position += bytes.length;
  };
  const add = async (bytes: Uint8Array): Promise<void> => {
    held.push(bytes);
    heldBytes += bytes.length;
    if (heldBytes >= LIMITS.rawBlockBytes) await flush();
  };
  for await (const block of readBlocks(rawHandle(archive, fromPk), { from: 0, line: 1, final: true })) {
    for (const record of block.records.filter(isWanted)) {
      // A long line lies in several blocks, of which the record comes with the last.
      if (record.byteStart < block.byteStart)
        for (const piece of rawBytes(archive, fromPk, record.byteStart, block.byteStart)) await add(piece);
      const from = Math.max(0, record.byteStart - block.byteStart);
      const bytes = block.bytes as Buffer;
      const newline = bytes.indexOf(LF, Math.max(from, record.byteEnd - block.byteStart));
      await add(Buffer.from(bytes.subarray(from, newline < 0 ? bytes.length : newline + 1)));
      if (newline < 0) await add(Buffer.of(LF));
    }
    block.release?.();
  }
  if (heldBytes > 0) await flush();
  command(archive.sqlite, "UPDATE sources SET is_part = 1, size = ? WHERE pk = ?").run(position, toPk);
}
