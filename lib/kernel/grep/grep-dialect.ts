// One dialect for two engines: extended regular expressions as GNU grep reads them, with the escapes that everybody
// writes (\d \w \s \b \t, also inside brackets). Rust's engine and RE2 agree on almost all of it; where they differ
// from grep or from each other, the pattern is rewritten or refused in a sentence. A character is a code point;
// \w \d \s \b and [[:classes:]] are ASCII; the first alternative that matches is taken, not the longest.
import { readBrackets, escapedSet } from "./brackets.ts";
import { literalOf, readEscape, refuse, type Cursor } from "./pattern-tokens.ts";

export type Dialect = {
  /** For ripgrep. */
  readonly rust: string;
  /** For re2js, with ^ and $ at line ends; with -w the match is group 1. */
  readonly re2: string;
  /** With -w, for the matches after the first of a line: begun at the character before, which is no letter. */
  readonly re2Next?: string;
};

/** RE2 takes no more than a thousand copies of a thing, nested ones multiplied; neither does ripgrep, here. */
const MOST_REPEATS = 1000;
const MOST_DEPTH = 100;
const WORD_END = "[^0-9A-Za-z_]";

type Flags = { readonly fixed: boolean; readonly ignoreCase: boolean; readonly word: boolean; readonly line: boolean };

/** Both spellings of a pattern. Throws a PatternRefusal with the reason. */
export function translatePattern(pattern: string, flags: Flags): Dialect {
  const { rust, re2 } = flags.fixed ? same(literalOf(pattern)) : translate(pattern);
  const open = flags.ignoreCase ? "(?i:" : "(?:";
  if (flags.line) return { rust: `^${open}${rust})${LINE_END}`, re2: `^${open}${re2})${LINE_END}` };
  if (flags.word) {
    const wordToItsEnd = `(${open}${re2}))(?:$|${WORD_END})`;
    return {
      rust: `(?-u:\\b{start-half})${open}${rust})(?-u:\\b{end-half})`,
      re2: `(?:^|${WORD_END})${wordToItsEnd}`,
      re2Next: `${WORD_END}${wordToItsEnd}`,
    };
  }
  return { rust: `${open}${rust})`, re2: `${open}${re2})` };
}

/** \r\n ends a line as \n does: `error$` finds it in a log from Windows. */
const LINE_END = "(?:\\r?$)";

const same = (text: string): Dialect => ({ rust: text, re2: text });

type Piece = {
  readonly rust: string;
  readonly re2: string;
  /** How many copies of its parts an engine makes of it. */
  readonly copies: number;
};

const piece = (rust: string, re2 = rust, copies = 1): Piece => ({ rust, re2, copies });

type Group = {
  readonly open: string;
  /** Finished alternatives and the `|` after them. */
  readonly before: Piece[];
  /** The alternative being read. */
  now: Piece[];
  /** True while the last piece may be repeated. */
  isRepeatable: boolean;
};

const group = (open: string): Group => ({ open, before: [], now: [], isRepeatable: false });

function translate(pattern: string): Dialect {
  const cursor: Cursor = { text: pattern, at: 0 };
  const stack: Group[] = [group("(?:")];
  while (cursor.at < pattern.length) {
    const top = stack.at(-1)!;
    const char = String.fromCodePoint(pattern.codePointAt(cursor.at)!);
    cursor.at += char.length;
    if (char === "(") {
      const open = readOpen(cursor);
      // `(?i)` counts from here to the end of its group.
      if (open.endsWith(")")) add(top, piece(open), false);
      else if (stack.length > MOST_DEPTH) refuse(`has groups in groups, more than ${MOST_DEPTH} deep`);
      else stack.push(group(open));
    } else if (char === ")") {
      if (stack.length === 1) refuse(`has a ) without its (; write \\) for the character`);
      stack.pop();
      add(stack.at(-1)!, close(top), true);
    } else if (char === "|") {
      top.before.push(...top.now, piece("|"));
      top.now = [];
      top.isRepeatable = false;
    } else if (char === "*" || char === "+" || char === "?") repeat(top, char, 1, cursor);
    else if (char === "{") readBounds(top, cursor);
    else if (char === "^") add(top, piece("^"), false);
    else if (char === "$") add(top, piece(LINE_END), true);
    else if (char === ".") add(top, piece("."), true);
    else if (char === "[") add(top, piece(readBrackets(cursor)), true);
    else if (char === "\\") add(top, escaped(cursor), true);
    else add(top, piece(literalOf(char)), true);
  }
  if (stack.length > 1) refuse(`has a ( without its ); write \\( for the character`);
  const { rust, re2 } = close(stack[0]!);
  return { rust, re2 };
}

