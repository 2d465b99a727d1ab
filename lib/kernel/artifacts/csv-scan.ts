// Is this stream a table? Cells by RFC 4180 (quotes, doubled quotes, line ends inside quotes), separated by tab, comma or
// semicolon: whichever stands in the header. Strict, because prose and logs have commas too: a header of names, at
// least one row, and as many cells in every row.

/** A header longer than this is none (bytes). */
const HEADER_BYTES = 64 * 1024;
const NAME_CHARS = 100;

const QUOTE = 0x22;
const SEPARATORS = [0x09, 0x2c, 0x3b] as const;

// Where in a cell the next byte stands.
const CELL_START = 0;
const PLAIN = 1;
const QUOTED = 2;
const QUOTE_ENDED = 3;

export type Table = {
  readonly contentType: "text/csv" | "text/tab-separated-values";
  /** Without the header. */
  readonly rows: number;
  readonly columns: readonly string[];
};

export class CsvScan {
  #isAlive = true;
  #header: number[] | null = [];
  #columns: string[] = [];
  #separator = 0;
  #place = CELL_START;
  #cells = 0;
  #records = 0;
  /** The record that is open has bytes. */
  #isOpen = false;

  get isAlive(): boolean {
    return this.#isAlive;
  }

  add(bytes: Uint8Array): void {
    let from = 0;
    if (this.#header !== null) {
      from = this.#addHeader(bytes, this.#header);
      if (this.#header !== null) return;
    }
    this.#addRows(bytes, from);
  }

  end(): Table | null {
    if (this.#header !== null || !this.#isAlive) return null;
    if (this.#isOpen) this.#endRecord();
    if (!this.#isAlive || this.#records === 0) return null;
    const contentType = this.#separator === 0x09 ? "text/tab-separated-values" : "text/csv";
    return { contentType, rows: this.#records, columns: this.#columns };
  }

  /** Takes the first record, up to a line end outside quotes; says how many of these bytes it took. */
  #addHeader(bytes: Uint8Array, header: number[]): number {
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i]!;
      if (byte === QUOTE) this.#place = this.#place === QUOTED ? PLAIN : QUOTED;
      if (byte === 0x0a && this.#place !== QUOTED) {
        this.#place = CELL_START;
        this.#header = null;
        this.#isAlive = this.#readHeader(header);
        return i + 1;
      }
      if (header.push(byte) > HEADER_BYTES) {
        this.#isAlive = false;
        return bytes.length;
      }
    }
    return bytes.length;
  }

  #readHeader(header: readonly number[]): boolean {
    const line = new TextDecoder().decode(Uint8Array.from(header)).replace(/\r$/, "");
    this.#separator = SEPARATORS.find((separator) => line.includes(String.fromCharCode(separator))) ?? 0;
    if (this.#separator === 0) return false;
    this.#columns = line.split(String.fromCharCode(this.#separator)).map((cell) => {
      const quoted = /^"((?:[^"]|"")*)"$/.exec(cell);
      return quoted === null ? cell : quoted[1]!.replaceAll('""', '"');
    });
    return this.#columns.length > 1 && this.#columns.every(isColumnName);
  }

  #addRows(bytes: Uint8Array, from: number): void {
    const separator = this.#separator;
    let place = this.#place;
    for (let i = from; i < bytes.length && this.#isAlive; i++) {
      let byte = bytes[i]!;
      if (place === PLAIN) while (byte > QUOTE && byte !== separator && ++i < bytes.length) byte = bytes[i]!;
      else if (place === QUOTED) while (byte !== QUOTE && ++i < bytes.length) byte = bytes[i]!;
      if (i === bytes.length) break;
      if (place === QUOTED) place = QUOTE_ENDED;
      else if (byte === QUOTE) {
        // A quote begins a cell, or doubles the one before it; anywhere else this is no table.
        if (place === PLAIN) this.#isAlive = false;
        place = QUOTED;
        this.#isOpen = true;
      } else if (byte === separator) {
        this.#cells++;
        this.#isOpen = true;
        place = CELL_START;
      } else if (byte === 0x0a) {
        this.#endRecord();
        place = CELL_START;
      } else if (byte !== 0x0d) {
        if (place === QUOTE_ENDED) this.#isAlive = false;
        this.#isOpen = true;
        place = PLAIN;
      }
    }
    this.#place = place;
  }

  /** Empty lines are no records. */
  #endRecord(): void {
    if (this.#isOpen) {
      this.#records++;
      if (this.#cells + 1 !== this.#columns.length) this.#isAlive = false;
    }
    this.#isOpen = false;
    this.#cells = 0;
  }
}

/** Begins with a letter, without spaces around it, and is no sentence. */
const isColumnName = (name: string): boolean =>
  name.length <= NAME_CHARS &&
  /^[\p{L}_#@$%][^\p{Cc}{}[\]<>=]*$/u.test(name) &&
  name.trim() === name &&
  !/[.!?]$/.test(name);
