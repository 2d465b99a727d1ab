// Sets of characters: [a-z_], [^[:space:]], \d, \p{L}.
import { hex, literalOf, readEscape, refuse, type Cursor } from "./pattern-tokens.ts";

const POSIX = new Set([
  "alnum",
  "alpha",
  "blank",
  "cntrl",
  "digit",
  "graph",
  "lower",
  "print",
  "punct",
  "space",
  "upper",
  "word",
  "xdigit",
]);

/** The members of \d \w \s as ranges of code points, ASCII alone. */
const SETS: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  d: [[0x30, 0x39]],
  w: [
    [0x30, 0x39],
    [0x41, 0x5a],
    [0x5f, 0x5f],
    [0x61, 0x7a],
  ],
  s: [
    [0x09, 0x0d],
    [0x20, 0x20],
  ],
};

/** General categories, and the scripts that both engines spell alike. */
const PROPERTY =
  /^(?:L[ulmto]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|C[cf]?|Arabic|Cyrillic|Devanagari|Greek|Han|Hangul|Hebrew|Hiragana|Katakana|Latin|Thai)$/;

/** A set after the cursor's backslash, for outside brackets; null when what follows is something else. */
export function escapedSet(cursor: Cursor): string | null {
  const members = setMembers(cursor);
  return members === null ? null : `[${members}]`;
}

function setMembers(cursor: Cursor): string | null {
  const letter = cursor.text[cursor.at];
  if (letter === undefined) return null;
  if (letter === "p" || letter === "P") return property(cursor);
  const ranges = SETS[letter.toLowerCase()];
  if (!ranges) return null;
  cursor.at++;
  return spell(letter === letter.toLowerCase() ? ranges : complement(ranges));
}

function property(cursor: Cursor): string {
  const found = /^(p|P)(?:\{(\^?)([A-Za-z]+)\}|([A-Z]))/.exec(cursor.text.slice(cursor.at));
  const name = found?.[3] ?? found?.[4] ?? "";
  if (!found || !PROPERTY.test(name))
    refuse("has a \\p{…} that is not known here; known are categories and a few scripts");
  cursor.at += found![0].length;
  const isNegated = (found![1] === "P") !== (found![2] === "^");
  return `\\${isNegated ? "P" : "p"}{${name}}`;
}

function complement(ranges: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  const edges = [-1, ...ranges.flat(), 0x110000];
  const all: [number, number][] = [];
  for (let i = 0; i < edges.length; i += 2) all.push([edges[i]! + 1, edges[i + 1]! - 1]);
  return all.filter(([from, to]) => from <= to);
}

const spell = (ranges: readonly (readonly [number, number])[]): string =>
  ranges.map(([from, to]) => `\\x{${from.toString(16)}}-\\x{${to.toString(16)}}`).join("");

/** `[…]`; the cursor is after the opening bracket. Backslash escapes, as in Perl; in POSIX it is a member. */
export function readBrackets(cursor: Cursor): string {
  const { text } = cursor;
  const startedAt = cursor.at;
  const isNegated = text[cursor.at] === "^";
  if (isNegated) cursor.at++;
  let members = "";
  for (let isFirst = true; ; isFirst = false) {
    if (cursor.at >= text.length)
      refuse(`has a [ without its ] at character ${startedAt}; write \\[ for the character`);
    if (text[cursor.at] === "]" && !isFirst) break;
    members += readMember(cursor);
  }
  cursor.at++;
  return `[${isNegated ? "^" : ""}${members}]`;
}

function readMember(cursor: Cursor): string {
  const { text } = cursor;
  const rest = text.slice(cursor.at);
  const posix = /^\[:(\^?)([a-z]*):\]/.exec(rest);
  if (posix) {
    if (!POSIX.has(posix[2]!)) refuse(`has [:${posix[2]}:], which is not a class; known are ${[...POSIX].join(", ")}`);
    cursor.at += posix[0].length;
    return posix[0];
  }
  if (/^\[[.=]/.test(rest)) refuse("has a collating class [.…] or [=…], which is not supported");
  if (rest[0] === "\\") {
    cursor.at++;
    const set = setMembers(cursor);
    if (set !== null) return set;
    cursor.at--;
  }
  const from = readChar(cursor);
  // A dash before the closing bracket is itself.
  if (text[cursor.at] !== "-" || text[cursor.at + 1] === "]" || cursor.at + 1 >= text.length) return member(from);
  cursor.at++;
  const to = readChar(cursor);
  if (to.codePointAt(0)! < from.codePointAt(0)!) refuse(`has the range ${from}-${to}, which runs backwards`);
  return `${hex(from)}-${hex(to)}`;
}

const member = (char: string): string => (char === "\b" ? hex(char) : literalOf(char));

function readChar(cursor: Cursor): string {
  const char = String.fromCodePoint(cursor.text.codePointAt(cursor.at)!);
  cursor.at += char.length;
  if (char !== "\\") return char;
  // Inside brackets \b is the backspace.
  if (cursor.text[cursor.at] === "b") {
    cursor.at++;
    return "\b";
  }
  return readEscape(cursor);
}
