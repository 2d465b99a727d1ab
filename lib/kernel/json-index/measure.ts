// A small value read again: where it ends, how many children and lines it has. Checks all of it, since a line of a
// stream may be no JSON.
import { JsonReader } from "../json-reader.ts";
import type { JsonSink } from "../json-sink.ts";
import { LEVELS } from "./json-index.ts";

export type Extent = { end: number; count: number; lines: number };

class Counts implements JsonSink {
  /** Of the value that is being read, among those of the document. */
  depth = 0;
  count = 0;
  lines = 0;
  #open = 0;
  #isArray = false;
  /** Nothing came since the bracket that is open innermost. */
  #isEmpty = false;

  start(depth: number): void {
    this.depth = depth;
    this.#open = this.count = this.lines = 0;
  }

  begin(isArray: boolean): void {
    this.#item();
    if (++this.#open === 1) this.#isArray = isArray;
    this.#isEmpty = true;
  }

  end(): void {
    const level = this.depth + --this.#open;
    // A container takes a line where it begins and one where it ends; an empty one takes one, and so does a deep one.
    if (level <= LEVELS) this.lines += this.#isEmpty ? 1 : 2;
    else if (level === LEVELS + 1) this.lines++;
    this.#isEmpty = false;
  }

  key(): void {
    if (this.#open === 1) this.count++;
  }

  string(): void {
    this.#item();
    if (this.depth + this.#open <= LEVELS + 1) this.lines++;
  }

  number(): void {
    this.string();
  }

  word(): void {
    this.string();
  }

  #item(): void {
    if (this.#open === 1 && this.#isArray) this.count++;
    this.#isEmpty = false;
  }
}

const counts = new Counts();
const reader = new JsonReader(counts, true);

/**
 * Reads the value at a byte into `extent`; false when none that is whole stands there before `limit`. `depth` is that of
 * the value: containers below LEVELS are one line. `isLines`: it may not go on in the next line.
 */
export function measure(
  bytes: Uint8Array,
  at: number,
  limit: number,
  { depth, isLines }: { readonly depth: number; readonly isLines: boolean },
  extent: Extent,
): boolean {
  counts.start(depth);
  reader.reset(at);
  const { lineEnds } = reader;
  reader.add(bytes, at, limit);
  if (!reader.end() || reader.roots === 0 || (isLines && reader.lineEnds > lineEnds)) return false;
  extent.end = reader.rootEnd;
  extent.count = counts.count;
  extent.lines = counts.lines;
  return true;
}
