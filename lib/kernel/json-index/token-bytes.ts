// What the bytes of one token of JSON say: how long a string is, its characters, and what is odd about it.
import { ESCAPES, isHex } from "../json-states.ts";

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const NEWLINE = 0x0a;
export const OPEN_OBJECT = 0x7b;
export const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;

/** One past the closing quote of the string that opens at `at`. Where it is no string: −1 − that position. */
export function stringEnd(bytes: Uint8Array, at: number, size: number): number {
  for (let to = at + 1; to < size; to++) {
    const byte = bytes[to]!;
    if (byte === QUOTE) return to + 1;
    if (byte < 0x20) return -1 - to;
    if (byte !== BACKSLASH) continue;
    const next = to + 1 < size ? bytes[to + 1]! : 0;
    if (next === 0x75) {
      for (let digit = to + 2; digit < to + 6; digit++)
        if (digit >= size || !isHex(bytes[digit]!)) return -1 - Math.min(digit, size);
      to += 5;
    } else if (ESCAPES.has(next)) to++;
    else return -1 - Math.min(to + 1, size);
  }
  return -1 - size;
}

export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;

export function afterSpace(bytes: Uint8Array, at: number, limit: number): number {
  let to = at;
  while (to < limit && isSpace(bytes[to])) to++;
  return to;
}

/** Characters of a string's bytes between its quotes: an escape is one, so is a code point. */
export function countChars(bytes: Uint8Array, from: number, to: number): number {
  let chars = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    if (byte === BACKSLASH) at += bytes[at + 1] === 0x75 ? 5 : 1;
    else if ((byte & 0xc0) === 0x80) continue;
    chars++;
  }
  return chars;
}

/** Where character number `chars` of a string's bytes begins; `to` when there are not so many. */
export function charAt(bytes: Uint8Array, from: number, to: number, chars: number): number {
  let left = chars;
  let at = from;
  while (at < to) {
    if ((bytes[at]! & 0xc0) !== 0x80 && left-- === 0) return at;
    at += bytes[at] === BACKSLASH ? (bytes[at + 1] === 0x75 ? 6 : 2) : 1;
  }
  return to;
}

/** What is decoded at once to see whether it is UTF-8: a document of 64 MB would be a string of 128. */
const CHECKED_BYTES = 64 * 1024;
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** True for bytes that are UTF-8 as Unicode has it: nothing overlong, no surrogates, nothing over U+10FFFF. */
export function isUtf8(bytes: Uint8Array, from: number, to: number): boolean {
  try {
    for (let at = from; at < to;) {
      let end = Math.min(to, at + CHECKED_BYTES);
      // Not within a character: of its four bytes at most three go on.
      for (let back = 0; back < 3 && end < to && (bytes[end]! & 0xc0) === 0x80; back++) end--;
      strict.decode(bytes.subarray(at, end));
      at = end;
    }
    return true;
  } catch {
    return false;
  }
}

/** True when an escape writes half of a surrogate pair. Raw bytes of a surrogate are no UTF-8. */
export function hasLoneSurrogate(bytes: Uint8Array, from: number, to: number): boolean {
  let isAfterHigh = false;
  for (let at = from; at < to; at++) {
    let code = 0;
    if (bytes[at] === BACKSLASH) {
      if (bytes[at + 1] === 0x75) {
        for (let i = 2; i < 6; i++) code = code * 16 + hexValue(bytes[at + i]!);
        at += 5;
      } else at++;
    }
    const isLow = code >= 0xdc00 && code <= 0xdfff;
    if (isAfterHigh !== isLow) return true;
    isAfterHigh = code >= 0xd800 && code <= 0xdbff;
  }
  return isAfterHigh;
}

const hexValue = (byte: number): number => (byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57);

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The characters of bytes; what is no UTF-8 becomes U+FFFD. */
export const decode = (bytes: Uint8Array, from: number, to: number): string =>
  decoder.decode(bytes.subarray(from, Math.max(from, to)));

const SHORT: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** What a string's bytes between its quotes say. */
export function decodeString(bytes: Uint8Array, from: number, to: number): string {
  const text = decode(bytes, from, to);
  if (!text.includes("\\")) return text;
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, hex: string | undefined, char: string) =>
    hex === undefined ? (SHORT[char] ?? char) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

const encoder = new TextEncoder();

/** A key's name in 53 bits: of 1,000,000 keys two share one by chance in 1 of 18,000 documents. */
export function hashKey(bytes: Uint8Array, from: number, to: number, hasEscapes: boolean): number {
  if (hasEscapes) {
    const plain = encoder.encode(decodeString(bytes, from, to));
    return hashKey(plain, 0, plain.length, false);
  }
  let one = 0x811c9dc5;
  let two = 0x9747b28c;
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    one = Math.imul(one ^ byte, 0x01000193);
    two = Math.imul(two ^ byte, 0x85ebca6b) ^ (two >>> 15);
  }
  // The low bits of a product are its weakest.
  one = Math.imul(one ^ (one >>> 15), 0x2c1b3c6d);
  return ((one ^ (one >>> 13)) >>> 0) * 0x200000 + ((two ^ (two >>> 16)) >>> 11);
}

/**
 * True when a double is another number than the text says: 9007199254740993, 1e400, twenty digits. 1.0, -0 and 0.1 are
 * what they say, since the shortest text of the double is that number again.
 */
export function isInexact(text: string): boolean {
  const value = Number(text);
  if (!Number.isFinite(value)) return true;
  const shortest = String(value);
  // Most numbers were written by a program that had a double.
  if (shortest === text) return false;
  const said = decimal(text);
  const kept = decimal(shortest);
  return said.digits !== kept.digits || (said.digits !== "" && said.power !== kept.power);
}

/** Significant digits, and the power of ten of the last one. */
function decimal(text: string): { digits: string; power: number } {
  const [mantissa = "", exponent = "0"] = text.replace("-", (sign, at: number) => (at === 0 ? "" : sign)).split(/[eE]/);
  const [whole = "", fraction = ""] = mantissa.split(".");
  const all = `${whole}${fraction}`.replace(/^0+/, "");
  // No pattern that ends in $: over many zeros it would try from each.
  let length = all.length;
  while (length > 0 && all.charCodeAt(length - 1) === 0x30) length--;
  return { digits: all.slice(0, length), power: Number(exponent) - fraction.length + (all.length - length) };
}