function add(to: Group, one: Piece, isRepeatable: boolean): void {
  to.now.push(one);
  to.isRepeatable = isRepeatable;
}

function close({ open, before, now }: Group): Piece {
  const all = [...before, ...now];
  const join = (side: "rust" | "re2"): string => `${open}${all.map((one) => one[side]).join("")})`;
  return piece(join("rust"), join("re2"), Math.max(1, ...all.map((one) => one.copies)));
}

function readOpen(cursor: Cursor): string {
  const rest = cursor.text.slice(cursor.at);
  if (!rest.startsWith("?")) return "(?:";
  const lookaround = /^\?<?[=!]/.exec(rest);
  if (lookaround) refuse(`looks around with (${lookaround[0]}…), which is not supported; search twice`);
  const open = /^\?(?:(-?i)(:|\))|:|P?<[A-Za-z_]\w*>)/.exec(rest);
  if (!open) refuse(`has (${rest.slice(0, 4)}…, which is not supported; use (?:…), (?i) and (?i:…)`);
  cursor.at += open![0].length;
  // A name has no use here: the group stays, unnamed.
  return open![1] === undefined ? "(?:" : `(?${open![1]}${open![2]}`;
}

/** `{2,5}` after something; any other brace is the character, as in grep: `{"id"` is found. */
function readBounds(top: Group, cursor: Cursor): void {
  const bounds = /^(\d{0,6})(?:(,)(\d{0,6}))?\}/.exec(cursor.text.slice(cursor.at));
  const isBounds = bounds !== null && (bounds[1] !== "" || (bounds[2] === "," && bounds[3] !== ""));
  if (!isBounds || !top.isRepeatable) return add(top, piece("\\{"), true);
  cursor.at += bounds[0].length;
  const low = Number(bounds[1]);
  const high = bounds[2] === undefined ? low : bounds[3] === "" ? null : Number(bounds[3]);
  if (high !== null && high < low) refuse(`repeats {${low},${high}}: the second number is smaller`);
  const sign = bounds[2] === undefined ? `{${low}}` : `{${low},${high ?? ""}}`;
  repeat(top, sign, Math.max(low, high ?? low, 1), cursor);
}

function repeat(top: Group, sign: string, times: number, cursor: Cursor): void {
  // Nothing before it to repeat: grep takes no notice of it, so that *error* finds "error".
  if (!top.isRepeatable) return;
  const last = top.now.pop()!;
  const copies = last.copies * times;
  if (copies > MOST_REPEATS) refuse(`repeats more than ${MOST_REPEATS} times; use + or *`);
  let lazy = "";
  if (cursor.text[cursor.at] === "?") {
    lazy = "?";
    cursor.at++;
  }
  // In a group of its own, so that a second sign after it repeats the whole: RE2 does not know a**.
  const spell = (side: "rust" | "re2"): string => `(?:${last[side]}${sign}${lazy})`;
  add(top, piece(spell("rust"), spell("re2"), copies), true);
}

function escaped(cursor: Cursor): Piece {
  const set = escapedSet(cursor);
  if (set !== null) return piece(set);
  const next = cursor.text[cursor.at];
  if (next !== undefined && "bB<>".includes(next)) {
    cursor.at++;
    // \< and \> are \b on both sides, since RE2 has nothing nearer: they differ before a character that is no letter.
    const sign = next === "B" ? "\\B" : "\\b";
    return piece(`(?-u:${sign})`, sign);
  }
  if (next !== undefined && /[1-9]/.test(next))
    refuse(`refers back with \\${next}, which linear-time search cannot; write out what it repeats`);
  return piece(literalOf(readEscape(cursor)));
}
