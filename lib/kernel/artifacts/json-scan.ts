// Is this stream one JSON document, or JSON lines? A validating reader over bytes (RFC 8259), in pieces, without
// recursion: what lies inside what is one bit a level. UTF-8 is checked elsewhere (text-scan.ts).
import { JsonShape, KEY_BYTES } from "./json-shape.ts";
import { BOOLEAN, NULL, NUMBER, STRING } from "./shape-tally.ts";
import type { Kind, Shape } from "./shape-tally.ts";

/** Levels of nesting that are followed (2 MB of bits); what is nested deeper is text to us. */
const MOST_LEVELS = 1 << 24;

// What may come next. Numbers take one state a part, and stand last.
const START = 0;
const ROOT = 1;
const VALUE = 2;
const FIRST_ITEM = 3;
const FIRST_KEY = 4;
const KEY = 5;
const COLON = 6;
const AFTER = 7;
const IN_STRING = 8;
const ESCAPE = 9;
const HEX = 10;
const WORD = 11;
const BOM = 12;
const FAILED = 13;
const MINUS = 14;
const ZERO = 15;
const DIGITS = 16;
const POINT = 17;
const FRACTION = 18;
const EXPONENT = 19;
const SIGN = 20;
const POWER = 21;

/** Bytes inside a string that are not simply passed over: the quote, the backslash, control characters. */
const STOPS = new Uint8Array(256);
STOPS.fill(1, 0, 0x20);
STOPS[0x22] = 1;
STOPS[0x5c] = 1;

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;
const isHex = (byte: number): boolean => isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
const bytesOf = (text: string): readonly number[] => Array.from(text, (char) => char.charCodeAt(0));
/** What may follow a backslash, beside u. */
const ESCAPES: ReadonlySet<number> = new Set(bytesOf('"\\/bfnrt'));
const [TRUE, FALSE, NIL] = [bytesOf("true"), bytesOf("false"), bytesOf("null")];
const MARK = [0xef, 0xbb, 0xbf];
/** The u and four digits: only their number counts. */
const FOUR_HEX = bytesOf("uXXXX");

export class JsonScan {
  readonly #shape = new JsonShape();
  #state = START;
  #depth = 0;
  /** One bit a level: 1 for an array. */
  #levels = new Uint8Array(64);
  /** A line end has come inside a document / behind the last one. */
  #spansLines = false;
  #lineEnded = true;
  /** What is left of true, false, null, of a byte order mark, or of four hex digits. */
  #word: readonly number[] = [];
  #wordAt = 0;
  #afterString = AFTER;
  /** The string is a key that the shape counts: its bytes are kept where a piece ends inside it. */
  #isKey = false;
  readonly #key = new Uint8Array(KEY_BYTES);
  #keyLength = 0;
  #keyHasEscape = false;

  /** False as soon as the bytes can be neither. */
  get isAlive(): boolean {
    return this.#state !== FAILED;
  }

