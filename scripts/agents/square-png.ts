// A picture of one colour, so that no image has to be kept in the tree.
import { deflateSync } from "node:zlib";
import { pngOf } from "#bin/demo/png.ts";

/** A PNG of `size` times `size` grey dots. */
export function squarePng(size: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.writeUInt8(8, 8);
  // Each line begins with its filter, 0.
  const lines = Buffer.alloc(size * (size + 1), 127).map((byte, i) => (i % (size + 1) === 0 ? 0 : byte));
  return pngOf(["IHDR", header], ["IDAT", deflateSync(lines)]);
}
