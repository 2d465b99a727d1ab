// JSON values one after the other (RFC 8259), from bytes in pieces of any size, without recursion and without keeping more
// of a string than its first bytes. Tells a sink what it meets, and stops at what is no JSON.
import { BOOLEAN, NULL } from "./place.ts";
import type { Sink } from "./tree.ts";

/** Bytes of a string or a number that are kept; of longer ones only the length is known besides. */
export const KEPT_BYTES = 1024;
/** Levels of nesting that are read (2 MB of bits). */
const MOST_LEVELS = 1 << 24;

const ROOT = 0;
const VALUE = 1;
const FIRST_ITEM = 2;
const FIRST_KEY = 3;
const KEY = 4;
const COLON = 5;
const AFTER = 6;
const IN_STRING = 7;
const ESCAPE = 8;
const HEX = 9;
const IN_NUMBER = 10;
const IN_WORD = 11;
const FAILED = 12;

/** Bytes inside a string that are not passed over: the quote, the backslash, control characters. */
const STOPS = new Uint8Array(256);
STOPS.fill(1, 0, 0x20);
STOPS[0x22] = STOPS[0x5c] = 1;
/** Bytes that a number or a word goes on with. */
const NUMBER_BYTES = new Uint8Array(256);
for (const char of "0123456789+-.eE") NUMBER_BYTES[char.charCodeAt(0)] = 1;
const isLetter = (byte: number): boolean => byte >= 0x61 && byte <= 0x7a;
const isHex = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
const ESCAPES: ReadonlySet<number> = new Set(Array.from('"\\/bfnrt', (char) => char.charCodeAt(0)));
const NUMBER_TEXT = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
/** A number with more digits than are kept is one when it begins as one. */
const NUMBER_START = /^-?(?:0(?![0-9])|[1-9])[0-9.eE+-]*$/;

type OpenToken = { bytes: Uint8Array; from: number; to: number; length: number; hasEscape: boolean };

export class JsonReader {
  readonly #sink: Sink;
  /** Values that have ended. */
  roots = 0;
  /** The byte that cannot stand where it stands, of all that came; null while all is well. */
  failedAt: number | null = null;
  #readBytes = 0;
  #state = ROOT;
  #depth = 0;
  /** One bit a level: 1 for an array. */
  #levels = new Uint8Array(64);
  #isKey = false;
  #hexLeft = 0;
  /** The token that is being read, as far as it lay in earlier pieces. */
  readonly #kept = new Uint8Array(KEPT_BYTES);
  #keptLength = 0;
  readonly #token: OpenToken = { bytes: new Uint8Array(0), from: 0, to: 0, length: 0, hasEscape: false };

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Ready for another text; what the sink was told stays told. */
  reset(): void {
    this.roots = 0;
    this.failedAt = null;
    this.#readBytes = 0;
    this.#state = ROOT;
    this.#depth = 0;
    this.#keptLength = 0;
  }

