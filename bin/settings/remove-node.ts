// Takes a value out of JSON with comments. jsonc-parser does so too, with the comments between it and its neighbour: those are
// somebody's, and stay here.
import * as jsonc from "jsonc-parser";

/** Of `SyntaxKind`, a const enum, which stripped types do not know. */
const COMMA = 5;
const END = 17;

type Span = readonly [start: number, end: number];

/** The text without the property or element at a path; the same when there is none. */
export function withoutNode(text: string, path: readonly (string | number)[]): string {
  const tree = jsonc.parseTree(text, [], { allowTrailingComma: true });
  const value = tree && jsonc.findNodeAtLocation(tree, [...path]);
  if (value?.parent === undefined) return text;
  // A property is its name and its value.
  const node = value.parent.type === "property" ? value.parent : value;
  const siblings = node.parent!.children!;
  const at = siblings.indexOf(node);
  const end = node.offset + node.length;
  const next = siblings[at + 1];
  const before = siblings[at - 1];
  const closing = node.parent!.offset + node.parent!.length - 1;
  const comma =
    commaIn(text, end, next?.offset ?? closing) ??
    (before === undefined ? null : commaIn(text, before.offset + before.length, node.offset));
  const spans: Span[] = [wholeLines(text, [node.offset, comma === end ? end + 1 : end])];
  if (comma !== null && comma !== end) spans.push([comma, comma + 1]);
  return spans.toSorted((a, b) => b[0] - a[0]).reduce((left, [from, to]) => left.slice(0, from) + left.slice(to), text);
}

/** Where a comma stands between two offsets, in no comment. */
function commaIn(text: string, from: number, to: number): number | null {
  const scanner = jsonc.createScanner(text.slice(from, to), true);
  for (let token = scanner.scan(); token !== END; token = scanner.scan())
    if (token === COMMA) return from + scanner.getTokenOffset();
  return null;
}

/** With the rest of its lines, where nothing else stands on them; else with the blanks before it. */
function wholeLines(text: string, [from, to]: Span): Span {
  const start = from - /[ \t]*$/.exec(text.slice(0, from))![0].length;
  const after = /^[ \t]*(\r?\n)?/.exec(text.slice(to))!;
  const isAlone = (start === 0 || text[start - 1] === "\n") && after[1] !== undefined;
  return isAlone ? [start, to + after[0].length] : [start, to];
}
