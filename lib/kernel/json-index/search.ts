// Finds a text in keys, strings, numbers and words. The bytes are searched first; whether a position lies inside a token is
// asked only where they match, from the nearest point of the index.
import { NONE, POINT_BYTES } from "./json-index.ts";
import * as tokens from "./token-bytes.ts";
import type { Document } from "./walk.ts";

export type Needle = {
  /** The ways in which the text may be stored: each byte by byte in small and in large letters. */
  readonly forms: readonly Form[];
  /** A byte at which a token begins, or nothing is known; how far the last look went. */
  readonly cursor: Cursor;
};

type Cursor = { at: number };

type Form = {
  readonly small: Uint8Array;
  readonly large: Uint8Array;
  /** Which of its bytes is looked for, and where those that were found stand. */
  rare: number | null;
  readonly one: Gap;
  readonly other: Gap;
};

/** A byte does not stand from `from` to `to`. */
type Gap = { from: number; to: number };

/** The token in which it was found. */
export type Hit = { readonly at: number; readonly end: number; readonly isKey: boolean };

const encoder = new TextEncoder();
const escaped = (text: string, hex: (code: number) => string): string =>
  text.replace(/[\u0080-\uffff]/g, (char) => `\\u${hex(char.charCodeAt(0)).padStart(4, "0")}`);

/** A needle is for one document: it remembers where it has looked. `isExact`: small and large letters differ. */
export function needleOf(text: string, isExact: boolean): Needle {
  const inner = JSON.stringify(text.toWellFormed()).slice(1, -1);
  const spellings = new Set([
    inner,
    inner.replaceAll("/", "\\/"),
    // What is ASCII alone stands above already.
    ...(/^[\0-\x7f]*$/.test(inner) ? [] : isExact ? [inner] : [inner.toLowerCase(), inner.toUpperCase()]).flatMap(
      (one) => [escaped(one, (code) => code.toString(16)), escaped(one, (code) => code.toString(16).toUpperCase())],
    ),
  ]);
  const formOf = (small: Uint8Array, large: Uint8Array): Form => {
    return { small, large, rare: null, one: { from: 0, to: -1 }, other: { from: 0, to: -1 } };
  };
  const forms = [...spellings].map((spelling) => {
    const plain = encoder.encode(spelling);
    if (isExact) return formOf(plain, plain);
    const small = encoder.encode(folded(spelling, (char) => char.toLowerCase()));
    const large = encoder.encode(folded(spelling, (char) => char.toUpperCase()));
    // Letters whose two sizes take different bytes are looked for as they were typed.
    return small.length === large.length ? formOf(small, large) : formOf(plain, plain);
  });
  return { forms, cursor: { at: 0 } };
}

/** Letters one for one; what follows a backslash stays, since \n is not \N. */
const folded = (text: string, fold: (char: string) => string): string =>
  text.replace(/\\u[0-9a-fA-F]{4}|\\.|./gsu, (char) => (char.startsWith("\\") ? char : fold(char)));

/** The first token from a byte on in which it stands; null when there is none before `to`. */
export function nextHit(document: Document, needle: Needle, from: number, to: number): Hit | null {
  const { cursor } = needle;
  let at = from;
  for (;;) {
    const found = nextMatch(document.bytes, needle, at, to);
    if (found === null) return null;
    const token = tokenAround(document, found.at, cursor);
    if (token !== null && token.at >= from && found.at >= token.from && found.end <= token.to)
      return { at: token.at, end: token.end, isKey: token.isKey };
    // One that began before is passed whole: at each match in it it would be read again.
    at = token !== null && token.at < from ? token.end : found.at + 1;
  }
}

const WINDOW = 256 * 1024;

