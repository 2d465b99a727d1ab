// The grammar of shapes, and the counting behind it. A value is null, boolean, number, string, `array(N) of T` or
// `object(k keys)`; T is what the elements have in common. A ShapeCounter counts the values at one path of a document, so
// that a shape comes from a stream. Nothing in a shape comes from values: only from kinds, counts and (cleaned) keys.

import { ARRAY, KINDS, OBJECT, type Kind } from "../json-sink.ts";

/** One string, or for a JSON object its keys with what stands behind each. */
export type Shape = string | Readonly<Record<string, string>>;

/** Arrays in arrays that are told apart; what lies deeper is `…`. */
const ARRAY_LEVELS = 8;
/** Kinds that a mixed path names. */
const MIXED_KINDS = 3;
/** Keys of a root object that are shown, and column names of a CSV. */
export const SHAPE_KEYS = 24;
/** Characters of one key: some files have their data in keys. */
const KEY_CHARS = 60;
/** Characters of a whole shape as JSON. */
const SHAPE_CHARS = 2000;
/** Stands in place of the keys that are not shown. */
export const MORE = "…";

/** What has been seen at one path of a document: how often each kind, how long, how many keys. */
export class ShapeCounter {
  readonly #counts = [0, 0, 0, 0, 0, 0];
  /** Kinds by first appearance. */
  readonly #seen: Kind[] = [];
  readonly #keys = { min: Infinity, max: 0 };
  readonly #lengths = { min: Infinity, max: 0 };
  readonly #level: number;
  #elements: ShapeCounter | null = null;

  constructor(level = 0) {
    this.#level = level;
  }

  /** One value of this kind begins. */
  note(kind: Kind): void {
    if (this.#counts[kind]!++ === 0) this.#seen.push(kind);
  }

  /** An object noted before has ended. */
  endObject(keys: number): void {
    widen(this.#keys, keys);
  }

  /** An array noted before has ended. */
  endArray(length: number): void {
    widen(this.#lengths, length);
  }

  /** Where the elements of this path's arrays are counted; null when they lie too deep to be told. */
  elements(): ShapeCounter | null {
    if (this.#elements === null && this.#level < ARRAY_LEVELS) this.#elements = new ShapeCounter(this.#level + 1);
    return this.#elements;
  }

  /** What the values at this path have in common. */
  describe(): string {
    const kinds = this.#seen
      .toSorted((a, b) => this.#counts[b]! - this.#counts[a]!)
      .slice(0, MIXED_KINDS)
      .map((kind) => this.#describeKind(kind));
    return kinds.length === 1 ? kinds[0]! : `mixed(${kinds.join(", ")})`;
  }

  #describeKind(kind: Kind): string {
    if (kind === OBJECT) return `object(${span(this.#keys)} keys)`;
    if (kind !== ARRAY) return KINDS[kind]!;
    if (this.#lengths.max === 0) return "array(0)";
    return `array(${span(this.#lengths)}) of ${this.#level < ARRAY_LEVELS ? this.#elements!.describe() : MORE}`;
  }
}

function widen(range: { min: number; max: number }, value: number): void {
  if (value < range.min) range.min = value;
  if (value > range.max) range.max = value;
}

const span = ({ min, max }: { min: number; max: number }): string => (min === max ? `${max}` : `${min}–${max}`);

/** The shape of a root object: its first keys, fewer when they are long, and how many more there are. */
export function shapeOfKeys(
  keys: readonly (readonly [key: string, descriptor: string])[],
  total: number,
  chars: number = SHAPE_CHARS,
): Shape {
  const names = safeNames(keys.slice(0, SHAPE_KEYS).map(([key]) => key));
  for (let shown = names.length; ; shown--) {
    const entries = names.slice(0, shown).map((name, i): [string, string] => [name, keys[i]![1]]);
    if (shown < total) entries.push([MORE, `+${total - shown} more keys`]);
    const shape = Object.fromEntries(entries);
    if (shown === 0 || JSON.stringify(shape).length <= chars) return shape;
  }
}

/** `csv(R rows × C columns)` and the first names of its header. */
export function shapeOfTable(rows: number, columns: readonly string[]): string {
  const start = `csv(${rows} rows × ${columns.length} columns)`;
  const names = safeNames(columns.slice(0, SHAPE_KEYS));
  for (let shown = names.length; shown > 0; shown--) {
    const more = shown < columns.length ? `, +${columns.length - shown} more` : "";
    const shape = `${start}: ${names.slice(0, shown).join(", ")}${more}`;
    if (JSON.stringify(shape).length <= SHAPE_CHARS) return shape;
  }
  return start;
}

/** Keys in one short piece of a line each, and each different: nothing in them moves the cursor or turns the text. */
function safeNames(keys: readonly string[]): string[] {
  const taken = new Set([MORE]);
  return keys.map((key) => {
    const plain = safeName(key);
    let name = plain;
    // 55 characters and the number: still within KEY_CHARS.
    for (let again = 2; taken.has(name); again++) name = `${[...plain].slice(0, KEY_CHARS - 5).join("")} (${again})`;
    taken.add(name);
    return name;
  });
}

function safeName(key: string): string {
  // 61 code points are at most 122 units; only so much is looked at.
  const chars = [...key.slice(0, 2 * (KEY_CHARS + 1))].map((char) =>
    /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u.test(char) ? "\uFFFD" : char,
  );
  return chars.length > KEY_CHARS ? `${chars.slice(0, KEY_CHARS - 1).join("")}…` : chars.join("");
}
