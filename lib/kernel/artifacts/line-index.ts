// Where lines and characters lie in a blob: for each chunk of 256 KiB, how many line ends and how many code points lie
// before it. A blob of 1 GB has 4,096 chunks, 64 KiB of index; any line is found by reading one chunk.
import { fail } from "../errors.ts";

export const CHUNK_BYTES = 256 * 1024;

const MAGIC = 0x3158_4c50; // "PLX1", little-endian
const HEADER_BYTES = 24;
/** Two numbers of 8 bytes a chunk: counts of a blob over 4 GB do not fit in 4. */
const ENTRY_BYTES = 16;

export class LineIndex {
  readonly sizeBytes: number;
  readonly newlines: number;
  readonly #lines: Float64Array;
  readonly #chars: Float64Array;

  /** `lines[i]` and `chars[i]`: line ends and code points that begin before byte i × CHUNK_BYTES. */
  constructor(sizeBytes: number, newlines: number, lines: Float64Array, chars: Float64Array) {
    this.sizeBytes = sizeBytes;
    this.newlines = newlines;
    this.#lines = lines;
    this.#chars = chars;
  }

  get chunks(): number {
    return this.#lines.length;
  }

  /**
   * The chunk in which line k (from 1) begins, as its first byte and the line ends before it: read on from there and
   * skip `k − 1 − newlinesBefore` line ends. Null when there is no such line.
   */
  chunkOfLine(line: number): { readonly byte: number; readonly newlinesBefore: number } | null {
    if (!(line >= 1) || line - 1 > this.newlines || this.sizeBytes === 0) return null;
    // Line k begins behind the line end number k − 1: the last chunk with fewer of them before it holds that one.
    const chunk = line === 1 ? 0 : lastBelow(this.#lines, line - 1);
    return { byte: chunk * CHUNK_BYTES, newlinesBefore: this.#lines[chunk]! };
  }

  /** The chunk in which code point n (from 0) begins, as its first byte and the code points that begin before it. */
  chunkOfChar(char: number): { readonly byte: number; readonly charsBefore: number } | null {
    if (!(char >= 0) || this.sizeBytes === 0) return null;
    const chunk = lastBelow(this.#chars, char + 1);
    return { byte: chunk * CHUNK_BYTES, charsBefore: this.#chars[chunk]! };
  }

  /** The chunk that holds a byte: its first byte, and the line ends and code points that begin before it. */
  chunkOfByte(at: number): { readonly byte: number; readonly newlinesBefore: number; readonly charsBefore: number } {
    const chunk = Math.max(0, Math.min(this.chunks - 1, Math.floor(at / CHUNK_BYTES)));
    return {
      byte: chunk * CHUNK_BYTES,
      newlinesBefore: this.#lines[chunk] ?? 0,
      charsBefore: this.#chars[chunk] ?? 0,
    };
  }

  encode(): Uint8Array {
    const bytes = new Uint8Array(HEADER_BYTES + this.chunks * ENTRY_BYTES);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, MAGIC, true);
    view.setUint32(4, this.chunks, true);
    view.setFloat64(8, this.sizeBytes, true);
    view.setFloat64(16, this.newlines, true);
    for (let i = 0; i < this.chunks; i++) {
      view.setFloat64(HEADER_BYTES + i * ENTRY_BYTES, this.#lines[i]!, true);
      view.setFloat64(HEADER_BYTES + i * ENTRY_BYTES + 8, this.#chars[i]!, true);
    }
    return bytes;
  }

  /** Refuses what is no index, or not one of a blob of `sizeBytes`. */
  static decode(bytes: Uint8Array, sizeBytes?: number): LineIndex {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const refuse = (): never => fail("invalid", "Not a line index of this blob. Build it again from the blob.");
    if (bytes.length < HEADER_BYTES || view.getUint32(0, true) !== MAGIC) return refuse();
    const chunks = view.getUint32(4, true);
    const size = view.getFloat64(8, true);
    if (bytes.length !== HEADER_BYTES + chunks * ENTRY_BYTES || chunks !== Math.ceil(size / CHUNK_BYTES))
      return refuse();
    if (sizeBytes !== undefined && sizeBytes !== size) return refuse();
    const lines = new Float64Array(chunks);
    const chars = new Float64Array(chunks);
    for (let i = 0; i < chunks; i++) {
      lines[i] = view.getFloat64(HEADER_BYTES + i * ENTRY_BYTES, true);
      chars[i] = view.getFloat64(HEADER_BYTES + i * ENTRY_BYTES + 8, true);
      if (i > 0 && (!(lines[i]! >= lines[i - 1]!) || !(chars[i]! >= chars[i - 1]!))) return refuse();
    }
    return new LineIndex(size, view.getFloat64(16, true), lines, chars);
  }
}

/** The last position whose count is below `value`. Counts rise, and the first is 0. */
function lastBelow(counts: Float64Array, value: number): number {
  let low = 0;
  let high = counts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (counts[middle]! < value) low = middle;
    else high = middle - 1;
  }
  return low;
}
