// The one reader of CSV and tab-separated values: cells by RFC 4180, from bytes in pieces of any size, keeping no more of a
// cell than its first bytes. Tells a sink its cells, and what RFC 4180 does not have: a strict sink ends there.
import { KEPT_BYTES, type Token } from "./json-sink.ts";

/** A cell is a token without escapes, which holds until the call returns. */
export type CellSink = {
  cell(token: Token): void;
  /** False when it is enough to know how many there are; asked before each piece, and behind the header. */
  readonly wantsCells: boolean;
  /** Not told of empty lines. */
  endRow(cells: number): void;
  /** A quote inside of a cell, text behind a quote, a header without end. */
  odd(): void;
};

/** A header longer than this is none (bytes). */
const HEADER_BYTES = 64 * 1024;

const QUOTE = 0x22;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SEPARATORS = [0x09, 0x2c, 0x3b] as const;

// Where in a cell the next byte stands.
const CELL_START = 0;
const PLAIN = 1;
const QUOTED = 2;
const QUOTE_ENDED = 3;

export class CsvReader {
  /** The first of tab, comma and semicolon that stands in the header; 0 before that is known. */
  separator = 0;
  readonly #sink: CellSink;
  /** The header, up to a line end outside of quotes. */
  #header: number[] = [];
  #isInQuotes = false;
  #state = CELL_START;
  /** Of the open row: cells that have ended, and whether it has bytes. */
  #cells = 0;
  #isOpen = false;
  /** The open cell, as far as it lay before what is read now. */
  readonly #kept = new Uint8Array(KEPT_BYTES);
  #keptLength = 0;
  readonly #token = { bytes: this.#kept as Uint8Array, from: 0, to: 0, length: 0, marks: 0 };

  constructor(sink: CellSink) {
    this.#sink = sink;
  }

  add(bytes: Uint8Array): void {
    let from = 0;
    if (this.separator === 0) {
      from = this.#readHeader(bytes);
      if (this.separator === 0) return;
      this.#read(Uint8Array.from(this.#header), 0);
      this.#header = [];
    }
    this.#read(bytes, from);
  }

  /** The text ends, and so does its last row. */
  end(): void {
    if (!this.#isOpen) return;
    if (this.#sink.wantsCells) this.#endLastCell(this.#kept, 0, 0, this.#state !== QUOTE_ENDED);
    this.#sink.endRow(this.#cells + 1);
  }

  /** How many of these bytes are the header's. */
  #readHeader(bytes: Uint8Array): number {
    const header = this.#header;
    let at = 0;
    let isWhole = false;
    while (at < bytes.length && header.length < HEADER_BYTES && !isWhole) {
      const byte = bytes[at++]!;
      if (byte === QUOTE) this.#isInQuotes = !this.#isInQuotes;
      header.push(byte);
      isWhole = byte === NEWLINE && !this.#isInQuotes;
    }
    if (!isWhole && header.length < HEADER_BYTES) return at;
    if (!isWhole) this.#sink.odd();
    this.separator = SEPARATORS.find((one) => header.includes(one)) ?? SEPARATORS[1];
    return at;
  }

  #read(bytes: Uint8Array, first: number): void {
    const { separator } = this;
    const { wantsCells } = this.#sink;
    const size = bytes.length;
    let state = this.#state;
    let cells = this.#cells;
    let isOpen = this.#isOpen;
    let from = first;
    let to = first;
    for (let i = first; i < size; i++) {
      let byte = bytes[i]!;
      if (state === PLAIN) while (byte > QUOTE && byte !== separator && ++i < size) byte = bytes[i]!;
      else if (state === QUOTED) while (byte !== QUOTE && ++i < size) byte = bytes[i]!;
      if (i === size) break;
      if (state === QUOTED) {
        to = i;
        state = QUOTE_ENDED;
      } else if (byte === separator) {
        if (wantsCells) this.#endCell(bytes, from, state === QUOTE_ENDED ? to : i);
        cells++;
        isOpen = true;
        from = to = i + 1;
        state = CELL_START;
      } else if (byte === NEWLINE) {
        if (isOpen) {
          if (wantsCells) this.#endLastCell(bytes, from, state === QUOTE_ENDED ? to : i, state !== QUOTE_ENDED);
          this.#sink.endRow(cells + 1);
        }
        this.#keptLength = cells = 0;
        isOpen = false;
        from = to = i + 1;
        state = CELL_START;
      } else if (byte === QUOTE) {
        // A quote begins a cell, or doubles the one before it, which then stands for one.
        if (state === PLAIN) this.#sink.odd();
        if (wantsCells) this.#keep(bytes, from, state === QUOTE_ENDED ? to : i);
        from = state === QUOTE_ENDED ? i : i + 1;
        state = QUOTED;
        isOpen = true;
      } else if (byte !== RETURN) {
        if (state === QUOTE_ENDED) {
          this.#sink.odd();
          if (wantsCells) this.#keep(bytes, from, to);
          from = i;
        }
        state = PLAIN;
        isOpen = true;
      }
    }
    if (wantsCells) this.#keep(bytes, from, state === QUOTE_ENDED ? to : size);
    this.#state = state;
    this.#cells = cells;
    this.#isOpen = isOpen;
  }

  #keep(bytes: Uint8Array, from: number, to: number): void {
    const end = Math.min(to, from + KEPT_BYTES - this.#keptLength);
    // Most runs are a few bytes between quotes, for which set and subarray take ten times as long.
    for (let at = from, kept = this.#keptLength; at < end; at++) this.#kept[kept++] = bytes[at]!;
    this.#keptLength += to - from;
  }

  #endCell(bytes: Uint8Array, from: number, to: number): void {
    const token = this.#token;
    const isKept = this.#keptLength > 0;
    if (isKept) this.#keep(bytes, from, to);
    const source = isKept ? this.#kept : bytes;
    // Setting a field of an object to another costs the collector a note.
    if (token.bytes !== source) token.bytes = source;
    token.from = isKept ? 0 : from;
    token.length = isKept ? this.#keptLength : to - from;
    token.to = token.from + Math.min(token.length, KEPT_BYTES);
    this.#keptLength = 0;
    this.#sink.cell(token);
  }

  /** `isPlain`: it has no quotes, so that a line end of two bytes left its first in it. */
  #endLastCell(bytes: Uint8Array, from: number, to: number, isPlain: boolean): void {
    const hasReturn = isPlain && to > from && bytes[to - 1] === RETURN;
    if (isPlain && to === from && this.#keptLength <= KEPT_BYTES && this.#kept[this.#keptLength - 1] === RETURN)
      this.#keptLength--;
    this.#endCell(bytes, from, hasReturn ? to - 1 : to);
  }
}
