// Chinese, Japanese, Thai and some others are written without spaces, and Korean joins endings to its words: to a tokenizer a sentence
// is one word, with the names in it. Such runs are indexed by each character with the next one, `日本語` as 日本, 本語 and 語, so that
// any part of them is a phrase.
import { UNSPACED, WORD } from "../log/word-pattern.ts";

const RUN = /[\p{L}\p{M}\p{N}]+/gu;
const UNSPACED_PART = new RegExp(`[[${UNSPACED}]&&[${WORD}]]+`, "gv");

/** Whether a text has words of such a script. Most have no character from the first of them (Thai) on, which is seen at once. */
export const hasUnspaced = (text: string): boolean => /[\u0E00-\uFFFF]/.test(text) && text.search(UNSPACED_PART) >= 0;

/** A text as its words are indexed. */
export const spacedText = (text: string): string =>
  hasUnspaced(text) ? text.replaceAll(RUN, (run) => piecesOf(run, false).join(" ")) : text;

/** … as it is looked for. `goesOn`: its last word is one character, which another one may follow. */
export function spacedQuery(text: string): { readonly text: string; readonly goesOn: boolean } {
  if (!hasUnspaced(text)) return { text, goesOn: false };
  const runs = text.match(RUN)!;
  const words = runs.flatMap((run, n) => piecesOf(run, n === runs.length - 1));
  const last = words.at(-1)!;
  return { text: words.join(" "), goesOn: hasUnspaced(last) && [...last].length === 1 };
}

/** `goesOn`: what it ends with may be the middle of a word, so that its last character begins no pair. */
function piecesOf(run: string, goesOn: boolean): string[] {
  const pieces: string[] = [];
  let at = 0;
  for (const { 0: part, index } of run.matchAll(UNSPACED_PART)) {
    if (index > at) pieces.push(run.slice(at, index));
    at = index + part.length;
    const chars = [...part];
    for (let i = 1; i < chars.length; i++) pieces.push(chars[i - 1]! + chars[i]!);
    if (!goesOn || at < run.length || chars.length === 1) pieces.push(chars.at(-1)!);
  }
  if (at < run.length) pieces.push(run.slice(at));
  return pieces;
}
