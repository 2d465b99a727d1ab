// A bar chart as a PNG, written byte by byte: a compressor may give other bytes in another version of Node, so the
// pixels are stored, two bits each.
import { crc32 } from "node:zlib";

const PALETTE = [0xf7f7f5, 0x8a8f98, 0x3b6ea5, 0xc0392b];
const GROUND = 0;
const AXIS = 1;

export type Bar = { readonly height: number; readonly colour: 2 | 3 };

/** Bars from left to right; a height of 1 reaches the top. */
export function barChart(bars: readonly Bar[], width: number, height: number): Uint8Array {
  const slot = width / bars.length;
  const floor = height - 8;
  const row = (y: number): Uint8Array => {
    const packed = new Uint8Array(1 + Math.ceil(width / 4));
    for (let x = 0; x < width; x++) {
      const bar = bars[Math.floor(x / slot)]!;
      const inBar =
        x % slot > slot * 0.2 && x % slot < slot * 0.8 && y < floor && y >= floor - bar.height * (floor - 8);
      const colour = y === floor ? AXIS : inBar ? bar.colour : GROUND;
      packed[1 + (x >> 2)]! |= colour << (6 - 2 * (x & 3));
    }
    return packed;
  };
  const pixels = Buffer.concat(Array.from({ length: height }, (_, y) => row(y)));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([2, 3], 8);
  const palette = Buffer.from(PALETTE.flatMap((rgb) => [rgb >> 16, (rgb >> 8) & 255, rgb & 255]));
  return pngOf(["IHDR", header], ["PLTE", palette], ["IDAT", stored(pixels)]);
}

/** The chunks of a picture as a file: the signature before them, the end behind. */
export function pngOf(...chunks: readonly (readonly [type: string, body: Buffer])[]): Buffer {
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, ...chunks.map(([type, body]) => chunk(type, body)), chunk("IEND", Buffer.of())]);
}

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), body]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(body.length, 0);
  framed.set(named, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}

/** A zlib stream of stored blocks: at most 65,535 bytes each. */
function stored(bytes: Buffer): Buffer {
  const parts: Buffer[] = [Buffer.of(0x78, 0x01)];
  for (let at = 0; at < bytes.length; at += 0xffff) {
    const block = bytes.subarray(at, at + 0xffff);
    const head = Buffer.alloc(5);
    head[0] = at + 0xffff >= bytes.length ? 1 : 0;
    head.writeUInt16LE(block.length, 1);
    head.writeUInt16LE(block.length ^ 0xffff, 3);
    parts.push(head, block);
  }
  let a = 1;
  let b = 0;
  for (const byte of bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(b * 65536 + a);
  return Buffer.concat([...parts, sum]);
}
