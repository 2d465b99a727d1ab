// What a reader must know of strings and numbers, noticed while a document is read.
import { FLAG, type JsonIndex } from "./json-index.ts";
import { HIGH, UNICODE_ESCAPE, type PlacedToken } from "../json-sink.ts";
import * as tokens from "./token-bytes.ts";

/** Numbers that are looked at closely; the check takes half a microsecond. */
const CHECKED_NUMBERS = 200_000;
/** A number of fewer characters has at most 15 digits, which a double keeps. */
const SAFE_CHARS = 16;

export class Oddities {
  readonly #bytes: Uint8Array;
  readonly #index: JsonIndex;
  #checked = 0;

  constructor(bytes: Uint8Array, index: JsonIndex) {
    this.#bytes = bytes;
    this.#index = index;
  }

  ofString({ at, length, marks }: PlacedToken): number {
    const { counters } = this.#index;
    let flags = 0;
    if ((marks & HIGH) !== 0 && !tokens.isUtf8(this.#bytes, at, at + length)) {
      flags |= FLAG.notUtf8;
      counters.notUtf8++;
    }
    if ((marks & UNICODE_ESCAPE) !== 0 && tokens.hasLoneSurrogate(this.#bytes, at, at + length)) {
      flags |= FLAG.loneSurrogate;
      counters.loneSurrogate++;
    }
    return flags;
  }

  ofNumber(start: number, end: number): number {
    if (end - start < SAFE_CHARS) {
      let at = start;
      while (at < end && (this.#bytes[at]! | 0x20) !== 0x65) at++;
      if (at === end) return 0;
    }
    if (this.#checked++ >= CHECKED_NUMBERS) {
      this.#index.isTallied = false;
      return 0;
    }
    if (!tokens.isInexact(tokens.decode(this.#bytes, start, end))) return 0;
    this.#index.counters.inexact++;
    return FLAG.inexact;
  }
}
