// The index is held against the whole text: what it points to is read on from, as a reader of ranges would.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isAppError } from "../errors.ts";
import { CHUNK_BYTES, LineIndex } from "./line-index.ts";
import { ContentScan } from "./scan.ts";

const encoder = new TextEncoder();

function indexOf(bytes: Uint8Array): LineIndex {
  const scan = new ContentScan();
  scan.add(bytes);
  return scan.end().index;
}

/** Texts of a few chunks: lines of any length, some over several chunks, characters across their edges. */
const longText = fc
  .array(fc.tuple(fc.constantFrom("a", "é", "漢\n", "😀", "\n", "line\r\n"), fc.integer({ min: 1, max: 60_000 })), {
    minLength: 1,
    maxLength: 8,
  })
  .map((parts) => parts.map(([piece, times]) => piece.repeat(times)).join(""));

/** The byte at which line k begins, found from its chunk on. */
function byteOfLine(bytes: Uint8Array, index: LineIndex, line: number): number | null {
  const chunk = index.chunkOfLine(line);
  if (chunk === null) return null;
  let at = chunk.byte;
  for (let seen = chunk.newlinesBefore; seen < line - 1; seen++) at = bytes.indexOf(0x0a, at) + 1;
  return at;
}

function byteOfChar(bytes: Uint8Array, index: LineIndex, char: number): number {
  const chunk = index.chunkOfChar(char)!;
  let seen = chunk.charsBefore - 1;
  let at = chunk.byte - 1;
  while (seen < char) if ((bytes[++at]! & 0xc0) !== 0x80) seen++;
  return at;
}

describe("look-ups", () => {
  test("every line and every character is found from the chunk in which it begins", () => {
    fc.assert(
      fc.property(
        longText,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 5, maxLength: 5 }),
        (text, positions) => {
          const bytes = encoder.encode(text);
          const index = indexOf(bytes);
          const starts = [0];
          for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) starts.push(at + 1);
          const points = [...text];
          for (const position of positions) {
            const line = 1 + Math.floor(position * (starts.length - 1));
            expect(byteOfLine(bytes, index, line)).toBe(starts[line - 1]);
            const char = Math.floor(position * (points.length - 1));
            const byte = encoder.encode(points.slice(0, char).join("")).length;
            expect(byteOfChar(bytes, index, char)).toBe(byte);
            const chunk = index.chunkOfByte(byte);
            expect(chunk.byte <= byte && byte < chunk.byte + CHUNK_BYTES).toBe(true);
            // No more than one chunk is read on to the start of a character; a line may begin in the chunk after.
            expect(byte - index.chunkOfChar(char)!.byte).toBeLessThanOrEqual(CHUNK_BYTES);
            expect(starts[line - 1]! - index.chunkOfLine(line)!.byte).toBeLessThanOrEqual(CHUNK_BYTES);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test("a line that is not there has no chunk", () => {
    const index = indexOf(encoder.encode("one\ntwo"));
    expect([0, -1, 3, Number.NaN, Infinity].map((line) => index.chunkOfLine(line))).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
    expect(index.chunkOfLine(2)).toEqual({ byte: 0, newlinesBefore: 0 });
    const empty = indexOf(new Uint8Array());
    expect([empty.chunks, empty.chunkOfLine(1), empty.chunkOfChar(0)]).toEqual([0, null, null]);
  });
});

describe("on disk", () => {
  test("what was encoded is the same index, and takes 16 bytes for each 256 KiB", () => {
    const bytes = encoder.encode("é\n".repeat(400_000));
    const index = indexOf(bytes);
    const encoded = index.encode();
    expect(index.chunks).toBe(5);
    expect(encoded.length).toBe(24 + 16 * 5);
    const decoded = LineIndex.decode(encoded, bytes.length);
    for (const line of [1, 100_000, 400_000, 400_001])
      expect(decoded.chunkOfLine(line)).toEqual(index.chunkOfLine(line));
    expect(decoded.chunkOfChar(700_000)).toEqual(index.chunkOfChar(700_000));
    expect([decoded.sizeBytes, decoded.newlines]).toEqual([1_200_000, 400_000]);
    // Wherever it lies in memory.
    const moved = new Uint8Array(encoded.length + 3);
    moved.set(encoded, 3);
    expect(LineIndex.decode(moved.subarray(3)).encode()).toEqual(encoded);
  });

  test("bytes that are no index, or one of another blob, are refused", () => {
    const encoded = indexOf(encoder.encode("a\n".repeat(300_000))).encode();
    const changed = (at: number): Uint8Array => {
      const copy = encoded.slice();
      copy[at]! ^= 0xff;
      return copy;
    };
    const wrong = [
      new Uint8Array(),
      encoded.subarray(1),
      encoded.subarray(0, 40),
      changed(0),
      changed(4),
      changed(15),
      changed(46),
    ];
    for (const bytes of wrong)
      expect(() => LineIndex.decode(bytes)).toThrow(
        expect.toSatisfy((error) => isAppError(error) && error.code === "invalid"),
      );
    expect(() => LineIndex.decode(encoded, 599_999)).toThrow(/Build it again/);
    expect(LineIndex.decode(encoded, 600_000).newlines).toBe(300_000);
  });
});