/** The last token that begins before a byte and in which it stands. */
export function lastHit(document: Document, needle: Needle, before: number): Hit | null {
  for (let end = before; end > 0;) {
    const token = tokenAround(document, end - 1, { at: 0 });
    // A token that is longer than a window is looked through once, …
    const start = Math.max(0, Math.min(end - WINDOW, token?.at ?? end));
    let last: Hit | null = null;
    // … and one that begins in the window may have its match behind it.
    const to = Math.max(end, token?.end ?? 0);
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
  for (const form of forms) {
    const at = indexOf(bytes, form, from, first === null ? to : first.at);
    if (at >= 0) first = { at, end: at + form.small.length };
  }
  return first;
}

/**
 * Begins before `to`. Looked for is the byte of the text that is rarest in this document, by the machine's own search for
 * one byte: 50 MB in 10 to 60 ms, where comparing byte by byte takes 220.
 */
function indexOf(bytes: Uint8Array, form: Form, from: number, to: number): number {
  const { small, large } = form;
  const rare = (form.rare ??= rarest(bytes, small, large));
  const limit = Math.min(to, bytes.length - small.length + 1) + rare;
  for (let at = from + rare; ; at++) {
    at = Math.min(next(bytes, small[rare]!, form.one, at, limit), next(bytes, large[rare]!, form.other, at, limit));
    if (at >= limit) return -1;
    const start = at - rare;
    let same = 0;
    while (same < small.length && isOneOf(bytes[start + same]!, small[same]!, large[same]!)) same++;
    if (same === small.length) return start;
  }
}

const isOneOf = (byte: number, one: number, other: number): boolean => byte === one || byte === other;

/** Where a byte stands next, or `limit`. What was found is kept: a rare byte is not looked for again at each match. */
function next(bytes: Uint8Array, byte: number, gap: Gap, from: number, limit: number): number {
  if (gap.from > from || gap.to < from) gap.from = gap.to = from;
  if (gap.to < limit && bytes[gap.to] !== byte) {
    const found = bytes.subarray(0, limit).indexOf(byte, gap.to);
    gap.to = found < 0 ? limit : found;
  }
  return gap.to;
}

const counts = new WeakMap<Uint8Array, Uint32Array>();
const SAMPLES = 64 * 1024;

function rarest(bytes: Uint8Array, small: Uint8Array, large: Uint8Array): number {
  let count = counts.get(bytes);
  if (count === undefined) {
    count = new Uint32Array(256);
    const stride = Math.max(1, Math.floor(bytes.length / SAMPLES));
    for (let at = 0; at < bytes.length; at += stride) count[bytes[at]!]!++;
    counts.set(bytes, count);
  }
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < small.length; i++) {
    const often = count[small[i]!]! + (small[i] === large[i] ? 0 : count[large[i]!]!);
    if (often < least) [best, least] = [i, often];
  }
  return best;
}

type Token = { at: number; end: number; from: number; to: number; isKey: boolean };

/** The token that a byte lies in; null for what stands between tokens. The cursor only moves forward. */
function tokenAround(document: Document, byte: number, cursor: Cursor): Token | null {
  const { bytes, index } = document;
  const limit = bytes.length;
  let { at } = cursor;
  if (at > byte || byte - at > POINT_BYTES) {
    const entry = index.entryBefore(byte);
    const point = index.pointBeforeByte(byte);
    const known = Math.max(entry <= 0 ? 0 : index.start[entry]!, point === NONE ? 0 : index.pointAt[point]!);
    at = at > byte ? known : Math.max(at, known);
  }
  let token: Token | null = null;
  while (at <= byte) {
    const first = bytes[at]!;
    if (first === tokens.QUOTE) {
      const result = tokens.stringEnd(bytes, at, limit);
      // In a line that is no JSON a quote may stay open: it ends where the line does.
      const end = result < 0 ? Math.max(at + 1, -1 - result) : result;
      if (byte < end) {
        const to = result < 0 ? end : end - 1;
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
  return token;
}

const BETWEEN = new Uint8Array(256);
for (const char of " \t\r\n,:{}[]") BETWEEN[char.charCodeAt(0)] = 1;
const isBetween = (byte: number): boolean => BETWEEN[byte] === 1;
