// What a page shows of a value in one row: a short text of it, what it holds, and what a reader must know of it.
import { FLAG, LARGE, NONE, type Kind } from "./json-index.ts";
import * as tokens from "./token-bytes.ts";
import { childrenFrom, isContainer, type Document, type Value } from "./walk.ts";

export const MARKS = ["sameKey", "inexact", "notUtf8", "loneSurrogate", "cutOff", "broken", "deep"] as const;
export type Mark = (typeof MARKS)[number];

export type Row = {
  /** Where it begins; its name in what is asked next. */
  readonly at: number;
  readonly end: number | null;
  readonly kind: Kind;
  readonly ordinal: number;
  readonly depth: number;
  readonly key: string | null;
  /** Characters of a key that is shown cut, else null. */
  readonly keyChars: number | null;
  /** A string's characters, else the JSON text; cut after some. */
  readonly text: string;
  /** Characters of what is shown cut, else null. */
  readonly chars: number | null;
  readonly count: number;
  readonly lines: number;
  readonly marks: readonly Mark[];
  /** An inexact number as a double has it. */
  readonly double: string | null;
};

/** Characters that a row shows of a string, a container and a key: with them its length is seen at 1,440 px. */
const STRING_CHARS = 100;
const PREVIEW_BYTES = 120;
const KEY_CHARS = 100;
/** A larger object's keys are compared by what its index remembers of them. */
const COMPARED_KEYS = 2000;

/** Rows of the children of a value. */
export function rowsOf(document: Document, parent: Value, from: number, count: number): Row[] {
  const isSame = sameKeysOf(document, parent);
  const rows: Row[] = [];
  for (const child of childrenFrom(document, parent, { ordinal: from })) {
    if (child.ordinal < from) continue;
    if (rows.length === count) break;
    const row = rowOf(document, child);
    rows.push(isSame?.(child) ? { ...row, marks: ["sameKey", ...row.marks] } : row);
  }
  return rows;
}

export function rowOf({ bytes, index }: Document, value: Value): Row {
  const { at, end, kind, ordinal, depth, count, lines, entry } = value;
  const flags = entry === NONE ? 0 : index.flags[entry]!;
  const base = { at, end, kind, ordinal, depth, lines };
  const marks = new Set<Mark>();
  const key = keyOf(bytes, value, marks);
  if (kind === "string") {
    const last = (end ?? index.readTo) - 1;
    const to = tokens.charAt(bytes, at + 1, last, STRING_CHARS);
    const chars = to === last ? null : entry === NONE ? tokens.countChars(bytes, at + 1, last) : count;
    markString(bytes, at + 1, last, entry === NONE ? null : flags, marks);
    const text = tokens.decodeString(bytes, at + 1, to);
    return { ...base, ...key, text, chars, count: 0, marks: [...marks], double: null };
  }
  if (kind === "number") {
    const to = Math.min(end ?? index.readTo, at + STRING_CHARS);
    const text = tokens.decode(bytes, at, to);
    const chars = end === null || to === end ? null : end - at;
    // What is cut has hundreds of digits.
    const isInexact = chars !== null || tokens.isInexact(text);
    if (isInexact) marks.add("inexact");
    const double = isInexact && chars === null ? String(Number(text)) : null;
    return { ...base, ...key, text, chars, count: 0, marks: [...marks], double };
  }
  if (kind === "deep") marks.add("deep");
  if (kind === "broken") marks.add("broken");
  if (isContainer(value) && (flags & FLAG.cutOff) !== 0) marks.add("cutOff");
  const { text, chars } = previewOf(bytes, at, end ?? index.readTo);
  return { ...base, ...key, text, chars, count, marks: [...marks], double: null };
}

/** The beginning of a text without the space between its tokens. */
function previewOf(bytes: Uint8Array, at: number, end: number): { text: string; chars: number | null } {
  let to = Math.min(end, at + PREVIEW_BYTES);
  while (to < end && (bytes[to]! & 0xc0) === 0x80) to++;
  const text = tokens.decode(bytes, Math.max(0, at), to).replace(/[ \t\r\n]+/g, " ");
  return { text, chars: to < end ? end - at : null };
}

function keyOf(bytes: Uint8Array, { key }: Value, marks: Set<Mark>): Pick<Row, "key" | "keyChars"> {
  if (key === null) return { key: null, keyChars: null };
  const to = tokens.charAt(bytes, key.at + 1, key.end - 1, KEY_CHARS);
  const keyChars = to === key.end - 1 ? null : tokens.countChars(bytes, key.at + 1, key.end - 1);
  // Long keys are looked at as far as they are shown.
  markString(bytes, key.at + 1, Math.min(key.end - 1, key.at + LARGE), null, marks);
  return { key: tokens.decodeString(bytes, key.at + 1, to), keyChars };
}

function markString(bytes: Uint8Array, from: number, to: number, flags: number | null, marks: Set<Mark>): void {
  const isText = flags === null ? tokens.isUtf8(bytes, from, to) : (flags & FLAG.notUtf8) === 0;
  const isLone = flags === null ? tokens.hasLoneSurrogate(bytes, from, to) : (flags & FLAG.loneSurrogate) !== 0;
  if (!isText) marks.add("notUtf8");
  if (isLone) marks.add("loneSurrogate");
}

/** Tells whether a child's key stands in its object more than once; null where none does. */
function sameKeysOf(document: Document, parent: Value): ((child: Value) => boolean) | null {
  if (parent.kind !== "object") return null;
  const { bytes, index } = document;
  const hashOf = ({ key }: Value): number =>
    key === null ? Number.NaN : tokens.hashKey(bytes, key.at + 1, key.end - 1, hasEscape(bytes, key));
  if (parent.entry !== NONE && parent.end !== null && (index.flags[parent.entry]! & FLAG.cutOff) === 0) {
    const same = index.sameKeys.get(parent.entry);
    return same === undefined ? null : (child) => same.has(hashOf(child));
  }
  // A small one, or one that is not read to its end.
  const met = new Set<number>();
  const same = new Set<number>();
  for (const child of childrenFrom(document, parent, { ordinal: 0 })) {
    if (child.ordinal >= COMPARED_KEYS) break;
    const hash = hashOf(child);
    (met.has(hash) ? same : met).add(hash);
  }
  return same.size === 0 ? null : (child) => same.has(hashOf(child));
}

const hasEscape = (bytes: Uint8Array, { at, end }: { at: number; end: number }): boolean =>
  bytes.subarray(at, end).includes(0x5c);

export type Container = Pick<Row, "at" | "ordinal" | "count" | "key" | "keyChars"> & { readonly parent: number };

/** Containers below a value, level by level, at most so many, itself first. */
export function containersBelow(
  document: Document,
  value: Value,
  most: { readonly containers: number; readonly children: number },
): { containers: Container[]; isWhole: boolean } {
  const result = (one: Value, parent: number): Container => {
    const { at, ordinal, count } = one;
    return { at, ordinal, count, parent, ...keyOf(document.bytes, one, new Set()) };
  };
  const containers = [result(value, -1)];
  let level: Value[] = [value];
  let children = 0;
  while (level.length > 0) {
    const below: Value[] = [];
    for (const parent of level)
      for (const child of childrenFrom(document, parent, { ordinal: 0 })) {
        if (++children > most.children) return { containers, isWhole: false };
        if (!isContainer(child) || child.count === 0) continue;
        if (containers.length === most.containers) return { containers, isWhole: false };
        containers.push(result(child, parent.at));
        below.push(child);
      }
    level = below;
  }
  return { containers, isWhole: true };
}
