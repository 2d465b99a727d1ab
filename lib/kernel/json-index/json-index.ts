// Where the values of a JSON document stand, so that any of them is reached by reading few bytes. Only values of 1 KB and
// more have an entry (a small one is read again in microseconds), and every 16 KB inside one there is a point from which
// reading can begin: 50 MB of records take some 100 KB, brackets in brackets at most what `mostBytes` allows.
import { fail } from "../errors.ts";
import { LEVELS } from "../json-text.ts";

export { LEVELS };

/** No such entry, point or position; the end of what is still being read. */
export const NONE = 0xffffffff;
/** A value of this size has an entry (bytes). */
export const LARGE = 1024;
/** Reading a container from a point passes at most so many bytes, and one value (bytes). */
export const POINT_BYTES = 16 * 1024;

/** `document`: what holds the values of a stream. `deep`: a container below LEVELS. `broken`: a line that is not JSON. */
export const KINDS = [
  "document",
  "object",
  "array",
  "string",
  "number",
  "true",
  "false",
  "null",
  "deep",
  "broken",
] as const;
export type Kind = (typeof KINDS)[number];

export const FLAG = { sameKey: 1, notUtf8: 2, loneSurrogate: 4, inexact: 8, cutOff: 16 } as const;

/** How often something was met that a reader must know of. */
export type OddityCounters = {
  sameKey: number;
  notUtf8: number;
  loneSurrogate: number;
  inexact: number;
  brokenLines: number;
};

const BYTES_OF_ENTRY = 8 * 4 + 2;
const BYTES_OF_POINT = 4 * 4;

export class JsonIndex {
  entries = 0;
  start = new Uint32Array(64);
  /** One past its last byte; NONE while it is being read. */
  end = new Uint32Array(64);
  parent = new Uint32Array(64);
  /** Which child of its parent it is, from 0. */
  ordinal = new Uint32Array(64);
  /** Where its key stands, or NONE. */
  keyAt = new Uint32Array(64);
  /** Children; of a string characters. */
  count = new Uint32Array(64);
  /** Lines when it is laid out. */
  lines = new Uint32Array(64);
  lastPoint = new Uint32Array(64);
  kind = new Uint8Array(64);
  flags = new Uint8Array(64);

  points = 0;
  pointAt = new Uint32Array(64);
  pointOrdinal = new Uint32Array(64);
  pointLine = new Uint32Array(64);
  /** The point before it in the same container. */
  pointBefore = new Uint32Array(64);

  /** Keys that stand twice in an entry, by their hashes. */
  readonly sameKeys = new Map<number, ReadonlySet<number>>();
  counters: OddityCounters = { sameKey: 0, notUtf8: 0, loneSurrogate: 0, inexact: 0, brokenLines: 0 };
  /** False when so much was odd that the rest was not looked at for it. */
  isTallied = true;
  /** How far it has been read. */
  readTo = 0;
  isWhole = false;
  /** Where a document stops being JSON, or the first line that is none. */
  brokenAt: number | null = null;
  readonly #mostBytes: number;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get sizeBytes(): number {
    return this.start.length * BYTES_OF_ENTRY + this.pointAt.length * BYTES_OF_POINT;
  }

  /** The entry that begins at a byte, or NONE. */
  entryAt(at: number): number {
    const entry = this.entryBefore(at);
    // The document itself begins where its first value may.
    return entry > 0 && this.start[entry] === at ? entry : NONE;
  }

  /** The last entry that begins at a byte or before it. */
  entryBefore(at: number): number {
    return lastUpTo(this.start, this.entries, at);
  }

  /** The last point at a byte or before it, of whatever container; NONE when there is none. */
  pointBeforeByte(at: number): number {
    return lastUpTo(this.pointAt, this.points, at);
  }

  addEntry(kind: number, start: number, parent: number, ordinal: number, keyAt: number): number {
    if (this.entries === this.start.length) this.#growEntries();
    const entry = this.entries++;
    this.kind[entry] = kind;
    this.flags[entry] = 0;
    this.start[entry] = start;
    this.end[entry] = NONE;
    this.parent[entry] = parent;
    this.ordinal[entry] = ordinal;
    this.keyAt[entry] = keyAt;
    this.count[entry] = 0;
    this.lines[entry] = 1;
    this.lastPoint[entry] = NONE;
    return entry;
  }

  addPoint(entry: number, at: number, ordinal: number, line: number): void {
    if (this.points === this.pointAt.length) this.#growPoints();
    const point = this.points++;
    this.pointAt[point] = at;
    this.pointOrdinal[point] = ordinal;
    this.pointLine[point] = line;
    this.pointBefore[point] = this.lastPoint[entry]!;
    this.lastPoint[entry] = point;
  }

  /** Forgets what was added after a moment. */
  forget(entries: number, points: number): void {
    for (let entry = entries; entry < this.entries; entry++) this.sameKeys.delete(entry);
    this.entries = entries;
    this.points = points;
  }

  #growEntries(): void {
    this.#check(this.start.length * BYTES_OF_ENTRY);
    this.start = twice(this.start);
    this.end = twice(this.end);
    this.parent = twice(this.parent);
    this.ordinal = twice(this.ordinal);
    this.keyAt = twice(this.keyAt);
    this.count = twice(this.count);
    this.lines = twice(this.lines);
    this.lastPoint = twice(this.lastPoint);
    this.kind = twiceBytes(this.kind);
    this.flags = twiceBytes(this.flags);
  }

  #growPoints(): void {
    this.#check(this.pointAt.length * BYTES_OF_POINT);
    this.pointAt = twice(this.pointAt);
    this.pointOrdinal = twice(this.pointOrdinal);
    this.pointLine = twice(this.pointLine);
    this.pointBefore = twice(this.pointBefore);
  }

  #check(more: number): void {
    if (this.sizeBytes + more > this.#mostBytes)
      fail(
        "too_large",
        `Its values are nested too deeply: the index exceeds ${Math.round(this.#mostBytes / 1e6)} MB. Open it as lines, or download it.`,
      );
  }
}

function twice(cells: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(cells.length * 2);
  larger.set(cells);
  return larger;
}

function twiceBytes(cells: Uint8Array): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(cells.length * 2);
  larger.set(cells);
  return larger;
}

/** The last of the first `length` ascending cells that is not over `value`, or NONE. */
function lastUpTo(cells: Uint32Array, length: number, value: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (cells[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? NONE : low - 1;
}
