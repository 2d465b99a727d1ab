// One pass over the bytes of an output, of any size and in pieces of any size: what it is, how long, how it begins and
// ends, and where its lines lie. Takes a few hundred KB of memory and 64 KB for each GB of line index.
import { sniffBytes } from "./content-type.ts";
import { CsvScan } from "./csv-scan.ts";
import { JsonShape } from "./json-shape.ts";
import type { LineIndex } from "./line-index.ts";
import { headOf, tailOf } from "./preview.ts";
import { shapeOfTable } from "./shape-counter.ts";
import type { Shape } from "./shape-counter.ts";
import { TextScan } from "./text-scan.ts";

export type ContentFacts = {
  readonly sizeBytes: number;
  /** Line ends, and one more for text behind the last. */
  readonly lineCount: number;
  /** Code points, or null for bytes that are no text. */
  readonly chars: number | null;
  /** False where bytes are no UTF-8, or a NUL is among the first 8 KB. */
  readonly isText: boolean;
  readonly contentType: string;
  readonly shape: Shape;
  /** The first 2,000 code points; empty for bytes that are no text. */
  readonly head: string;
  /** The last 400 code points; empty for bytes that are no text. */
  readonly tail: string;
  readonly index: LineIndex;
};

const HEAD_CHARS = 2000;
const TAIL_CHARS = 400;
/** A code point takes four bytes at most. */
const HEAD_BYTES = 4 * HEAD_CHARS;
const TAIL_BYTES = 4 * TAIL_CHARS;

export class ContentScan {
  readonly #text = new TextScan();
  readonly #json = new JsonShape();
  readonly #csv = new CsvScan();
  readonly #head: Uint8Array;
  /** The last bytes lie before #tailEnd; moved to the front when the room is used up. */
  readonly #tail: Uint8Array;
  #tailEnd = 0;

  /** Bytes that are all there are not copied: room for both ends of a small put is 20 KB that nobody needs. */
  constructor(whole: Uint8Array | null = null) {
    this.#head = whole?.subarray(0, HEAD_BYTES) ?? new Uint8Array(HEAD_BYTES);
    this.#tail = whole?.subarray(-TAIL_BYTES) ?? new Uint8Array(8 * TAIL_BYTES);
    if (whole === null) return;
    this.#tailEnd = this.#tail.length;
    this.#look(whole);
  }

  add(chunk: Uint8Array): void {
    const at = this.#text.sizeBytes;
    if (at < HEAD_BYTES) this.#head.set(chunk.subarray(0, HEAD_BYTES - at), at);
    this.#keepTail(chunk);
    this.#look(chunk);
  }

  #look(chunk: Uint8Array): void {
    this.#text.add(chunk);
    if (!this.#text.isText) return;
    if (this.#json.isAlive) this.#json.add(chunk);
    if (this.#csv.isAlive) this.#csv.add(chunk);
  }

  end(): ContentFacts {
    const { lineCount, index } = this.#text.end();
    const { sizeBytes, isText, chars } = this.#text;
    const head = this.#head.subarray(0, sizeBytes);
    const found = isText ? this.#whatText(lineCount) : whatBytes(head);
    return {
      sizeBytes,
      lineCount,
      chars: isText ? chars : null,
      isText,
      ...found,
      head: isText ? headOf(decode(head), HEAD_CHARS) : "",
      tail: isText ? tailOf(decode(this.#lastBytes()), TAIL_CHARS) : "",
      index,
    };
  }

  #whatText(lineCount: number): { readonly contentType: string; readonly shape: Shape } {
    const json = this.#json.finish();
    if (json !== null)
      return { contentType: json.isLines ? "application/x-ndjson" : "application/json", shape: json.shape };
    const table = this.#csv.end();
    if (table !== null) return { contentType: table.contentType, shape: shapeOfTable(table.rows, table.columns) };
    return { contentType: "text/plain", shape: `text(${lineCount} lines)` };
  }

  #keepTail(chunk: Uint8Array): void {
    const last = chunk.subarray(Math.max(0, chunk.length - TAIL_BYTES));
    if (this.#tailEnd + last.length > this.#tail.length) {
      this.#tail.copyWithin(0, this.#tailEnd - TAIL_BYTES, this.#tailEnd);
      this.#tailEnd = TAIL_BYTES;
    }
    this.#tail.set(last, this.#tailEnd);
    this.#tailEnd += last.length;
  }

  /** From the first whole character of the last bytes. */
  #lastBytes(): Uint8Array {
    let from = Math.max(0, this.#tailEnd - TAIL_BYTES);
    while (from < this.#tailEnd && (this.#tail[from]! & 0xc0) === 0x80) from++;
    return this.#tail.subarray(from, this.#tailEnd);
  }
}

/** Text whose end may be cut inside a character, which then does not appear. A byte order mark stays: it is a character. */
const decode = (bytes: Uint8Array): string =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });

function whatBytes(head: Uint8Array): { readonly contentType: string; readonly shape: Shape } {
  const contentType = sniffBytes(head);
  return { contentType, shape: `binary(${contentType})` };
}
