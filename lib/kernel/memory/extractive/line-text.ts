// Words of strangers on one line of ours. A heading, a fence or a list of theirs needs a line of its own to be one; here
// everything stands behind a dash, so it stays words. Control characters and those that turn the writing direction go.

const SPACES = /[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
const HIDDEN = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** The text on one line: runs of white space and control characters are one space. */
export const oneLine = (text: string): string => text.replace(HIDDEN, "").replace(SPACES, " ").trim().toWellFormed();

/** Without the mark of a list or heading that it begins with. */
export const withoutMark = (line: string): string => line.replace(/^(?:[-*+>#]{1,6}\s+)+(?=\S)/, "");

/** At most `chars` characters, a pair of surrogates never parted; a cut is shown. */
export function clipped(text: string, chars: number): string {
  if (text.length <= chars) return text;
  if (chars < 2) return "";
  const end = chars - 1;
  const whole = isHigh(text.charCodeAt(end - 1)) ? end - 1 : end;
  return `${text.slice(0, whole).trimEnd()}…`;
}

/** The last `chars` characters at most, from a word's beginning where there is one; a cut is shown. */
export function tailOf(text: string, chars: number): string {
  if (text.length <= chars) return text;
  if (chars < 2) return "";
  const from = text.length - chars + 1;
  const space = text.indexOf(" ", from - 1);
  if (space >= 0 && space < from + chars / 2) return `…${text.slice(space + 1)}`;
  return `…${text.slice(isHigh(text.charCodeAt(from - 1)) ? from + 1 : from)}`;
}

const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
