// Compressed sources (Codex keeps old sessions as .jsonl.zst). Positions in them are positions in the
// decompressed bytes. Such a file is never appended to line by line: when it changes it is read whole.
import { Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { SourceHandle } from "./source-handle.ts";
import { exactly } from "#lib/kernel/exactly.ts";

/** How decompression ended: at the end, inside a frame that is not all there, at damage, or at the ratio that is too large. */
export type InflateEnd = { end: "whole" | "cut" | "damaged" | "stopped"; at: number; reason: string };

const INPUT_BYTES = 256 * 1024;

/** True when the file begins with the zstd magic number. */
export async function isZstd(handle: SourceHandle): Promise<boolean> {
  const head = await handle.read(0, 4);
  return head.length === 4 && head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd;
}

/** The decompressed bytes, frame after frame, in pieces of at most `pieceBytes`. Refuses more than an upload may hold. */
export async function* inflate(
  handle: SourceHandle,
  pieceBytes: number,
  signal?: AbortSignal,
  maxBytes: number = LIMITS.uploadBytes,
): AsyncGenerator<Buffer, InflateEnd> {
  let position = 0;
  let total = 0;
  // Node's decompressor ends after a frame when the next begins inside the same write, and says with
  // bytesWritten how far it came: the next one starts there.
  while (position < handle.size) {
    const decompressor = createZstdDecompress({ chunkSize: Math.max(64, pieceBytes) });
    const input = Readable.from(compressed(handle, position));
    input.on("error", (error) => decompressor.destroy(error));
    input.pipe(decompressor);
    try {
      for await (const piece of decompressor as AsyncIterable<Buffer>) {
        signal?.throwIfAborted();
        total += piece.length;
        if (total > maxBytes)
          fail("too_large", `${handle.path} holds more than ${maxBytes} bytes when decompressed. Split it first.`);
        if (total > Math.max(LIMITS.inflateFreeBytes, LIMITS.inflateRatio * handle.size))
          return { end: "stopped", at: total - piece.length, reason: ratioReason(handle.size) };
        yield piece;
      }
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? "";
      if (code === "Z_BUF_ERROR") return { end: "cut", at: total, reason: "the compressed file ends inside a frame" };
      if (code.startsWith("ZSTD_"))
        return { end: "damaged", at: total, reason: `the compressed file is damaged: ${(error as Error).message}` };
      throw error;
    } finally {
      input.destroy();
      decompressor.destroy();
    }
    if (decompressor.bytesWritten === 0) break;
    position += decompressor.bytesWritten;
  }
  return { end: "whole", at: total, reason: "" };
}

const ratioReason = (size: number): string =>
  `Reading stopped: ${exactly(size)} compressed bytes hold more than ${exactly(Math.max(LIMITS.inflateFreeBytes, LIMITS.inflateRatio * size))}. Import the decompressed file to read the rest.`;

async function* compressed(handle: SourceHandle, from: number): AsyncGenerator<Uint8Array> {
  for (let position = from; position < handle.size;) {
    const bytes = await handle.read(position, Math.min(INPUT_BYTES, handle.size - position));
    if (bytes.length === 0) return;
    position += bytes.length;
    yield bytes;
  }
}