  /** What the stream was, when it has ended. */
  end(): { readonly isLines: boolean; readonly shape: Shape } | null {
    if (this.#state !== ROOT || this.#shape.roots === 0) return null;
    const isLines = this.#shape.roots > 1;
    return { isLines, shape: isLines ? this.#shape.lines() : this.#shape.document() };
  }

  add(bytes: Uint8Array): void {
    const length = bytes.length;
    let state = this.#state;
    let keyFrom = 0;
    for (let i = 0; i < length && state !== FAILED; i++) {
      let byte = bytes[i]!;
      if (state >= MINUS) {
        state = inNumber(state, byte);
        if (state !== AFTER) continue;
      }
      switch (state) {
        case IN_STRING:
          while (STOPS[byte] === 0 && ++i < length) byte = bytes[i]!;
          if (i === length) break;
          if (byte !== 0x22) {
            state = byte === 0x5c ? ESCAPE : FAILED;
            break;
          }
          if (this.#isKey) this.#endKey(bytes, keyFrom, i);
          state = this.#afterString;
          break;
        case AFTER:
          if (byte === 0x2c) state = this.#isInArray() ? VALUE : KEY;
          else if (byte === 0x5d || byte === 0x7d) state = this.#close(byte === 0x5d);
          else if (!this.#isSpace(byte)) state = FAILED;
          break;
        case COLON:
          if (byte === 0x3a) state = VALUE;
          else if (!this.#isSpace(byte)) state = FAILED;
          break;
        case FIRST_KEY:
        case KEY:
          if (byte === 0x22) {
            state = IN_STRING;
            this.#afterString = COLON;
            this.#isKey = this.#shape.wantsKeys(this.#depth);
            this.#keyHasEscape = false;
            this.#keyLength = 0;
            keyFrom = i + 1;
          } else if (byte === 0x7d && state === FIRST_KEY) state = this.#close(false);
          else if (!this.#isSpace(byte)) state = FAILED;
          break;
        case VALUE:
        case FIRST_ITEM:
          if (byte === 0x22) {
            this.#shape.scalar(this.#depth, STRING);
            this.#afterString = AFTER;
            state = IN_STRING;
          } else if (byte === 0x7b || byte === 0x5b) state = this.#begin(byte === 0x5b);
          else if (byte === 0x5d && state === FIRST_ITEM) state = this.#close(true);
          else if (!this.#isSpace(byte)) state = this.#beginScalar(byte);
          break;
        case START:
        case ROOT:
          if (byte === 0x7b || byte === 0x5b) state = this.#beginRoot(byte === 0x5b);
          else if (state === START && byte === MARK[0]) state = this.#expect(BOM, MARK);
          else state = this.#isSpace(byte) ? ROOT : FAILED;
          break;
        case ESCAPE:
          this.#keyHasEscape = true;
          if (byte === 0x75) state = this.#expect(HEX, FOUR_HEX);
          else state = ESCAPES.has(byte) ? IN_STRING : FAILED;
          break;
        default:
          state = this.#inWord(state, byte);
      }
    }
    if (this.#isKey) this.#keepKey(bytes, keyFrom, length);
    this.#state = state;
  }

  /** A second document must begin on a line of its own, and each must lie on one line. */
  #beginRoot(isArray: boolean): number {
    if (this.#shape.roots > 0 && (!this.#lineEnded || this.#spansLines)) return FAILED;
    this.#lineEnded = false;
    return this.#begin(isArray);
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
    this.#shape.begin(level, isArray);
    this.#depth = level + 1;
    return isArray ? FIRST_ITEM : FIRST_KEY;
  }

  #close(isArray: boolean): number {
    if (this.#isInArray() !== isArray) return FAILED;
    this.#shape.end(this.#depth);
    this.#depth--;
    if (this.#depth > 0) return AFTER;
    return this.#shape.roots > 1 && this.#spansLines ? FAILED : ROOT;
  }

  #isInArray(): boolean {
    const level = this.#depth - 1;
    return (this.#levels[level >> 3]! & (1 << (level & 7))) !== 0;
  }

  #isSpace(byte: number): boolean {
    if (byte !== 0x0a) return byte === 0x20 || byte === 0x09 || byte === 0x0d;
    if (this.#depth === 0) this.#lineEnded = true;
    else this.#spansLines = true;
    return true;
  }

  #beginScalar(byte: number): number {
    const word = byte === TRUE[0] ? TRUE : byte === FALSE[0] ? FALSE : byte === NIL[0] ? NIL : null;
    const kind: Kind = word === null ? NUMBER : word === NIL ? NULL : BOOLEAN;
    this.#shape.scalar(this.#depth, kind);
    if (word !== null) return this.#expect(WORD, word);
    if (byte === 0x2d) return MINUS;
    if (byte === 0x30) return ZERO;
    return isDigit(byte) ? DIGITS : FAILED;
  }

  /** The first byte of the word has come. */
  #expect(state: number, word: readonly number[]): number {
    this.#word = word;
    this.#wordAt = 1;
    return state;
  }

  #inWord(state: number, byte: number): number {
    const isRight = state === HEX ? isHex(byte) : byte === this.#word[this.#wordAt];
    if (!isRight) return FAILED;
    if (++this.#wordAt < this.#word.length) return state;
    return state === HEX ? IN_STRING : state === BOM ? ROOT : AFTER;
  }

  #keepKey(bytes: Uint8Array, from: number, to: number): void {
    const room = KEY_BYTES - this.#keyLength;
    if (room > 0) this.#key.set(bytes.subarray(from, Math.min(to, from + room)), this.#keyLength);
    this.#keyLength += to - from;
  }

  #endKey(bytes: Uint8Array, from: number, to: number): void {
    this.#isKey = false;
    const depth = this.#depth;
    if (this.#keyLength === 0) {
      const length = to - from;
      this.#shape.key(depth, bytes, from, from + Math.min(length, KEY_BYTES), length, this.#keyHasEscape);
      return;
    }
    this.#keepKey(bytes, from, to);
    const length = this.#keyLength;
    this.#shape.key(depth, this.#key, 0, Math.min(length, KEY_BYTES), length, this.#keyHasEscape);
  }
}

/** The next part of a number, or AFTER when this byte is no longer of it. */
function inNumber(state: number, byte: number): number {
  if (isDigit(byte)) {
    if (state === DIGITS || state === FRACTION || state === POWER) return state;
    if (state === MINUS) return byte === 0x30 ? ZERO : DIGITS;
    if (state === POINT) return FRACTION;
    return state === ZERO ? FAILED : POWER;
  }
  const hasDigits = state === ZERO || state === DIGITS;
  if (byte === 0x2e && hasDigits) return POINT;
  if ((byte | 0x20) === 0x65 && (hasDigits || state === FRACTION)) return EXPONENT;
  if ((byte === 0x2b || byte === 0x2d) && state === EXPONENT) return SIGN;
  return hasDigits || state === FRACTION || state === POWER ? AFTER : FAILED;
}
