// The rows of a table, each an object of its columns, so that one tree tells of both.
import { CsvReader, type CellSink } from "../csv-reader.ts";
import type { Token, ValueSink } from "../json-sink.ts";
import { AFTER, FAILED, endOfNumber, inNumber, startOfNumber } from "../json-states.ts";

export class TableReader implements CellSink {
  rows = 0;
  /** Rows with more or fewer cells than there are columns. */
  uneven = 0;
  firstUneven: number | null = null;
  readonly wantsCells = true;
  readonly #sink: ValueSink;
  readonly #reader = new CsvReader(this);
  readonly #columns: Token[] = [];
  #isHeader = true;
  /** Cells of the open row. */
  #cells = 0;

  constructor(sink: ValueSink) {
    this.#sink = sink;
  }

  add(bytes: Uint8Array): void {
    this.#reader.add(bytes);
  }

  end(isWhole: boolean): void {
    if (isWhole) this.#reader.end();
    else if (!this.#isHeader && this.#cells > 0) this.#sink.end();
  }

  odd(): void {}

  cell(token: Token): void {
    if (this.#isHeader) {
      const bytes = token.bytes.slice(token.from, token.to);
      this.#columns.push({ ...token, bytes, from: 0, to: bytes.length });
      return;
    }
    if (this.#cells === 0) this.#sink.begin(false);
    const column = this.#columns[this.#cells++];
    if (column === undefined) return;
    this.#sink.key(column);
    if (token.length === 0) this.#sink.word("null");
    else if (isNumber(token)) this.#sink.number(token);
    else this.#sink.string(token);
  }

  endRow(): void {
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

/** As JSON has them; a longer one is no number that anybody reads. */
function isNumber({ bytes, from, to, length }: Token): boolean {
  if (length > 40) return false;
  let state = startOfNumber(bytes[from]!);
  for (let at = from + 1; at < to && state > FAILED; at++) state = inNumber(state, bytes[at]!);
  return endOfNumber(state) === AFTER;
}
