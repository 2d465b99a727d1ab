// Reads a document once and writes its index. It can stop after any number of bytes and go on, and what is in the index
// then is true of what was read: the first rows of 50 MB are there after the first slice. Strangers nest as deep as they
// like: what lies below LEVELS is followed by one byte a level, and has no entries.
import { JsonReader } from "../json-reader.ts";
import { ESCAPE, type JsonSink, type PlacedToken } from "../json-sink.ts";
import { FLAG, JsonIndex, KINDS, LARGE, LEVELS, NONE, POINT_BYTES, type OddityCounters } from "./json-index.ts";
import { KeyStack } from "./key-stack.ts";
import { Oddities } from "./oddities.ts";
import * as tokens from "./token-bytes.ts";

const kindOf = (name: (typeof KINDS)[number]): number => KINDS.indexOf(name);
const [OBJECT, ARRAY, STRING, NUMBER] = [kindOf("object"), kindOf("array"), kindOf("string"), kindOf("number")];
const [DEEP, BROKEN, DOCUMENT] = [kindOf("deep"), kindOf("broken"), kindOf("document")];

export type ScanOptions = {
  /** A value a line; a line that is no JSON is one of its own kind, and the next begins anew. */
  readonly isLines: boolean;
  /** The index, at most. */
  readonly mostBytes: number;
};

export class IndexScan implements JsonSink {
  readonly index: JsonIndex;
  readonly #bytes: Uint8Array;
  readonly #isLines: boolean;
  readonly #keys = new KeyStack();
  readonly #odd: Oddities;
  readonly #reader: JsonReader;
  #at: number;
  /** One past the last token. */
  #readTo = 0;
  #depth = 0;
  #keyAt = NONE;
  /** Of each level: 0 is the document, 1 a value in it. */
  readonly #kinds = new Uint8Array(LEVELS + 2);
  readonly #start = new Uint32Array(LEVELS + 2);
  readonly #keyOf = new Uint32Array(LEVELS + 2);
  readonly #ordinal = new Uint32Array(LEVELS + 2);
  readonly #count = new Uint32Array(LEVELS + 2);
  readonly #lines = new Uint32Array(LEVELS + 2);
  readonly #entry = new Uint32Array(LEVELS + 2);
  readonly #pointAt = new Uint32Array(LEVELS + 2);
  /** As things were before the line that is being read. */
  #line: { at: number; entries: number; points: number; count: number; lines: number; counters: OddityCounters };

  constructor(bytes: Uint8Array, { isLines, mostBytes }: ScanOptions) {
    this.#bytes = bytes;
    this.#isLines = isLines;
    this.index = new JsonIndex(mostBytes);
    this.#odd = new Oddities(bytes, this.index);
    this.index.addEntry(DOCUMENT, 0, NONE, 0, NONE);
    this.#reader = new JsonReader(this, isLines);
    this.#at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    this.#reader.reset(this.#at);
    this.#line = { at: this.#at, entries: 1, points: 0, count: 0, lines: 0, counters: { ...this.index.counters } };
  }

