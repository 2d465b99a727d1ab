// The values of a document, found by its index: the children of one from any of them on, and what lies around a byte.
import { FLAG, KINDS, LEVELS, NONE, type JsonIndex, type Kind } from "./json-index.ts";
import { measure, type Extent } from "./measure.ts";
import * as tokens from "./token-bytes.ts";

export type Document = { readonly bytes: Uint8Array; readonly index: JsonIndex; readonly isLines: boolean };

/** A value of the document. What is still being read has no end yet. */
export type Value = {
  readonly kind: Kind;
  readonly at: number;
  readonly end: number | null;
  /** Which child of its parent it is, from 0. */
  readonly ordinal: number;
  /** The key's bytes between its quotes, with them; null in arrays. */
  readonly key: { readonly at: number; readonly end: number } | null;
  /** Children; of a string characters. */
  readonly count: number;
  /** Lines when laid out, and at which of those inside its parent it begins. */
  readonly lines: number;
  readonly line: number;
  /** 1 for a value of the document itself. */
  readonly depth: number;
  /** NONE for a small one. */
  readonly entry: number;
};

export const isContainer = ({ kind }: Value): boolean => kind === "object" || kind === "array" || kind === "document";

/** What holds the values of the document. */
export function documentOf({ index, bytes }: Document): Value {
  const end = index.isWhole ? bytes.length : null;
  const [count, lines] = [index.count[0]!, index.lines[0]!];
  return { kind: "document", at: -1, end, ordinal: 0, key: null, count, lines, line: 0, depth: 0, entry: 0 };
}

/** Where to begin among children. */
export type From = { readonly ordinal: number } | { readonly line: number } | { readonly byte: number };

/** The children of a value, from the last point that is not past `from`: the first few may lie before it. */
export function* childrenFrom(document: Document, parent: Value, from: From): Generator<Value, void> {
  if (!isContainer(parent)) return;
  const { bytes, index, isLines } = document;
  const isRoot = parent.entry === 0;
  const limit = limitOf(document, parent);
  const depth = parent.depth + 1;
  const extent: Extent = { end: 0, count: 0, lines: 0 };
  let { at, ordinal, line } = startOf(document, parent, from);
  for (;;) {
    at = tokens.afterSpace(bytes, at, limit);
    if (!isRoot && ordinal > 0 && bytes[at] === tokens.COMMA) at = tokens.afterSpace(bytes, at + 1, limit);
    if (at >= limit) return;
    let key: Value["key"] = null;
    if (parent.kind === "object") {
      const keyEnd = bytes[at] === tokens.QUOTE ? tokens.stringEnd(bytes, at, limit) : -1;
      if (keyEnd < 0) return;
      key = { at, end: keyEnd };
      const colon = tokens.afterSpace(bytes, keyEnd, limit);
      if (bytes[colon] !== tokens.COLON) return;
      at = tokens.afterSpace(bytes, colon + 1, limit);
      if (at >= limit) return;
    }
    const position = { at, ordinal, key, line, depth };
    const entry = index.entryAt(at);
    let value: Value;
    if (entry !== NONE) value = entered(index, entry, position);
    else {
      const isJson = measure(bytes, at, limit, { depth, isLines }, extent);
      const isWhole = isJson && (!isRoot || !isLines || isLineEnd(bytes, extent.end, limit));
      if (isWhole) value = { ...position, ...extent, kind: kindAt(bytes[at]!, depth), entry: NONE };
      else if (isRoot && isLines && index.isWhole) value = brokenLine(bytes, position, limit);
      else return;
    }
    yield value;
    if (value.end === null) return;
    at = value.end;
    ordinal++;
    line += value.lines;
  }
}

/** Where the bytes of a container end: before its closing bracket, when it has one. */
function limitOf({ bytes, index }: Document, parent: Value): number {
  if (parent.end === null) return index.readTo;
  if (parent.entry === 0) return index.end[0]!;
  const isCutOff = parent.entry !== NONE && (index.flags[parent.entry]! & FLAG.cutOff) !== 0;
  return isCutOff ? parent.end : Math.min(bytes.length, parent.end - 1);
}

function startOf({ bytes, index }: Document, parent: Value, from: From): { at: number; ordinal: number; line: number } {
  let point = parent.entry === NONE ? NONE : index.lastPoint[parent.entry]!;
  const isPast = (one: number): boolean => {
    if ("ordinal" in from) return index.pointOrdinal[one]! > from.ordinal;
    if ("line" in from) return index.pointLine[one]! > from.line;
    return index.pointAt[one]! > from.byte;
  };
  while (point !== NONE && isPast(point)) point = index.pointBefore[point]!;
  if (point !== NONE)
    return { at: index.pointAt[point]!, ordinal: index.pointOrdinal[point]!, line: index.pointLine[point]! };
  const isMarked = parent.entry === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return { at: parent.entry === 0 ? (isMarked ? 3 : 0) : parent.at + 1, ordinal: 0, line: 0 };
}

type Position = Pick<Value, "at" | "ordinal" | "key" | "line" | "depth">;

function entered(index: JsonIndex, entry: number, position: Position): Value {
  const end = index.end[entry]!;
  const kind = KINDS[index.kind[entry]!]!;
  const [count, lines] = [index.count[entry]!, index.lines[entry]!];
  return { ...position, kind, end: end === NONE ? null : end, count, lines, entry };
}

const WORDS: Readonly<Record<number, Kind>> = {
  [tokens.OPEN_OBJECT]: "object",
  [tokens.OPEN_ARRAY]: "array",
  [tokens.QUOTE]: "string",
  0x74: "true",
  0x66: "false",
  0x6e: "null",
};

function kindAt(byte: number, depth: number): Kind {
  const kind = WORDS[byte] ?? "number";
  return depth > LEVELS && (kind === "object" || kind === "array") ? "deep" : kind;
}

function isLineEnd(bytes: Uint8Array, at: number, limit: number): boolean {
  let to = at;
  while (to < limit && bytes[to] !== tokens.NEWLINE) if (!tokens.isSpace(bytes[to++])) return false;
  return true;
}

function brokenLine(bytes: Uint8Array, position: Position, limit: number): Value {
  const newline = bytes.indexOf(tokens.NEWLINE, position.at);
  let end = newline < 0 ? limit : Math.min(newline, limit);
  while (end > position.at && tokens.isSpace(bytes[end - 1])) end--;
  return { ...position, kind: "broken", end, count: 0, lines: 1, entry: NONE };
}

/** The child of a value that begins at an ordinal, or null. */
export function childAt(document: Document, parent: Value, ordinal: number): Value | null {
  for (const child of childrenFrom(document, parent, { ordinal })) if (child.ordinal === ordinal) return child;
  return null;
}

/** The values that lie around a byte, outermost first, down to the one whose own bytes or key it is. */
export function valuesAround(document: Document, byte: number): Value[] {
  const chain: Value[] = [];
  let parent = documentOf(document);
  for (;;) {
    const found = childAround(document, parent, byte);
    if (found === null) return chain;
    chain.push(found);
    if (byte <= found.at || !isContainer(found)) return chain;
    parent = found;
  }
}

function childAround(document: Document, parent: Value, byte: number): Value | null {
  for (const child of childrenFrom(document, parent, { byte })) {
    if ((child.key?.at ?? child.at) > byte) return null;
    if (child.end === null || child.end > byte) return child;
  }
  return null;
}

/** The values from the outermost down to the one that begins at a byte; null when none does. */
export function chainTo(document: Document, at: number): Value[] | null {
  const chain = valuesAround(document, at);
  return chain.at(-1)?.at === at ? chain : null;
}
