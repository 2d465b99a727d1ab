// The shape of JSON values as a tree of paths, from what a reader meets. Bounded whatever comes: so many paths, so deep;
// what is not followed is counted.
import { ARRAY, BOOLEAN, NULL, NUMBER, OBJECT, STRING, type ValueSink, type Kind, type Token } from "../json-sink.ts";
import { MOST_CHILDREN, PathNode, countNodes, toMap, widen } from "./path-node.ts";
import { cutText, hashOfToken, textOf } from "../json-token.ts";

/** Paths of one tree: some 200 kB as an answer, and more than anybody reads. */
export const MOST_PATHS = 2000;
export const MOST_DEPTH = 64;
/** A string with more bytes is no word that comes again: it is told as an example alone. */
const WORD_BYTES = 160;

type Frame = { node: PathNode; isArray: boolean; length: number; serial: number; child: PathNode | null };

export class ShapeTree implements ValueSink {
  readonly root = new PathNode("root", "", 0);
  /** Values that were not followed: below MOST_DEPTH, or where no path was left for them. */
  notFollowed = 0;
  isFull = false;
  isTooDeep = false;
  repeatedKeys = 0;
  #nodes = 1;
  readonly #frames: Frame[] = [];
  #open = 0;
  /** Containers that are open below what is followed. */
  #beyond = 0;
  #serial = 0;

  begin(isArray: boolean): void {
    const node = this.#note(isArray ? ARRAY : OBJECT);
    if (node === null || this.#open === MOST_DEPTH) {
      if (node !== null) this.isTooDeep = node.isTooDeep = true;
      this.#beyond++;
      return;
    }
    const frame = (this.#frames[this.#open++] ??= { node, isArray, length: 0, serial: 0, child: null });
    frame.node = node;
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
    const { node, isArray, length } = this.#frames[--this.#open]!;
    widen(isArray ? node.lengths : node.sizes, length);
  }

  key(token: Token): void {
    if (this.#beyond > 0) return;
    const frame = this.#frames[this.#open - 1]!;
    frame.length++;
    const hash = hashOfToken(token);
    const child = frame.node.children?.get(hash) ?? this.#childOf(frame.node, hash, token);
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
    const node = this.#note(STRING);
    if (node === null) return;
    if (token.length > WORD_BYTES) {
      if (node.wantsLong) node.noteLong(STRING, cutText(textOf(token)));
    } else if (node.seen !== null) {
      const hash = hashOfToken(token);
      if (!node.countAgain(hash)) node.noteNew(hash, STRING, cutText(textOf(token)));
    }
  }

  number(token: Token): void {
    const node = this.#note(NUMBER);
    if (node === null) return;
    const value = numberOf(token);
    if (node.least === null || value < node.least.value || value > node.most!.value)
      node.noteNumber(value, cutText(textOf(token)).text);
    if (token.length > WORD_BYTES) {
      if (node.wantsLong) node.noteLong(NUMBER, cutText(textOf(token)));
    } else if (node.seen !== null) {
      // Below 0, where no string has its hash.
      const hash = -hashOfToken(token);
      if (!node.countAgain(hash)) node.noteNew(hash, NUMBER, cutText(textOf(token)));
    }
  }

  word(text: string): void {
    const kind = text === "null" ? NULL : BOOLEAN;
    const node = this.#note(kind);
    if (node === null || node.seen === null) return;
    // Between whole numbers, where no string and no number has its hash.
    const hash = text === "null" ? 0.25 : text === "true" ? 0.5 : 0.75;
    if (!node.countAgain(hash)) node.noteNew(hash, kind, { text, isCut: false });
  }

  /** Counts a value where it stands, and says where; null for one that is not followed. */
  #note(kind: Kind): PathNode | null {
    if (this.#beyond > 0) {
      this.notFollowed++;
      return null;
    }
    let node: PathNode | null = this.root;
    if (this.#open > 0) {
      const frame = this.#frames[this.#open - 1]!;
      if (frame.isArray) {
        frame.length++;
        node = frame.node.elements ?? this.#elementsOf(frame.node);
      } else node = frame.child;
    }
    if (node === null) this.notFollowed++;
    else node.counts[kind]!++;
    return node;
  }

  #elementsOf(node: PathNode): PathNode | null {
    if (!this.#hasRoom()) return null;
    this.#nodes++;
    return (node.elements = new PathNode("element", "", node.depth + 1));
  }

  /** The path for a key that was not met here before; null when there is no room for one. */
  #childOf(node: PathNode, hash: number, token: Token): PathNode | null {
    if (node.children?.size === MOST_CHILDREN) {
      toMap(node);
      this.#nodes = countNodes(this.root);
    }
    if (node.mapValues !== null) {
      node.noteKey(hash);
      return node.mapValues;
    }
    if (!this.#hasRoom()) {
      node.noteKey(hash);
      return null;
    }
    this.#nodes++;
    const child = new PathNode("key", textOf(token).text, node.depth + 1);
    (node.children ??= new Map()).set(hash, child);
    return child;
  }

  #hasRoom(): boolean {
    if (this.#nodes < MOST_PATHS) return true;
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