  /** Reads on, about so many bytes; true when there is no more to read. */
  run(mostBytes: number): boolean {
    if (this.index.isWhole) return true;
    const until = Math.min(this.#bytes.length, this.#at + mostBytes);
    while (!this.index.isWhole && this.#at < until) {
      if (this.#isLines) this.#lineUpTo(until);
      else this.#read(until);
    }
    if (!this.index.isWhole && this.#at >= this.#bytes.length) this.#atEnd();
    this.#tellOpen();
    return this.index.isWhole;
  }

  /** False when it breaks. */
  #read(to: number): boolean {
    this.#reader.add(this.#bytes, this.#at, to);
    this.#at = to;
    const { failedAt } = this.#reader;
    if (failedAt !== null) this.#broke(failedAt);
    return failedAt === null;
  }

  #lineUpTo(until: number): void {
    const newline = this.#bytes.indexOf(tokens.NEWLINE, this.#at);
    const end = newline < 0 ? this.#bytes.length : newline;
    if (this.#read(Math.min(end, until))) {
      if (this.#at < end) return;
      // In lines a second value has no position.
      const { roots, rootEnd } = this.#reader;
      const next = roots === 0 ? end : tokens.afterSpace(this.#bytes, rootEnd, end);
      if (next < end || !this.#reader.end()) this.#broke(next);
    }
    if (newline < 0) return;
    this.#at = end + 1;
    this.#beginLine();
  }

  key(token: PlacedToken): void {
    const { at, length, marks } = token;
    this.#keyAt = at - 1;
    this.#readTo = at + length + 1;
    if (this.#depth > LEVELS) return;
    this.#odd.ofString(token);
    this.#keys.push(tokens.hashKey(this.#bytes, at, at + length, (marks & ESCAPE) !== 0));
  }

  string(token: PlacedToken): void {
    const { at, length } = token;
    this.#scalar(STRING, at - 1, at + length + 1, this.#depth > LEVELS ? 0 : this.#odd.ofString(token));
  }

  number({ at, length }: PlacedToken): void {
    this.#scalar(NUMBER, at, at + length, this.#depth > LEVELS ? 0 : this.#odd.ofNumber(at, at + length));
  }

  word(text: string, to: number): void {
    this.#scalar(NUMBER, to - text.length, to, 0);
  }

  begin(isArray: boolean, at: number): void {
    const parent = this.#depth;
    const depth = ++this.#depth;
    this.#readTo = at + 1;
    if (depth <= LEVELS + 1) {
      this.#kinds[depth] = isArray ? ARRAY : OBJECT;
      this.#start[depth] = at;
      this.#keyOf[depth] = this.#kinds[parent] === OBJECT && parent > 0 ? this.#keyAt : NONE;
      this.#ordinal[depth] = this.#count[parent]!;
      this.#count[depth] = 0;
      this.#lines[depth] = 0;
      this.#entry[depth] = NONE;
      this.#pointAt[depth] = at;
      if (!isArray && depth <= LEVELS) this.#keys.open();
    }
  }

  end(end: number): void {
    const { index } = this;
    const depth = this.#depth--;
    this.#readTo = end;
    if (depth > LEVELS + 1) return;
    const start = this.#start[depth]!;
    if (depth === LEVELS + 1) {
      if (end - start >= LARGE) this.#large(LEVELS, DEEP, start, end, this.#keyOf[depth]!);
      return this.#add(LEVELS, end, 1);
    }
    const lines = this.#count[depth] === 0 ? 1 : this.#lines[depth]! + 2;
    const same = this.#kinds[depth] === OBJECT ? this.#keys.close() : null;
    if (same !== null) index.counters.sameKey++;
    if (this.#entry[depth] === NONE && end - start >= LARGE) this.#enter(depth);
    const entry = this.#entry[depth]!;
    if (entry !== NONE) {
      index.end[entry] = end;
      index.count[entry] = this.#count[depth]!;
      index.lines[entry] = lines;
      if (same !== null) {
        index.flags[entry]! |= FLAG.sameKey;
        index.sameKeys.set(entry, same);
      }
    }
    this.#add(depth - 1, end, lines);
  }

  #scalar(kind: number, start: number, end: number, flags: number): void {
    this.#readTo = end;
    if (this.#depth > LEVELS) return;
    if (end - start >= LARGE) {
      const key = this.#depth > 0 && this.#kinds[this.#depth] === OBJECT ? this.#keyAt : NONE;
      const entry = this.#large(this.#depth, kind, start, end, key);
      this.index.flags[entry] = flags;
      this.index.count[entry] = kind === STRING ? tokens.countChars(this.#bytes, start + 1, end - 1) : end - start;
    }
    this.#add(this.#depth, end, 1);
  }

  /** A value is whole: its container has one more. */
  #add(depth: number, end: number, lines: number): void {
    this.#count[depth]!++;
    this.#lines[depth]! += lines;
    if (depth > 0 && this.#entry[depth] === NONE && end - this.#start[depth]! >= LARGE) this.#enter(depth);
    // In lines what follows on the line may still make it none.
    if (end - this.#pointAt[depth]! < POINT_BYTES || (depth === 0 && this.#isLines)) return;
    this.#pointAt[depth] = end;
    this.index.addPoint(this.#entry[depth]!, end, this.#count[depth]!, this.#lines[depth]!);
  }

  /** Gives the open container of a level its entry, after those around it: entries stand in the order of their starts. */
  #enter(depth: number): void {
    let first = depth;
    while (first > 0 && this.#entry[first] === NONE) first--;
    for (let level = first + 1; level <= depth; level++) {
      const parent = this.#entry[level - 1]!;
      const [start, ordinal, key] = [this.#start[level]!, this.#ordinal[level]!, this.#keyOf[level]!];
      this.#entry[level] = this.index.addEntry(this.#kinds[level]!, start, parent, ordinal, key);
    }
  }

  #large(depth: number, kind: number, start: number, end: number, keyAt: number): number {
    if (this.#entry[depth] === NONE) this.#enter(depth);
    const entry = this.index.addEntry(kind, start, this.#entry[depth]!, this.#count[depth]!, keyAt);
    this.index.end[entry] = end;
    return entry;
  }

  #beginLine(): void {
    const [count, lines] = [this.#count[0]!, this.#lines[0]!];
    // The line before is settled now.
    if (this.#at - this.#pointAt[0]! >= POINT_BYTES) {
      this.#pointAt[0] = this.#at;
      this.index.addPoint(0, this.#at, count, lines);
    }
    const { entries, points, counters } = this.index;
    this.#line = { at: this.#at, entries, points, count, lines, counters: { ...counters } };
    this.#reader.reset(this.#at);
  }

  /** There is no JSON from here on; in lines up to the end of the line. */
  #broke(at: number): void {
    const { index } = this;
    index.brokenAt ??= at;
    // What could not be read is no child of anything.
    if (!this.#isLines) return this.#finish(this.#readTo, true);
    const newline = this.#bytes.indexOf(tokens.NEWLINE, at);
    const end = newline < 0 ? this.#bytes.length : newline;
    // What was read of the line is taken back, and what stands in it is one child.
    this.#count[0] = this.#line.count;
    this.#lines[0] = this.#line.lines;
    index.forget(this.#line.entries, this.#line.points);
    index.counters = { ...this.#line.counters, brokenLines: this.#line.counters.brokenLines + 1 };
    index.flags[0]! |= FLAG.cutOff;
    this.#keys.clear();
    this.#depth = 0;
    const start = tokens.afterSpace(this.#bytes, this.#line.at, end);
    if (end - start >= LARGE) this.#large(0, BROKEN, start, trimmed(this.#bytes, start, end), NONE);
    this.#add(0, end, 1);
    this.#at = this.#readTo = end;
  }

  #atEnd(): void {
    const size = this.#bytes.length;
    if (!this.#isLines && !this.#reader.end()) this.#broke(size);
    else this.#finish(size, false);
  }

  #finish(end: number, isBroken: boolean): void {
    const { index } = this;
    const last = Math.min(this.#depth, LEVELS);
    for (let depth = last; depth > 0; depth--) {
      const lines = this.#count[depth] === 0 ? 1 : this.#lines[depth]! + 2;
      if (this.#entry[depth] === NONE) this.#enter(depth);
      const entry = this.#entry[depth]!;
      index.end[entry] = end;
      index.count[entry] = this.#count[depth]!;
      index.lines[entry] = lines;
      index.flags[entry]! |= FLAG.cutOff;
      this.#count[depth - 1]!++;
      this.#lines[depth - 1]! += lines;
    }
    if (isBroken) index.flags[0]! |= FLAG.cutOff;
    this.#depth = 0;
    index.end[0] = isBroken ? end : this.#bytes.length;
    if (this.#keys.isFull) index.isTallied = false;
    index.isWhole = true;
    this.#at = this.#readTo = this.#bytes.length;
    this.#keys.clear();
  }

  /** What is known of the containers that are still open. */
  #tellOpen(): void {
    const { index } = this;
    index.readTo = this.#readTo;
    for (let depth = 0; depth <= Math.min(this.#depth, LEVELS); depth++) {
      const entry = this.#entry[depth]!;
      if (entry === NONE) continue;
      index.count[entry] = this.#count[depth]!;
      index.lines[entry] = this.#lines[depth]! + (depth === 0 ? 0 : 2);
    }
  }
}

function trimmed(bytes: Uint8Array, start: number, end: number): number {
  let to = end;
  while (to > start && tokens.isSpace(bytes[to - 1])) to--;
  return to;
}
