// Chinese, Japanese, Thai and some others are written without spaces, and Korean joins endings to its words: to a tokenizer a sentence
// is one word, with the names in it. Such runs are indexed by each character with the next one, `日本語` as 日本, 本語 and 語, so that
// any part of them is a phrase.
import { UNSPACED, WORD } from "../log/word-pattern.ts";

const UNSPACED_PART = new RegExp(`[[${UNSPACED}]&&[${WORD}]]+`, "gv");

/** Where such words can be. Asked first: dashes, arrows and emoji are in most long texts, and looking for scripts took 43 ms a megabyte. */
const WIDE =
  /[\u0E00-\u0EFF\u1000-\u109F\u1100-\u11FF\u1780-\u17FF\u2E80-\uD7FF\uD840-\uD8BF\uF900-\uFAFF\uFF66-\uFFDC]/;

/** Whether a text has words of such a script. */
export const hasUnspaced = (text: string): boolean => WIDE.test(text) && text.search(UNSPACED_PART) >= 0;

/** A text as its words are indexed. */
export const spacedText = (text: string): string =>
  WIDE.test(text) ? text.replaceAll(UNSPACED_PART, (part) => ` ${pairsOf([...part], true)} `) : text;

/** … as it is looked for. `goesOn`: its last word is one character, which another one may follow. */
export function spacedQuery(text: string): { readonly text: string; readonly goesOn: boolean } {
  const end = text.search(BEHIND_WORDS);
  let goesOn = false;
  const spaced = text.replaceAll(UNSPACED_PART, (part: string, at: number) => {
    const chars = [...part];
    const isLast = at + part.length === end;
    goesOn = isLast && chars.length === 1;
    return ` ${pairsOf(chars, !isLast || goesOn)} `;
  });
  return { text: spaced, goesOn };
}

const BEHIND_WORDS = /[^\p{L}\p{M}\p{N}]*$/u;

/** `ends`: whether nothing may follow, so that the last character stands for itself. */
function pairsOf(chars: readonly string[], ends: boolean): string {
  let pairs = "";
  for (let i = 1; i < chars.length; i++) pairs += `${chars[i - 1]}${chars[i]} `;
  return ends ? pairs + chars.at(-1)! : pairs;
}
