// Characters of a pattern: how they are escaped, and how an escape is read.

export class PatternRefusal extends Error {
  override readonly name = "PatternRefusal";
}

export function refuse(why: string): never {
  throw new PatternRefusal(`The pattern ${why}.`);
}

/** Where in a pattern we are. */
export type Cursor = { readonly text: string; at: number };

/** A text as a pattern that finds it. Both engines take a backslash before ASCII punctuation, but for < and >. */
export const literalOf = (text: string): string =>
  text.replace(/[!-/:;=?@[-`{-~]/g, "\\$&").replace(/[\u0001-\u001f\u007f]/g, hex);

export const hex = (char: string): string => `\\x{${char.codePointAt(0)!.toString(16)}}`;

const LETTERS: Readonly<Record<string, string>> = { t: "\t", r: "\r", f: "\f", v: "\v", a: "\x07", e: "\x1b" };

/** The one character that an escape stands for; the cursor is after the backslash. */
export function readEscape(cursor: Cursor): string {
  const rest = cursor.text.slice(cursor.at);
  const numbered = /^(?:x([0-9A-Fa-f]{2})|x\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\})/.exec(
    rest,
  );
  if (numbered) {
    cursor.at += numbered[0].length;
    const code = Number.parseInt(
      numbered.slice(1).find((digits) => digits !== undefined)!,
      16,
    );
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) refuse(`has \\${numbered[0]}, which is not a character`);
    if (code === 10) refuse("matches a newline, but search is by line; use -A or -B for lines around");
    return String.fromCodePoint(code);
  }
  if (rest === "") refuse("ends in a single backslash; write \\\\ for the character");
  const char = String.fromCodePoint(rest.codePointAt(0)!);
  cursor.at += char.length;
  if (char === "n") refuse("matches a newline, but search is by line; use -A or -B for lines around");
  if (Object.hasOwn(LETTERS, char)) return LETTERS[char]!;
  if (/[0-9A-Za-z]/.test(char)) refuse(`has \\${char}, which is not supported`);
  return char;
}
