// Finds a text in keys, strings, numbers and words. The bytes are searched first; whether a place lies inside a token is
// asked only where they match, from the nearest point of the index.
import { NONE } from "./json-index.ts";
import * as tokens from "./tokens.ts";
import type { Document } from "./walk.ts";

export type Needle = {
  /** The ways in which the text may be stored: each byte by byte in small and in large letters. */
  readonly forms: readonly { readonly small: Uint8Array; readonly large: Uint8Array }[];
};

/** The token in which it was found. */
export type Hit = { readonly at: number; readonly end: number; readonly isKey: boolean };

const encoder = new TextEncoder();
const escaped = (text: string, hex: (code: number) => string): string =>
  text.replace(/[\u0080-\uffff]/g, (char) => `\\u${hex(char.charCodeAt(0)).padStart(4, "0")}`);

/** `isExact`: small and large letters differ. */
export function needleOf(text: string, isExact: boolean): Needle {
  const inner = JSON.stringify(text.toWellFormed()).slice(1, -1);
  const spellings = new Set([
    inner,
    inner.replaceAll("/", "\\/"),
    ...(isExact ? [inner] : [inner.toLowerCase(), inner.toUpperCase()]).flatMap((one) => [
      escaped(one, (code) => code.toString(16)),
      escaped(one, (code) => code.toString(16).toUpperCase()),
    ]),
  ]);
  const forms = [...spellings].map((spelling) => {
    const plain = encoder.encode(spelling);
    if (isExact) return { small: plain, large: plain };
    const small = encoder.encode(folded(spelling, (char) => char.toLowerCase()));
    const large = encoder.encode(folded(spelling, (char) => char.toUpperCase()));
    // Letters whose two sizes take different bytes are looked for as they were typed.
    return small.length === large.length ? { small, large } : { small: plain, large: plain };
  });
  return { forms };
}

/** Letters one for one; what follows a backslash stays, since \n is not \N. */
const folded = (text: string, fold: (char: string) => string): string =>
  text.replace(/\\u[0-9a-fA-F]{4}|\\.|./gsu, (char) => (char.startsWith("\\") ? char : fold(char)));

/** The first token from a byte on in which it stands; null when there is none before `to`. */
export function nextHit(document: Document, needle: Needle, from: number, to: number): Hit | null {
  const cursor = { at: 0, isSet: false };
  let at = from;
  for (;;) {
    const found = nextMatch(document.bytes, needle, at, to);
    if (found === null) return null;
    const token = tokenAround(document, found.at, cursor);
    if (token !== null && token.at >= from && found.at >= token.from && found.end <= token.to)
      return { at: token.at, end: token.end, isKey: token.isKey };
    at = found.at + 1;
  }
}

const WINDOW = 256 * 1024;

/** The last token that begins before a byte and in which it stands. */
export function lastHit(document: Document, needle: Needle, before: number): Hit | null {
  for (let end = before; end > 0;) {
    const start = Math.max(0, end - WINDOW);
    let last: Hit | null = null;
    // A token that begins here may have its match behind the window.
    const to = Math.max(end, tokenAround(document, end - 1, { at: 0, isSet: false })?.end ?? 0);
    for (let at = start; at < end;) {
      const hit = nextHit(document, needle, at, to);
      if (hit === null || hit.at >= end) break;
      last = hit;
      at = hit.end;
    }
    if (last !== null) return last;
    end = start;
  }
  return null;
}

function nextMatch(bytes: Uint8Array, { forms }: Needle, from: number, to: number): { at: number; end: number } | null {
  let first: { at: number; end: number } | null = null;
  for (const { small, large } of forms) {
    const at = indexOf(bytes, small, large, from, first === null ? to : first.at);
    if (at >= 0) first = { at, end: at + small.length };
  }
  return first;
}

/** Begins before `to`. */
function indexOf(bytes: Uint8Array, small: Uint8Array, large: Uint8Array, from: number, to: number): number {
  const [one, other] = [small[0]!, large[0]!];
  const last = Math.min(to, bytes.length - small.length + 1);
  for (let at = from; at < last; at++) {
    const byte = bytes[at]!;
    if (byte !== one && byte !== other) continue;
    let same = 1;
    while (same < small.length && (bytes[at + same] === small[same] || bytes[at + same] === large[same])) same++;
    if (same === small.length) return at;
  }
  return -1;
}

type Token = { at: number; end: number; from: number; to: number; isKey: boolean };

/** The token that a byte lies in; null for what stands between tokens. The cursor only moves forward. */
function tokenAround(document: Document, byte: number, cursor: { at: number; isSet: boolean }): Token | null {
  const { bytes, index } = document;
  const limit = bytes.length;
  const entry = index.entryBefore(byte);
  const point = index.pointBeforeByte(byte);
  const known = Math.max(entry <= 0 ? 0 : index.start[entry]!, point === NONE ? 0 : index.pointAt[point]!);
  let at = cursor.isSet && cursor.at <= byte ? Math.max(cursor.at, known) : known;
  let token: Token | null = null;
  while (at <= byte) {
    const first = bytes[at]!;
    if (first === tokens.QUOTE) {
      const told = tokens.stringEnd(bytes, at, limit);
      // In a line that is no JSON a quote may stay open: it ends where the line does.
      const end = told < 0 ? Math.max(at + 1, -1 - told) : told;
      if (byte < end) {
        const to = told < 0 ? end : end - 1;
        const isKey = bytes[tokens.afterSpace(bytes, end, limit)] === tokens.COLON;
        token = { at, end, from: at + 1, to, isKey };
        break;
      }
      at = end;
    } else if (isBetween(first)) {
      if (at === byte) break;
      at++;
    } else {
      let end = at + 1;
      while (end < limit && !isBetween(bytes[end]!) && bytes[end] !== tokens.QUOTE) end++;
      if (byte < end) {
        token = { at, end, from: at, to: end, isKey: false };
        break;
      }
      at = end;
    }
  }
  cursor.at = at;
  cursor.isSet = true;
  return token;
}

const BETWEEN = new Uint8Array(256);
for (const char of " \t\r\n,:{}[]") BETWEEN[char.charCodeAt(0)] = 1;
const isBetween = (byte: number): boolean => BETWEEN[byte] === 1;
