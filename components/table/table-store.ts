// The cells of a table, by column, each as the text that was written. Pure; it lives in the worker.
import { LIMITS } from "#lib/kernel/limits.ts";

export const KIND = { missing: 0, text: 1, number: 2, boolean: 3, null: 4, nested: 5, broken: 6 } as const;
export type Kind = (typeof KIND)[keyof typeof KIND];

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/u;

export const isNumeric = (text: string): boolean => {
  const first = text.charCodeAt(0);
  // Most texts are told by their first character.
  if (!(first >= 48 && first <= 57) && first !== 45 && first !== 43 && first !== 46) return false;
  return NUMBER.test(text);
};

export class Column {
  readonly name: string;
  texts: string[] = [];
  #kinds = new Uint8Array(1024);
  /** Cells of each kind. */
  readonly counts: number[] = [0, 0, 0, 0, 0, 0, 0];
  #numbers: Float64Array | null = null;

  constructor(name: string) {
    this.name = name;
  }

  /** Rows come in order; what lies between has no cell. False when the row has one already, which is replaced. */
  set(row: number, text: string, kind: Kind): boolean {
    if (row >= this.#kinds.length) {
      const larger = new Uint8Array(Math.max(row + 1, this.#kinds.length * 2));
      larger.set(this.#kinds);
      this.#kinds = larger;
    }
    this.#numbers = null;
    if (row < this.texts.length) {
      const was = this.#kinds[row] ?? KIND.missing;
      this.counts[was] = (this.counts[was] ?? 0) - 1;
      this.counts[kind] = (this.counts[kind] ?? 0) + 1;
      this.texts[row] = text;
      this.#kinds[row] = kind;
      return false;
    }
    while (this.texts.length < row) this.texts.push("");
    this.texts.push(text);
    this.#kinds[row] = kind;
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    return true;
  }

  kindAt(row: number): Kind {
    return row < this.texts.length ? (this.#kinds[row] as Kind) : KIND.missing;
  }

  /** Its numbers by row; NaN for anything else. */
  numbers(): Float64Array {
    if (this.#numbers) return this.#numbers;
    const numbers = new Float64Array(this.texts.length).fill(Number.NaN);
    if ((this.counts[KIND.number] ?? 0) > 0)
      for (let row = 0; row < numbers.length; row++)
        if (this.#kinds[row] === KIND.number) numbers[row] = Number(this.texts[row]);
    this.#numbers = numbers;
    return numbers;
  }
}

/** Why reading stopped before the end. */
export type Cap = "rows" | "cells" | "bytes" | null;

/** 4 MB each for a million rows. */
const KEPT_RANKS = 4;

type Ranks = { readonly of: Uint32Array; readonly count: number };

export class TableStore {
  readonly columns: Column[] = [];
  rows = 0;
  cap: Cap = null;
  /** Keys that no column was left for, and rows that said a key twice. */
  readonly leftOut = new Set<string>();
  twice = 0;
  #byName = new Map<string, Column>();
  #ranks = new Map<Column, Ranks>();
  #cells = 0;
  #isTwice = false;

  /** Of a column, when all is read. The last few are kept: a second press, or another filter, only counts. */
  ranks(column: Column, make: (column: Column, rows: number) => Ranks): Ranks {
    const known = this.#ranks.get(column);
    this.#ranks.delete(column);
    const ranks = known !== undefined && known.of.length === this.rows ? known : make(column, this.rows);
    this.#ranks.set(column, ranks);
    for (const oldest of this.#ranks.keys()) if (this.#ranks.size > KEPT_RANKS) this.#ranks.delete(oldest);
    return ranks;
  }

  /** Null when there are too many columns already. */
  column(name: string): Column | null {
    const known = this.#byName.get(name);
    if (known) return known;
    if (this.columns.length >= LIMITS.tableColumns) {
      // A number to say, not a list of them.
      if (this.leftOut.size < 10_000) this.leftOut.add(name);
      return null;
    }
    const column = new Column(name);
    this.columns.push(column);
    this.#byName.set(name, column);
    return column;
  }

  set(column: Column, text: string, kind: Kind): void {
    const before = column.texts.length;
    if (!column.set(this.rows, text, kind)) this.#isTwice = true;
    this.#cells += column.texts.length - before;
  }

  /** Ends the row that was being filled. False when no more fit. */
  endRow(): boolean {
    this.rows++;
    if (this.#isTwice) this.twice++;
    this.#isTwice = false;
    if (this.rows >= LIMITS.tableRows) this.cap = "rows";
    else if (this.#cells >= LIMITS.tableCells) this.cap = "cells";
    return this.cap === null;
  }
}

/** Heads that stand there twice are told apart by a number; one without a name by its position. */
export function uniqueNames(heads: readonly string[]): string[] {
  const taken = new Set<string>();
  return heads.map((head, at) => {
    const name = head.trim() === "" ? `column ${at + 1}` : head;
    let unique = name;
    for (let n = 2; taken.has(unique); n++) unique = `${name} (${n})`;
    taken.add(unique);
    return unique;
  });
}
