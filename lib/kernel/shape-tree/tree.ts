// The shape of JSON values as a tree of places, from what a reader meets. Bounded whatever comes: so many places, so deep;
// what is not followed is counted.
import { ARRAY, BOOLEAN, NULL, NUMBER, OBJECT, STRING, type ValueSink, type Kind, type Token } from "../json-sink.ts";
import { MOST_CHILDREN, Place, placesOf, toMap, widen } from "./place.ts";
import { cutText, hashOfToken, textOf } from "../json-token.ts";

/** Places of one tree: some 200 kB as an answer, and more than anybody reads. */
export const MOST_PLACES = 2000;
export const MOST_DEPTH = 64;
/** A string with more bytes is no word that comes again: it is told as an example alone. */
const WORD_BYTES = 160;

type Frame = { place: Place; isArray: boolean; length: number; serial: number; child: Place | null };

export class ShapeTree implements ValueSink {
  readonly root = new Place("root", "", 0);
  /** Values that were not followed: below MOST_DEPTH, or where no place was left for them. */
  notFollowed = 0;
  isFull = false;
  isTooDeep = false;
  repeatedKeys = 0;
  #places = 1;
  readonly #frames: Frame[] = [];
  #open = 0;
  /** Containers that are open below what is followed. */
  #beyond = 0;
  #serial = 0;

  begin(isArray: boolean): void {
    const place = this.#note(isArray ? ARRAY : OBJECT);
    if (place === null || this.#open === MOST_DEPTH) {
      if (place !== null) this.isTooDeep = place.isTooDeep = true;
      this.#beyond++;
      return;
    }
    const frame = (this.#frames[this.#open++] ??= { place, isArray, length: 0, serial: 0, child: null });
    frame.place = place;
    frame.isArray = isArray;
    frame.length = 0;
    frame.serial = ++this.#serial;
    frame.child = null;
  }

  end(): void {
    if (this.#beyond > 0) {
      this.#beyond--;
      return;
    }
    const { place, isArray, length } = this.#frames[--this.#open]!;
    widen(isArray ? place.lengths : place.sizes, length);
  }

  key(token: Token): void {
    if (this.#beyond > 0) return;
    const frame = this.#frames[this.#open - 1]!;
    frame.length++;
    const hash = hashOfToken(token);
    const child = frame.place.children?.get(hash) ?? this.#childOf(frame.place, hash, token);
    frame.child = child;
    if (child === null || child.step === "value") return;
    if (child.lastOwner === frame.serial) {
      child.repeated++;
      this.repeatedKeys++;
    } else {
      child.lastOwner = frame.serial;
      child.owners++;
    }
  }

  string(token: Token): void {
    const place = this.#note(STRING);
    if (place === null) return;
    if (token.length > WORD_BYTES) {
      if (place.wantsLong) place.noteLong(STRING, cutText(textOf(token)));
    } else if (place.seen !== null) {
      const hash = hashOfToken(token);
      if (!place.countAgain(hash)) place.noteNew(hash, STRING, cutText(textOf(token)));
    }
  }

  number(token: Token): void {
    const place = this.#note(NUMBER);
    if (place === null) return;
    const value = numberOf(token);
    if (place.least === null || value < place.least.value || value > place.most!.value)
      place.noteNumber(value, cutText(textOf(token)).text);
    if (token.length > WORD_BYTES) {
      if (place.wantsLong) place.noteLong(NUMBER, cutText(textOf(token)));
    } else if (place.seen !== null) {
      // Below 0, where no string has its hash.
      const hash = -hashOfToken(token);
      if (!place.countAgain(hash)) place.noteNew(hash, NUMBER, cutText(textOf(token)));
    }
  }

  word(text: string): void {
    const kind = text === "null" ? NULL : BOOLEAN;
    const place = this.#note(kind);
    if (place === null || place.seen === null) return;
    // Between whole numbers, where no string and no number has its hash.
    const hash = text === "null" ? 0.25 : text === "true" ? 0.5 : 0.75;
    if (!place.countAgain(hash)) place.noteNew(hash, kind, { text, isCut: false });
  }

  /** Counts a value where it stands, and says where; null for one that is not followed. */
  #note(kind: Kind): Place | null {
    if (this.#beyond > 0) {
      this.notFollowed++;
      return null;
    }
    let place: Place | null = this.root;
    if (this.#open > 0) {
      const frame = this.#frames[this.#open - 1]!;
      if (frame.isArray) {
        frame.length++;
        place = frame.place.elements ?? this.#elementsOf(frame.place);
      } else place = frame.child;
    }
    if (place === null) this.notFollowed++;
    else place.counts[kind]!++;
    return place;
  }

  #elementsOf(place: Place): Place | null {
    if (!this.#hasRoom()) return null;
    this.#places++;
    return (place.elements = new Place("element", "", place.depth + 1));
  }

  /** The place for a key that was not met here before; null when there is no room for one. */
  #childOf(place: Place, hash: number, token: Token): Place | null {
    if (place.children?.size === MOST_CHILDREN) {
      toMap(place);
      this.#places = placesOf(this.root);
    }
    if (place.mapValues !== null) {
      place.noteKey(hash);
      return place.mapValues;
    }
    if (!this.#hasRoom()) {
      place.noteKey(hash);
      return null;
    }
    this.#places++;
    const child = new Place("key", textOf(token).text, place.depth + 1);
    (place.children ??= new Map()).set(hash, child);
    return child;
  }

  #hasRoom(): boolean {
    if (this.#places < MOST_PLACES) return true;
    this.isFull = true;
    return false;
  }
}

/** 10^0 … 10^15: a whole number of 15 digits divided by one of these is the nearest double. */
const POWERS = Array.from({ length: 16 }, (_, at) => 10 ** at);

/** What a number means: by its digits when they are few, which is ten times as fast as making a string of them. */
function numberOf({ bytes, from, to }: Token): number {
  const isNegative = bytes[from] === 0x2d;
  let digits = 0;
  let point = -1;
  if (to - from > 16) return Number(latin(bytes, from, to));
  for (let at = isNegative ? from + 1 : from; at < to; at++) {
    const byte = bytes[at]!;
    if (byte >= 0x30 && byte <= 0x39) digits = digits * 10 + byte - 0x30;
    else if (byte === 0x2e) point = at;
    else return Number(latin(bytes, from, to));
  }
  const value = point < 0 ? digits : digits / POWERS[to - point - 1]!;
  return isNegative ? -value : value;
}

const latin = (bytes: Uint8Array, from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));
