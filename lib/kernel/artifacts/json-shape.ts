// The shape of a JSON document, or of JSON lines, from what a reader meets. It looks no deeper than a shape tells: the
// root, the values of a root object, arrays in arrays there, and the number of keys of the objects that lie in them.
import { KeySet, hashOf } from "./key-set.ts";
import { ARRAY, OBJECT, SHAPE_KEYS, Tally, shapeOfKeys } from "./shape-tally.ts";
import type { Kind, Shape } from "./shape-tally.ts";

/** Bytes of a key that are kept: a longer one is told apart by these and its length. */
export const KEY_BYTES = 1024;

/** An open array or object that a shape tells of. */
type Frame = {
  isArray: boolean;
  /** Where it is counted itself. */
  place: Tally;
  /** Where its values are counted: null for those that a shape does not tell. */
  values: Tally | null;
  length: number;
  readonly keys: KeySet;
};

type RootKey = { readonly name: string; place: Tally };

export class JsonShape {
  /** The frames are the outermost levels: what is open deeper than this has none. */
  #open = 0;
  readonly #frames: Frame[] = [];
  readonly #root = new Tally();
  #roots = 0;
  readonly #rootKeys = new Map<number, RootKey>();
  #rootKeyCount = 0;
  #firstIsObject = false;

  /** Documents that have ended. */
  get roots(): number {
    return this.#roots;
  }

  /** A scalar inside `depth` arrays and objects. */
  scalar(depth: number, kind: Kind): void {
    if (depth === this.#open) this.#note(kind);
  }

  begin(depth: number, isArray: boolean): void {
    if (depth !== this.#open) return;
    const place = this.#note(isArray ? ARRAY : OBJECT);
    if (depth === 0 && this.#roots === 0) this.#firstIsObject = !isArray;
    if (place !== null) this.#push(place, isArray);
  }

  /** The array or object at this depth ends (1 is the root). */
  end(depth: number): void {
    if (depth === this.#open) {
      const { isArray, place, length, keys } = this.#frames[--this.#open]!;
      if (isArray) place.endArray(length);
      else place.endObject(keys.size);
      if (depth === 1 && this.#roots === 0) this.#rootKeyCount = keys.size;
    }
    if (depth === 1) this.#roots++;
  }

  /** Whether the keys of the object at this depth are counted. */
  wantsKeys(depth: number): boolean {
    return depth === this.#open;
  }

  /** A key of that object: its bytes between the quotes (the first KEY_BYTES of `length`). */
  key(depth: number, bytes: Uint8Array, from: number, to: number, length: number, hasEscape: boolean): void {
    const frame = this.#frames[depth - 1]!;
    const isWhole = to - from === length;
    const plain = hasEscape && isWhole ? new TextEncoder().encode(nameOf(bytes.subarray(from, to), true)) : null;
    const hash = plain === null ? hashOf(bytes, from, to, length) : hashOf(plain, 0, plain.length, plain.length);
    const isNew = frame.keys.add(hash);
    if (depth !== 1 || this.#roots > 0) return;
    // The last of equal keys holds, in the place of the first: as every reader of JSON has it.
    const known = this.#rootKeys.get(hash);
    frame.values = null;
    if (known !== undefined) frame.values = known.place = new Tally();
    else if (isNew && this.#rootKeys.size < SHAPE_KEYS) {
      frame.values = new Tally();
      this.#rootKeys.set(hash, { name: nameOf(bytes.subarray(from, to), isWhole), place: frame.values });
    }
  }

  document(): Shape {
    if (!this.#firstIsObject) return this.#root.describe();
    const keys = [...this.#rootKeys.values()].map(({ name, place }) => [name, place.describe()] as const);
    return shapeOfKeys(keys, this.#rootKeyCount);
  }

  lines(): Shape {
    return `jsonl(${this.#roots}) of ${this.#root.describe()}`;
  }

  /** Counts a value of the innermost frame, and says where; null when its kind is not told. */
  #note(kind: Kind): Tally | null {
    let place: Tally | null = this.#root;
    if (this.#open > 0) {
      const frame = this.#frames[this.#open - 1]!;
      frame.length++;
      place = frame.values;
    }
    place?.note(kind);
    return place;
  }

  #push(place: Tally, isArray: boolean): void {
    const values = isArray ? place.elements() : null;
    const used = this.#frames[this.#open];
    if (used === undefined) this.#frames.push({ isArray, place, values, length: 0, keys: new KeySet() });
    else {
      used.isArray = isArray;
      used.place = place;
      used.values = values;
      used.length = 0;
      used.keys.clear();
    }
    this.#open++;
  }
}

/** A key without its escapes. One that was cut may end inside an escape, of at most 12 characters for a pair. */
function nameOf(bytes: Uint8Array, isWhole: boolean): string {
  const raw = new TextDecoder().decode(bytes);
  for (let cut = 0; cut <= (isWhole ? 0 : 6); cut++) {
    try {
      return JSON.parse(`"${raw.slice(0, raw.length - cut)}"`) as string;
    } catch {
      // The cut is inside an escape: one character less, then.
    }
  }
  return raw;
}
