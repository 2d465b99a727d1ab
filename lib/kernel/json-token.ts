// A string of a document without its escapes, no longer than somebody reads; and what it is known again by.
import { hashOf } from "./artifacts/key-set.ts";
import { ESCAPE, type Token } from "./json-sink.ts";

/** Characters of a value that are kept, so that a secret among them is known for what it is, … */
const KEPT_CHARS = 160;
/** … and that are told. */
export const EXAMPLE_CHARS = 80;

export type TokenText = { readonly text: string; readonly isWhole: boolean };

/** Bytes between quotes as text. Of a long one a part is kept, which may end inside an escape or a character. */
export function textOf({ bytes, from, to, length, marks }: Token): TokenText {
  const isWhole = to - from === length;
  let end = to;
  // The start of a character whose rest was not kept.
  if (!isWhole) while (end > from && (bytes[end - 1]! & 0xc0) === 0x80) end--;
  if (!isWhole && end > from && bytes[end - 1]! >= 0xc0) end--;
  const raw = new TextDecoder().decode(bytes.subarray(from, end));
  if ((marks & ESCAPE) === 0) return { text: raw, isWhole };
  // An escape is of at most 12 characters, for a pair.
  for (let cut = 0; cut <= (isWhole ? 0 : 12); cut++) {
    try {
      return { text: JSON.parse(`"${raw.slice(0, raw.length - cut)}"`) as string, isWhole };
    } catch {
      // The cut is inside an escape: one character less, then.
    }
  }
  return { text: raw, isWhole };
}

export type Cut = { readonly text: string; readonly isCut: boolean };

export const cutText = ({ text, isWhole }: TokenText): Cut => firstChars(text, KEPT_CHARS, !isWhole);

/** The first characters, never half of one. */
export function firstChars(text: string, most: number, isCut: boolean): Cut {
  if (text.length <= most) return { text, isCut };
  // A character is two units at most.
  const chars = [...text.slice(0, 2 * (most + 1))];
  return chars.length <= most ? { text, isCut } : { text: chars.slice(0, most).join(""), isCut: true };
}

/** Equal strings have one hash, however they are written. */
export function hashOfToken(token: Token): number {
  const { bytes, from, to, length } = token;
  if ((token.marks & ESCAPE) === 0) return hashOf(bytes, from, to, length);
  const { text, isWhole } = textOf(token);
  const plain = new TextEncoder().encode(text);
  return hashOf(plain, 0, plain.length, isWhole ? plain.length : length);
}
