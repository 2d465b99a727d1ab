// CSV and tab-separated values: each row an object of its columns, so that one tree tells of both. Cells by RFC 4180.
import { KEPT_BYTES, type ValueSink, type Token } from "../json-sink.ts";

const QUOTE = 0x22;
const SEPARATORS = [0x09, 0x2c, 0x3b] as const;
const NUMBER_TEXT = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

type Cell = { readonly bytes: Uint8Array; readonly from: number; readonly to: number; readonly length: number };

export class TableReader {
  rows = 0;
  /** Rows with more or fewer cells than there are columns. */
  uneven = 0;
  firstUneven: number | null = null;
  readonly #sink: ValueSink;
  readonly #columns: Token[] = [];
  #separator = 0;
  /** Bytes of the header before its separator is known. */
  #isHeader = true;
  #isQuoted = false;
  #wasQuote = false;
  readonly #cell = new Uint8Array(KEPT_BYTES);
  #length = 0;
  #isOpen = false;
  /** Cells of the open row. */
  #cells = 0;
  #head: number[] = [];

  constructor(sink: ValueSink) {
    this.#sink = sink;
  }

  add(bytes: Uint8Array): void {
    let from = 0;
    if (this.#separator === 0) {
      from = this.#findSeparator(bytes);
      if (this.#separator === 0) return;
      this.#take(Uint8Array.from(this.#head), 0);
      this.#head = [];
    }
    this.#take(bytes, from);
  }

  end(isWhole: boolean): void {
    if (isWhole && this.#isOpen) this.#endRow();
    else if (!this.#isHeader && this.#cells > 0) this.#sink.end();
  }

  /** The first of tab, comma and semicolon that stands in the first line. A header of one column has none. */
  #findSeparator(bytes: Uint8Array): number {
    let at = 0;
    while (at < bytes.length && bytes[at] !== 0x0a && this.#head.length < 64 * 1024) this.#head.push(bytes[at++]!);
    if (at === bytes.length) return at;
    this.#separator = SEPARATORS.find((one) => this.#head.includes(one)) ?? SEPARATORS[1];
    return at;
  }

  #take(bytes: Uint8Array, first: number): void {
    const separator = this.#separator;
    let from = first;
    for (let at = first; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (this.#isQuoted) {
        if (byte !== QUOTE) continue;
        this.#keep(bytes, from, at);
        from = at + 1;
        this.#isQuoted = false;
        this.#wasQuote = true;
      } else if (byte === QUOTE) {
        // A second quote in a row stands for one.
        this.#keep(bytes, from, at);
        from = this.#wasQuote ? at : at + 1;
        this.#isQuoted = true;
        this.#wasQuote = false;
        this.#isOpen = true;
      } else if (byte === separator || byte === 0x0a) {
        this.#keep(bytes, from, at);
        from = at + 1;
        this.#wasQuote = false;
        if (byte === separator) {
          this.#isOpen = true;
          this.#endCell();
        } else if (this.#isOpen) this.#endRow();
        // An empty line; of a line end of two bytes the first was kept.
        else this.#length = 0;
      } else if (byte !== 0x0d) {
        this.#isOpen = true;
        this.#wasQuote = false;
      }
    }
    this.#keep(bytes, from, bytes.length);
  }

  #keep(bytes: Uint8Array, from: number, to: number): void {
    const room = KEPT_BYTES - this.#length;
    if (room > 0) this.#cell.set(bytes.subarray(from, Math.min(to, from + room)), this.#length);
    this.#length += to - from;
  }

  #endCell(): void {
    const to = Math.min(this.#length, KEPT_BYTES);
    const cell = { bytes: this.#cell, from: 0, to, length: this.#length };
    this.#length = 0;
    if (this.#isHeader) {
      this.#columns.push({ ...cell, bytes: this.#cell.slice(0, to), marks: 0 });
      return;
    }
    if (this.#cells === 0) this.#sink.begin(false);
    const column = this.#columns[this.#cells++];
    if (column === undefined) return;
    this.#sink.key(column);
    this.#tell(cell);
  }

  #tell(cell: Cell): void {
    const { bytes, to, length } = cell;
    if (length === 0) return this.#sink.word("null");
    const first = bytes[0]!;
    const mayBeNumber = length <= 40 && (first === 0x2d || (first >= 0x30 && first <= 0x39));
    if (mayBeNumber && NUMBER_TEXT.test(String.fromCharCode(...bytes.subarray(0, to))))
      this.#sink.number({ ...cell, marks: 0 });
    // A backslash means itself here.
    else this.#sink.string({ ...cell, marks: 0 });
  }

  #endRow(): void {
    // A line end of two bytes leaves the first in its last cell.
    if (this.#length > 0 && this.#length <= KEPT_BYTES && this.#cell[this.#length - 1] === 0x0d) this.#length--;
    this.#endCell();
    this.#isOpen = false;
    if (this.#isHeader) {
      this.#isHeader = false;
      return;
    }
    this.rows++;
    if (this.#cells !== this.#columns.length) {
      this.uneven++;
      this.firstUneven ??= this.rows;
    }
    this.#cells = 0;
    this.#sink.end();
  }
}
