// The one reader of JSON (RFC 8259): values one after the other, from bytes in pieces of any size, without recursion and
// without keeping more of a string than its first bytes. Tells a sink what it meets and where, and stops at what is no JSON.
import { ESCAPE, HIGH, KEPT_BYTES, UNICODE_ESCAPE, type JsonSink, type PlacedToken } from "./json-sink.ts";
import * as at from "./json-states.ts";
import { endOfNumber, inNumber, isDigit, isHex, type Word } from "./json-states.ts";

/** Levels of nesting that are read (2 MB of bits). */
const MOST_LEVELS = 1 << 24;

export class JsonReader {
  readonly #sink: JsonSink;
  /** Reads one value, and not what stands behind it. */
  readonly #isOne: boolean;
  /** Values that have ended, and one past the last. */
  roots = 0;
  rootEnd = 0;
  /** Line ends that came; none stands in a token. */
  lineEnds = 0;
  /** The byte that cannot stand where it stands, of all that came; null while all is well. */
  failedAt: number | null = null;
  #readBytes = 0;
  /** Where in the text the piece would begin. */
  #base = 0;
  #state = at.START;
  #depth = 0;
  /** What is open innermost; and one bit a level, 1 for an array. */
  #isInArray = false;
  #levels = new Uint8Array(64);
  #word: Word = at.NULL_WORD;
  /** Bytes that have come of it, of four hex digits or of the mark. */
  #wordAt = 0;
  /** The string that an escape stands in: IN_STRING or IN_KEY. */
  #escaped = at.IN_STRING;
  /** The token that is being read, as far as it lay in earlier pieces. */
  readonly #kept = new Uint8Array(KEPT_BYTES);
  #keptLength = 0;
  #keptAt = 0;
  readonly #token: { -readonly [Field in keyof PlacedToken]: PlacedToken[Field] } = {
    bytes: new Uint8Array(0),
    from: 0,
    to: 0,
    at: 0,
    length: 0,
    marks: 0,
  };

  constructor(sink: JsonSink, isOne = false) {
    this.#sink = sink;
    this.#isOne = isOne;
  }

  /** Ready for another text without a byte order mark, whose first byte is at `start`. What was told stays told. */
  reset(start = 0): void {
    this.roots = 0;
    this.failedAt = null;
    this.#readBytes = start;
    this.#state = at.ROOT;
    this.#depth = 0;
  }

  /** Ends the containers that are open, so that what was read of them is told. */
  closeAll(): void {
    for (; this.#depth > 0; this.#depth--) this.#sink.end(this.#readBytes);
  }

  /** True when the text may end here: values, and nothing half read. */
  end(): boolean {
    if (endOfNumber(this.#state) === at.AFTER) this.#state = this.#endNumber(this.#kept, 0, 0);
    const isWhole = this.#state <= at.ROOT || this.#state === at.AFTER_ROOT || this.#state === at.DONE;
    if (!isWhole) this.failedAt ??= this.#readBytes;
    return isWhole;
  }

  add(bytes: Uint8Array, first = 0, size: number = bytes.length): void {
    const base = (this.#base = this.#readBytes - first);
    let state = this.#state;
    let from = first;
    let i = first;
    for (; i < size; i++) {
      let byte = bytes[i]!;
      if (state >= at.FAILED) {
        if (state <= at.DONE) break;
        if (state === at.DIGITS || state === at.FRACTION) while (isDigit(byte) && ++i < size) byte = bytes[i]!;
        if (i === size) break;
        state = inNumber(state, byte);
        if (state !== at.AFTER) continue;
        state = this.#endNumber(bytes, from, i);
        if (state === at.DONE) break;
      }
      switch (state) {
        case at.IN_STRING:
        case at.IN_KEY:
          for (; i < size && at.STOPS[byte] === 0; byte = bytes[++i]!) if (byte >= 0x80) this.#token.marks |= HIGH;
          if (i === size) continue;
          if (byte === 0x22) state = this.#endString(state, this.#takeToken(bytes, from, i));
          else if (byte === 0x5c) {
            this.#escaped = state;
            state = at.ESCAPE;
          } else state = at.FAILED;
          continue;
        case at.AFTER:
          if (byte === 0x2c) state = this.#isInArray ? at.VALUE : at.KEY;
          else if (byte === 0x5d || byte === 0x7d) state = this.#close(byte === 0x5d, base + i);
          else if (!this.#isSpace(byte)) state = at.FAILED;
          break;
        case at.COLON:
          if (byte === 0x3a) state = at.VALUE;
          else if (!this.#isSpace(byte)) state = at.FAILED;
          break;
        case at.FIRST_KEY:
        case at.KEY:
          if (byte === 0x22) {
            state = at.IN_KEY;
            break;
          }
          if (byte === 0x7d && state === at.FIRST_KEY) state = this.#close(false, base + i);
          else if (!this.#isSpace(byte)) state = at.FAILED;
          break;
        case at.ROOT:
        case at.VALUE:
        case at.FIRST_ITEM:
          if (byte === 0x22) {
            state = at.IN_STRING;
            break;
          }
          if (byte === 0x7b || byte === 0x5b) state = this.#begin(byte === 0x5b, base + i);
          else if (byte === 0x5d && state === at.FIRST_ITEM) state = this.#close(true, base + i);
          else if (!this.#isSpace(byte)) {
            state = this.#scalarState(byte);
            from = i;
          }
          break;
        default:
          state = this.#inWord(state, byte, base + i);
          // The mark may be none: its first byte then stands where a value may.
          if (state === at.START) {
            state = at.ROOT;
            i--;
          }
          continue;
      }
      if (state !== at.IN_STRING && state !== at.IN_KEY) continue;
      this.#beginToken();
      from = i + 1;
      // Most strings end in their piece, and most keys have their colon behind them.
      let to = from;
      let high = 0;
      for (; to < size; to++) {
        const one = bytes[to]!;
        if (at.STOPS[one] !== 0) break;
        high |= one;
      }
      if (high >= 0x80) this.#token.marks |= HIGH;
      i = to - 1;
      if (to === size || bytes[to] !== 0x22) continue;
      i = to;
      state = this.#endString(state, this.#tokenOf(bytes, from, to));
      if (state !== at.COLON || bytes[to + 1] !== 0x3a || to + 1 === size) continue;
      state = at.VALUE;
      i = to + 1;
    }
    // One byte was read behind it.
    if (state === at.FAILED) this.failedAt ??= this.#readBytes + i - 1 - first;
    else if (state >= at.IN_STRING && state !== at.DONE) this.#keep(bytes, from, size);
    this.#readBytes += size - first;
    this.#state = state;
  }

  /** The parts of tokens that are few bytes, whatever the pieces: escapes, words, a byte order mark. */
  #inWord(state: number, byte: number, position: number): number {
    switch (state) {
      case at.START:
        this.#wordAt = 1;
        return byte === at.BYTE_ORDER_MARK[0] ? at.MARK : at.START;
      case at.MARK:
        if (byte !== at.BYTE_ORDER_MARK[this.#wordAt]) return at.FAILED;
        return ++this.#wordAt === at.BYTE_ORDER_MARK.length ? at.ROOT : at.MARK;
      case at.ESCAPE:
        this.#token.marks |= ESCAPE;
        this.#wordAt = 0;
        if (byte !== 0x75) return at.ESCAPES.has(byte) ? this.#escaped : at.FAILED;
        this.#token.marks |= UNICODE_ESCAPE;
        return at.HEX;
      case at.HEX:
        if (!isHex(byte)) return at.FAILED;
        return ++this.#wordAt === 4 ? this.#escaped : at.HEX;
      case at.WORD: {
        const { text, bytes } = this.#word;
        if (byte !== bytes[this.#wordAt]) return at.FAILED;
        if (++this.#wordAt < bytes.length) return at.WORD;
        this.#sink.word(text, position + 1);
        return this.#afterValue(at.AFTER_ROOT, position + 1);
      }
      default:
        return this.#isSpace(byte) ? at.ROOT : at.FAILED;
    }
  }

  #isSpace(byte: number): boolean {
    if (byte === 0x0a) this.lineEnds++;
    return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
  }

  #scalarState(byte: number): number {
    this.#beginToken();
    if (byte !== 0x6e && byte !== 0x74 && byte !== 0x66) return at.startOfNumber(byte);
    this.#word = byte === 0x6e ? at.NULL_WORD : byte === 0x74 ? at.TRUE_WORD : at.FALSE_WORD;
    this.#wordAt = 1;
    return at.WORD;
  }

  #beginToken(): void {
    this.#keptLength = 0;
    this.#token.marks = 0;
  }

  #keep(bytes: Uint8Array, from: number, to: number): void {
    if (this.#keptLength === 0) this.#keptAt = this.#base + from;
    const room = KEPT_BYTES - this.#keptLength;
    if (room > 0) this.#kept.set(bytes.subarray(from, Math.min(to, from + room)), this.#keptLength);
    this.#keptLength += to - from;
  }

  /** What lies in one piece, … */
  #tokenOf(bytes: Uint8Array, from: number, to: number): PlacedToken {
    const token = this.#token;
    // Most tokens lie in the piece of the one before: setting a field of an object costs the collector a note.
    if (token.bytes !== bytes) token.bytes = bytes;
    token.from = from;
    token.at = this.#base + from;
    token.length = to - from;
    token.to = to - from > KEPT_BYTES ? from + KEPT_BYTES : to;
    return token;
  }

  /** … and what may have begun in an earlier one. */
  #takeToken(bytes: Uint8Array, from: number, to: number): PlacedToken {
    if (this.#keptLength === 0) return this.#tokenOf(bytes, from, to);
    this.#keep(bytes, from, to);
    const token = this.#tokenOf(this.#kept, 0, Math.min(this.#keptLength, KEPT_BYTES));
    this.#token.at = this.#keptAt;
    this.#token.length = this.#keptLength;
    return token;
  }

  #endString(state: number, token: PlacedToken): number {
    if (state === at.IN_KEY) {
      this.#sink.key(token);
      return at.COLON;
    }
    this.#sink.string(token);
    return this.#afterValue(at.ROOT, token.at + token.length + 1);
  }

  #endNumber(bytes: Uint8Array, from: number, to: number): number {
    const token = this.#takeToken(bytes, from, to);
    this.#sink.number(token);
    return this.#afterValue(at.AFTER_ROOT, token.at + token.length);
  }

  /** What may come next; `next` where the value stands in nothing. */
  #afterValue(next: number, end: number): number {
    if (this.#depth > 0) return at.AFTER;
    this.roots++;
    this.rootEnd = end;
    return this.#isOne ? at.DONE : next;
  }

  #begin(isArray: boolean, position: number): number {
    const level = this.#depth;
    if (level === MOST_LEVELS) return at.FAILED;
    if (level >> 3 === this.#levels.length) {
      const more = new Uint8Array(this.#levels.length * 2);
      more.set(this.#levels);
      this.#levels = more;
    }
    const bit = 1 << (level & 7);
    if (isArray) this.#levels[level >> 3]! |= bit;
    else this.#levels[level >> 3]! &= ~bit;
    this.#isInArray = isArray;
    this.#sink.begin(isArray, position);
    this.#depth = level + 1;
    return isArray ? at.FIRST_ITEM : at.FIRST_KEY;
  }

  #close(isArray: boolean, position: number): number {
    if (this.#isInArray !== isArray) return at.FAILED;
    const around = --this.#depth - 1;
    if (around >= 0) this.#isInArray = (this.#levels[around >> 3]! & (1 << (around & 7))) !== 0;
    const next = this.#afterValue(at.ROOT, position + 1);
    this.#sink.end(position + 1);
    return next;
  }
}
