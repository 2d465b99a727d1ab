// Where a reader of JSON stands in its text, and how a number goes on.

// What may come next. Numbers take one state a part, and stand last.
export const START = 0;
export const ROOT = 1;
export const VALUE = 2;
export const FIRST_ITEM = 3;
export const FIRST_KEY = 4;
export const KEY = 5;
export const COLON = 6;
export const AFTER = 7;
/** Behind a number or a word that stands in nothing: the next value needs a space before it. */
export const AFTER_ROOT = 8;
export const IN_STRING = 9;
export const IN_KEY = 10;
export const ESCAPE = 11;
export const HEX = 12;
export const WORD = 13;
export const MARK = 14;
export const FAILED = 15;
/** Behind the one value that was wanted. */
export const DONE = 16;
export const MINUS = 17;
export const ZERO = 18;
export const DIGITS = 19;
export const POINT = 20;
export const FRACTION = 21;
export const EXPONENT = 22;
export const SIGN = 23;
export const POWER = 24;

/** Bytes inside a string that are not passed over: the quote, the backslash, control characters. */
export const STOPS = new Uint8Array(256);
STOPS.fill(1, 0, 0x20);
STOPS[0x22] = STOPS[0x5c] = 1;

const bytesOf = (text: string): readonly number[] => Array.from(text, (char) => char.charCodeAt(0));
/** What may follow a backslash, beside u. */
export const ESCAPES: ReadonlySet<number> = new Set(bytesOf('"\\/bfnrt'));
const wordOf = <Text extends string>(text: Text) => ({ text, bytes: bytesOf(text) });
export const [NULL_WORD, TRUE_WORD, FALSE_WORD] = [wordOf("null"), wordOf("true"), wordOf("false")] as const;
export const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
export type Word = typeof NULL_WORD | typeof TRUE_WORD | typeof FALSE_WORD;

export const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;
export const isHex = (byte: number): boolean => isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);

/** The state of a number that begins with a byte, FAILED where none does. */
export function startOfNumber(byte: number): number {
  if (byte === 0x2d) return MINUS;
  if (byte === 0x30) return ZERO;
  return isDigit(byte) ? DIGITS : FAILED;
}

/** What may stand behind a number; before anything else it is none. */
const MAY_FOLLOW = new Uint8Array(256);
for (const byte of bytesOf(" \t\r\n,]}")) MAY_FOLLOW[byte] = 1;

/** The next part of a number, or what follows it when this byte is no longer of it. */
export function inNumber(state: number, byte: number): number {
  if (isDigit(byte)) {
    if (state === DIGITS || state === FRACTION || state === POWER) return state;
    if (state === MINUS) return byte === 0x30 ? ZERO : DIGITS;
    if (state === POINT) return FRACTION;
    return state === ZERO ? FAILED : POWER;
  }
  const isWhole = state === ZERO || state === DIGITS;
  if (byte === 0x2e && isWhole) return POINT;
  if ((byte | 0x20) === 0x65 && (isWhole || state === FRACTION)) return EXPONENT;
  if ((byte === 0x2b || byte === 0x2d) && state === EXPONENT) return SIGN;
  return MAY_FOLLOW[byte] === 1 ? endOfNumber(state) : FAILED;
}

/** AFTER where a number may end, FAILED where more of it must come. */
export const endOfNumber = (state: number): number =>
  state === ZERO || state === DIGITS || state === FRACTION || state === POWER ? AFTER : FAILED;
