// The lines of a document laid out for reading, any of them without those before it. Strings, keys and numbers are the
// stored characters: nothing is rounded, and of equal keys both stand.
import * as tokens from "./token-bytes.ts";
import { childrenFrom, documentOf, isContainer, type Document, type Value } from "./walk.ts";
import type { Kind } from "./json-index.ts";

export type TextLine = {
  /** The value that stands in it, begins or ends in it. */
  readonly at: number;
  readonly kind: Kind;
  /** Levels that it is indented. */
  readonly indent: number;
  /** Its key as it is stored, with its quotes. */
  readonly key: string | null;
  readonly text: string;
  /** Characters that the whole text has, when it is cut. */
  readonly chars: number | null;
  readonly part: "whole" | "open" | "close";
  /** Of the first line of a container: all its lines, itself counted. */
  readonly lines: number;
  readonly count: number;
  readonly comma: boolean;
};

const TEXT_CHARS = 2000;
const KEY_CHARS = 1000;

type Frame = { readonly value: Value; readonly children: Iterator<Value>; next: IteratorResult<Value> };

/** Lines from a number (from 0), at most so many. */
export function textLines(document: Document, from: number, count: number): TextLine[] {
  const lines: TextLine[] = [];
  const frames = framesAt(document, from);
  if (frames === null) return lines;
  const { stack, first } = frames;
  // What the first frame gives besides its children: the line in which the container closes.
  let frame = stack.at(-1);
  if (first !== null) lines.push(first);
  while (frame !== undefined && lines.length < count) {
    const { next, value } = frame;
    if (next.done) {
      stack.pop();
      if (value.kind !== "document") lines.push(lineOf(document, value, "close", stack.at(-1)?.value));
      frame = stack.at(-1);
      continue;
    }
    const child = next.value;
    frame.next = frame.children.next();
    const parent = value;
    if (child.lines === 1) lines.push(lineOf(document, child, "whole", parent));
    else {
      lines.push(lineOf(document, child, "open", parent));
      const children = childrenFrom(document, child, { ordinal: 0 });
      frame = { value: child, children, next: children.next() };
      stack.push(frame);
    }
  }
  return lines;
}

/** The containers around a line, each at the child from which to go on. */
function framesAt(document: Document, from: number): { stack: Frame[]; first: TextLine | null } | null {
  const stack: Frame[] = [];
  let parent = documentOf(document);
  let line = from;
  for (;;) {
    const children = childrenFrom(document, parent, { line });
    let next = children.next();
    while (!next.done && next.value.line + next.value.lines <= line) next = children.next();
    if (next.done) {
      // Past the last child: the line that closes it, which is no line of the document itself.
      stack.push({ value: parent, children, next });
      return parent.kind === "document" ? null : { stack, first: null };
    }
    const child = next.value;
    const inside = line - child.line;
    if (inside === 0) {
      stack.push({ value: parent, children, next });
      return { stack, first: null };
    }
    stack.push({ value: parent, children, next: children.next() });
    parent = child;
    line = inside - 1;
  }
}

function lineOf({ bytes, index }: Document, value: Value, part: TextLine["part"], parent: Value | undefined): TextLine {
  const { at, kind, depth, count } = value;
  const isInside = parent !== undefined && parent.kind !== "document";
  const comma = part !== "open" && isInside && value.ordinal < parent.count - 1;
  const base = { at, kind, indent: depth - 1, part, comma, count };
  const brackets = kind === "object" ? "{}" : "[]";
  const key = part === "close" || value.key === null ? null : cut(bytes, value.key.at, value.key.end, KEY_CHARS).text;
  if (part === "open") return { ...base, key, text: brackets[0]!, chars: null, lines: value.lines };
  if (part === "close") return { ...base, key: null, text: brackets[1]!, chars: null, lines: 1 };
  if (isContainer(value) && count === 0) return { ...base, key, text: brackets, chars: null, lines: 1 };
  return { ...base, key, lines: 1, ...cut(bytes, at, value.end ?? index.readTo, TEXT_CHARS) };
}

function cut(bytes: Uint8Array, at: number, end: number, most: number): { text: string; chars: number | null } {
  const to = tokens.charAt(bytes, at, end, most);
  const text = tokens.decode(bytes, at, to);
  return to === end ? { text, chars: null } : { text, chars: tokens.countChars(bytes, at, end) };
}

/** The line in which a value begins, from its chain. */
export function lineOfChain(chain: readonly Value[]): number {
  return chain.reduce((line, value, level) => line + value.line + (level === 0 ? 0 : 1), 0);
}
