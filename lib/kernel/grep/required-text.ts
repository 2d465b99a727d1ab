// What stands in each text that a pattern finds, read off the pattern: an index, or a plain comparison, then leaves the others out.
// Where it is not sure it says less. The pattern is one that can be used.
import { escapedSet, readBrackets } from "./brackets.ts";
import { readEscape, type Cursor } from "./pattern-tokens.ts";

export type RequiredText = {
  /** The longest part that stands there as it is, but for its case where `isCaseOpen`; empty without any. */
  readonly text: string;
  readonly isCaseOpen: boolean;
  /** Words that stand there whole, between signs that no name, path or encoded run has. */
  readonly words: readonly string[];
};

/** One that is longer may be cut in an index. */
const WORD = /(?<=[\t !-*,.:;<>?@[-^`{-~])[A-Za-z]{2,40}(?=[\t !-*,.:;<>?@[-^`{-~])/g;

export function requiredText(pattern: string, ignoreCase: boolean): RequiredText {
  const isCaseOpen = ignoreCase || pattern.includes("(?i");
  const runs = runsOf(pattern, isCaseOpen);
  return {
    text: runs.reduce((longest, { text }) => (text.length > longest.length ? text : longest), ""),
    isCaseOpen,
    // Behind the start of a line as behind a sign.
    words: runs.flatMap(({ text, isAtStart }) => `${isAtStart ? " " : ""}${text}`.match(WORD) ?? []),
  };
}

type Run = { text: string; readonly isAtStart: boolean };

/** Characters one after the other that no alternative, group or repeat makes optional. */
function runsOf(pattern: string, isCaseOpen: boolean): readonly Run[] {
  const cursor: Cursor = { text: pattern, at: 0 };
  const runs: Run[] = [{ text: "", isAtStart: false }];
  const cut = (isAtStart = false): void => void runs.push({ text: "", isAtStart });
  const add = (char: string): void => {
    // A sign of Kelvin is a k, and a long s is an s, where case is open; others have cases that a comparison by bytes does not know.
    if (isCaseOpen && !/^[\t -jl-rt-~]$/.test(char.toLowerCase())) cut();
    else runs.at(-1)!.text += char;
  };
  let depth = 0;
  while (cursor.at < pattern.length) {
    const char = String.fromCodePoint(pattern.codePointAt(cursor.at)!);
    cursor.at += char.length;
    if (char === "|" && depth === 0) return [];
    const isSet = char === "[";
    if (isSet) readBrackets(cursor);
    const escape = char === "\\" ? readEscaped(cursor) : null;
    if (char === "(") depth++;
    if (depth > 0) {
      if (char === ")" && --depth === 0) cut();
      if (char === "(" && depth === 1) cut();
    } else if (isSet || char === "." || char === "$") cut();
    else if (char === "^") cut(true);
    else if (char === "\\") {
      if (escape === null) cut();
      else add(escape);
    } else if (isRepeat(char, cursor)) {
      // What it repeats may be missing, also by a second sign behind it.
      const last = runs.at(-1)!;
      last.text = [...last.text].slice(0, -1).join("");
      cut();
    } else add(char);
  }
  return runs;
}

/** The character that an escape stands for; null for a set or a boundary. */
function readEscaped(cursor: Cursor): string | null {
  if (escapedSet(cursor) !== null) return null;
  if (!"bB<>".includes(cursor.text[cursor.at] ?? "b")) return readEscape(cursor);
  cursor.at++;
  return null;
}

/** Each `{` that might be bounds is taken for such. */
function isRepeat(char: string, cursor: Cursor): boolean {
  if ("*+?".includes(char)) return true;
  const bounds = char === "{" ? /^[\d,]+\}/.exec(cursor.text.slice(cursor.at)) : null;
  cursor.at += bounds?.[0].length ?? 0;
  return bounds !== null;
}
