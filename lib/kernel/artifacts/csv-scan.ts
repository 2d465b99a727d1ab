// Is this stream a table? Strict, because prose and logs have commas too: a header of names, at least one row, as many cells
// in every row, and quotes where RFC 4180 has them.
import { CsvReader, type CellSink } from "../csv-reader.ts";
import type { Token } from "../json-sink.ts";

const NAME_CHARS = 100;
const FIRST_BYTES = 4096;
const PIECE_BYTES = 256 * 1024;

export type Table = {
  readonly contentType: "text/csv" | "text/tab-separated-values";
  /** Without the header. */
  readonly rows: number;
  readonly columns: readonly string[];
};

export class CsvScan implements CellSink {
  isAlive = true;
  readonly #reader = new CsvReader(this);
  readonly #columns: string[] = [];
  /** Those of the header. */
  wantsCells = true;
  #rows = 0;

  /** In pieces, the first a short one: most texts show in their first lines that they are no table, and are not read on. */
  add(bytes: Uint8Array): void {
    for (let from = 0, to = FIRST_BYTES; from < bytes.length && this.isAlive; from = to, to += PIECE_BYTES)
      this.#reader.add(bytes.subarray(from, to));
  }

  end(): Table | null {
    this.#reader.end();
    if (!this.isAlive || this.#rows === 0) return null;
    const contentType = this.#reader.separator === 0x09 ? "text/tab-separated-values" : "text/csv";
    return { contentType, rows: this.#rows, columns: this.#columns };
  }

  odd(): void {
    this.isAlive = false;
  }

  cell({ bytes, from, to }: Token): void {
    this.#columns.push(new TextDecoder().decode(bytes.subarray(from, to)));
  }

  endRow(cells: number): void {
    if (this.wantsCells) this.isAlive &&= cells > 1 && this.#columns.every(isColumnName);
    else {
      this.#rows++;
      this.isAlive &&= cells === this.#columns.length;
    }
    this.wantsCells = false;
  }
}

/** Begins with a letter, without spaces around it, and is no sentence. */
const isColumnName = (name: string): boolean =>
  name.length <= NAME_CHARS &&
  /^[\p{L}_#@$%][^\p{Cc}{}[\]<>=]*$/u.test(name) &&
  name.trim() === name &&
  !/[.!?]$/.test(name);