  /** Ends the containers that are open, so that what was read of them is told. */
  closeAll(): void {
    for (; this.#depth > 0; this.#depth--) this.#sink.end();
  }

  /** True when the text may end here: values, and nothing half read. */
  end(): boolean {
    if (this.#state === IN_NUMBER || this.#state === IN_WORD)
      this.#state = this.#endScalar(new Uint8Array(0), 0, 0, this.#readBytes);
    const isWhole = this.#state === ROOT;
    if (!isWhole) this.failedAt ??= this.#readBytes;
    return isWhole;
  }

  add(bytes: Uint8Array, first = 0, length: number = bytes.length): void {
    let state = this.#state;
    let from = first;
    let i = first;
    for (; i < length && state !== FAILED; i++) {
      let byte = bytes[i]!;
      if (state === IN_STRING) {
        while (STOPS[byte] === 0 && ++i < length) byte = bytes[i]!;
        if (i === length) break;
        if (byte === 0x5c) {
          this.#token.hasEscape = true;
          state = ESCAPE;
        } else if (byte === 0x22) {
          this.#takeToken(bytes, from, i);
          if (this.#isKey) this.#sink.key(this.#token);
          else this.#sink.string(this.#token);
          state = this.#isKey ? COLON : this.#after();
        } else state = FAILED;
        continue;
      }
      if (state === IN_NUMBER || state === IN_WORD) {
        if (state === IN_NUMBER) while (NUMBER_BYTES[byte] === 1 && ++i < length) byte = bytes[i]!;
        else while (isLetter(byte) && ++i < length) byte = bytes[i]!;
        if (i === length) break;
        this.#state = state;
        state = this.#endScalar(bytes, from, i, this.#readBytes + i - first);
        if (state === FAILED) continue;
      }
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
        if (state === ESCAPE || state === HEX) state = FAILED;
        continue;
      }
      switch (state) {
        case AFTER:
          if (byte === 0x2c) state = this.#isInArray() ? VALUE : KEY;
          else state = byte === 0x5d || byte === 0x7d ? this.#close(byte === 0x5d) : FAILED;
          break;
        case COLON:
          state = byte === 0x3a ? VALUE : FAILED;
          break;
        case FIRST_KEY:
        case KEY:
          if (byte === 0x22) {
            this.#isKey = true;
            state = this.#beginToken(IN_STRING);
            from = i + 1;
          } else state = byte === 0x7d && state === FIRST_KEY ? this.#close(false) : FAILED;
          break;
        case ROOT:
        case VALUE:
        case FIRST_ITEM:
          if (byte === 0x22) {
            this.#isKey = false;
            state = this.#beginToken(IN_STRING);
            from = i + 1;
          } else if (byte === 0x7b || byte === 0x5b) state = this.#begin(byte === 0x5b);
          else if (byte === 0x5d && state === FIRST_ITEM) state = this.#close(true);
          else {
            from = i;
            const isNumber = byte === 0x2d || (byte >= 0x30 && byte <= 0x39);
            state = isNumber ? this.#beginToken(IN_NUMBER) : isLetter(byte) ? this.#beginToken(IN_WORD) : FAILED;
          }
          break;
        case ESCAPE:
          this.#hexLeft = 4;
          state = byte === 0x75 ? HEX : ESCAPES.has(byte) ? IN_STRING : FAILED;
          break;
        case HEX:
          if (!isHex(byte)) state = FAILED;
          else if (--this.#hexLeft === 0) state = IN_STRING;
          break;
      }
    }
    if (state === FAILED) this.failedAt ??= this.#readBytes + Math.max(0, Math.min(i, length) - first - 1);
    else if (state >= IN_STRING) this.#keep(bytes, from, length);
    this.#readBytes += length - first;
    this.#state = state;
  }

  #beginToken(state: number): number {
    this.#keptLength = 0;
    this.#token.hasEscape = false;
    return state;
  }

  #keep(bytes: Uint8Array, from: number, to: number): void {
    const room = KEPT_BYTES - this.#keptLength;
    if (room > 0) this.#kept.set(bytes.subarray(from, Math.min(to, from + room)), this.#keptLength);
    this.#keptLength += to - from;
  }

  #takeToken(bytes: Uint8Array, from: number, to: number): void {
    const token = this.#token;
    if (this.#keptLength === 0) {
      token.bytes = bytes;
      token.from = from;
      token.to = Math.min(to, from + KEPT_BYTES);
      token.length = to - from;
      return;
    }
    this.#keep(bytes, from, to);
    token.bytes = this.#kept;
    token.from = 0;
    token.to = Math.min(this.#keptLength, KEPT_BYTES);
    token.length = this.#keptLength;
  }

  /** A number or a word ends before `to`, which is `end` bytes into the text. */
  #endScalar(bytes: Uint8Array, from: number, to: number, end: number): number {
    this.#takeToken(bytes, from, to);
    const token = this.#token;
    const isNumeric = this.#state === IN_NUMBER;
    const text = isNumeric || token.length > 5 ? "" : latin(token);
    if (isNumeric ? !isNumber(token) : text !== "null" && text !== "true" && text !== "false") {
      this.failedAt = end - token.length;
      return FAILED;
    }
    if (isNumeric) this.#sink.number(token);
    else this.#sink.word(text === "null" ? NULL : BOOLEAN, text);
    return this.#after();
  }

  #after(): number {
    if (this.#depth > 0) return AFTER;
    this.roots++;
    return ROOT;
  }

  #begin(isArray: boolean): number {
    const level = this.#depth;
    if (level === MOST_LEVELS) return FAILED;
    if (level >> 3 === this.#levels.length) {
      const more = new Uint8Array(this.#levels.length * 2);
      more.set(this.#levels);
      this.#levels = more;
    }
    const bit = 1 << (level & 7);
    if (isArray) this.#levels[level >> 3]! |= bit;
    else this.#levels[level >> 3]! &= ~bit;
    this.#sink.begin(isArray);
    this.#depth = level + 1;
    return isArray ? FIRST_ITEM : FIRST_KEY;
  }

  #close(isArray: boolean): number {
    if (this.#isInArray() !== isArray) return FAILED;
    this.#sink.end();
    this.#depth--;
    return this.#after();
  }

  #isInArray(): boolean {
    const level = this.#depth - 1;
    return (this.#levels[level >> 3]! & (1 << (level & 7))) !== 0;
  }
}

type Range = { readonly bytes: Uint8Array; readonly from: number; readonly to: number; readonly length: number };

const latin = ({ bytes, from, to }: Range): string => String.fromCharCode(...bytes.subarray(from, to));

/** Plain whole numbers, which most are, without making a string of them. */
function isNumber(token: Range): boolean {
  const { bytes, from, to, length } = token;
  if (length > KEPT_BYTES) return NUMBER_START.test(latin(token));
  const first = bytes[from];
  if (first === 0x30 || first === 0x2d) return NUMBER_TEXT.test(latin(token));
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    if (byte < 0x30 || byte > 0x39) return NUMBER_TEXT.test(latin(token));
  }
  return to > from;
}
