// One pass over the bytes of an output, of any size and in pieces of any size: what it is, how long, and how it begins.
import { CHUNK_BYTES, LineIndex } from "./line-index.ts";
import { countChars, headOf, tailOf } from "./preview.ts";
import { sniffText } from "./content-type.ts";
import type { Shape } from "./shape-tally.ts";

export type ContentFacts = {
  readonly sizeBytes: number;
  readonly lineCount: number;
  /** Code points, or null for bytes that are no text. */
  readonly chars: number | null;
  readonly isText: boolean;
  readonly contentType: string;
  readonly shape: Shape;
  /** The first 2,000 code points. */
  readonly head: string;
  /** The last 400 code points. */
  readonly tail: string;
  readonly index: LineIndex;
};

export const HEAD_CHARS = 2000;
export const TAIL_CHARS = 400;

export class ContentScan {
  readonly #chunks: Uint8Array[] = [];

  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk.slice());
  }

  end(): ContentFacts {
    const sizeBytes = this.#chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    const bytes = new Uint8Array(sizeBytes);
    let at = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    const chunks = Math.ceil(sizeBytes / CHUNK_BYTES);
    const lines = new Float64Array(chunks);
    const chars = new Float64Array(chunks);
    let newlines = 0;
    let points = 0;
    for (let i = 0; i < sizeBytes; i++) {
      if (i % CHUNK_BYTES === 0) {
        lines[i / CHUNK_BYTES] = newlines;
        chars[i / CHUNK_BYTES] = points;
      }
      if (bytes[i] === 10) newlines++;
      if ((bytes[i]! & 0xc0) !== 0x80) points++;
    }
    const index = new LineIndex(sizeBytes, newlines, lines, chars);
    const lineCount = newlines + (sizeBytes > 0 && bytes[sizeBytes - 1] !== 10 ? 1 : 0);
    let text: string | null = null;
    try {
      if (!bytes.subarray(0, 8192).includes(0))
        text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      // not UTF-8: text stays null
    }
    const contentType = text === null ? "application/octet-stream" : sniffText(text);
    return {
      sizeBytes,
      lineCount,
      chars: text === null ? null : countChars(text),
      isText: text !== null,
      contentType,
      shape: text === null ? `binary(${contentType})` : `text(${lineCount} lines)`,
      head: headOf(text ?? "", HEAD_CHARS),
      tail: tailOf(text ?? "", TAIL_CHARS),
      index,
    };
  }
}
