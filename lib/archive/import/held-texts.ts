// Texts on their way into the search index. A row of a table that has triggers opens a savepoint, for which the index writes
// out what it holds: 0.5 ms for each artifact that came between two texts. So they are held, in one buffer that is used again:
// a copy of its own for each of 48,000 texts took a thirtieth of an import, and outside of the heap.

/** Room for the texts of all sessions that are written at a time. */
const SEARCHED_BYTES = 1024 * 1024;
const SMALL_BYTES = 16 * 1024;

export class HeldTexts {
  #bytes = Buffer.alloc(0);
  #used = 0;
  #rows: { readonly rowId: number; readonly start: number; readonly end: number }[] = [];

  /** Takes a copy; false where there is no room left. */
  add(rowId: number, text: Uint8Array): boolean {
    const end = this.#used + text.length;
    if (end > SEARCHED_BYTES) return false;
    if (end > this.#bytes.length) this.#grow(end);
    this.#bytes.set(text, this.#used);
    this.#rows.push({ rowId, start: this.#used, end });
    this.#used = end;
    return true;
  }

  /** Gives all of them, in the order in which they came, and holds none then. */
  take(each: (rowId: number, text: Uint8Array) => void): void {
    for (const { rowId, start, end } of this.#rows) each(rowId, this.#bytes.subarray(start, end));
    this.#rows = [];
    this.#used = 0;
  }

  #grow(least: number): void {
    const size = Math.min(SEARCHED_BYTES, Math.max(SMALL_BYTES, 2 * least));
    const grown = Buffer.allocUnsafeSlow(size);
    grown.set(this.#bytes.subarray(0, this.#used));
    this.#bytes = grown;
  }
}
