// A picture of one colour, so that no image has to be kept in the tree.
import { crc32, deflateSync } from "node:zlib";

/** A PNG of `size` times `size` grey dots. */
export function squarePng(size: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.writeUInt8(8, 8);
  // Each line begins with its filter, 0.
  const lines = Buffer.alloc(size * (size + 1), 127).map((byte, i) => (i % (size + 1) === 0 ? 0 : byte));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(lines)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, bytes: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), bytes]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(bytes.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
