// JSON lines: each line a value. A line is read twice, so that nothing of one that breaks off is counted.
import { JsonReader } from "../json-reader.ts";
import { NOBODY, type ValueSink } from "../json-sink.ts";

/** A line that is longer is counted as it comes, without a look ahead: a broken one then leaves what came before the break. */
const LINE_BYTES = 8 * 1024 * 1024;

export class LinesReader {
  /** Lines that are values, and lines that are none. Empty ones are neither. */
  values = 0;
  broken = 0;
  /** From 1. */
  firstBroken: number | null = null;
  readonly #check = new JsonReader(NOBODY);
  readonly #read: JsonReader;
  #line = 0;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  /** The open line is too long to be held. */
  #isStreaming = false;

  constructor(sink: ValueSink) {
    this.#read = new JsonReader(sink);
  }

  add(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length;) {
      const at = bytes.indexOf(0x0a, from);
      const to = at < 0 ? bytes.length : at;
      if (at < 0) this.#hold(bytes.subarray(from, to));
      else if (this.#isStreaming) {
        this.#read.add(bytes, from, to);
        this.#endStream();
      } else if (this.#heldBytes === 0) this.#takeLine(bytes, from, to);
      else {
        this.#hold(bytes.subarray(from, to));
        if (this.#isStreaming) this.#endStream();
        else this.#takeHeld();
      }
      from = to + 1;
    }
  }

  /** The text ends; `isWhole` when it was read to its end, so that its last line is one. */
  end(isWhole: boolean): void {
    if (this.#isStreaming) this.#endStream();
    else if (isWhole && this.#heldBytes > 0) this.#takeHeld();
  }

  #hold(bytes: Uint8Array): void {
    if (this.#isStreaming) return this.#read.add(bytes);
    // The piece is filled again while the line is open.
    this.#held.push(bytes.slice());
    this.#heldBytes += bytes.length;
    if (this.#heldBytes <= LINE_BYTES) return;
    this.#isStreaming = true;
    this.#read.reset();
    for (const piece of this.#held) this.#read.add(piece);
    this.#release();
  }

  #takeHeld(): void {
    const line = new Uint8Array(this.#heldBytes);
    let at = 0;
    for (const piece of this.#held) {
      line.set(piece, at);
      at += piece.length;
    }
    this.#release();
    this.#takeLine(line, 0, line.length);
  }

  #release(): void {
    this.#held = [];
    this.#heldBytes = 0;
  }

  #takeLine(bytes: Uint8Array, from: number, to: number): void {
    this.#line++;
    if (isBlank(bytes, from, to)) return;
    this.#check.reset();
    this.#check.add(bytes, from, to);
    if (!this.#check.end() || this.#check.roots !== 1) return this.#noteBroken();
    this.#read.reset();
    this.#read.add(bytes, from, to);
    this.#read.end();
    this.values++;
  }

  #endStream(): void {
    this.#isStreaming = false;
    this.#line++;
    if (this.#read.end() && this.#read.roots === 1) this.values++;
    else {
      this.#read.closeAll();
      this.#noteBroken();
    }
  }

  #noteBroken(): void {
    this.broken++;
    this.firstBroken ??= this.#line;
  }
}

function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] !== 0x20 && bytes[at] !== 0x0d && bytes[at] !== 0x09) return false;
  return true;
}
