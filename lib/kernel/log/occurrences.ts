// Where in a text what was looked for stands. An event is found when it holds every word; what is marked in it is the whole
// phrase, and where the phrase stands nowhere in it, each word. The server counts and the page marks by this one rule.
import { beginsWord, endsWord, escaped, wordsIn } from "./word-pattern.ts";

export type Occurrence = { readonly from: number; readonly to: number };

/** In order, at most `most`. */
export function occurrencesOf(text: string, find: string, most = Number.POSITIVE_INFINITY): Occurrence[] {
  const phrase = find.trim();
  if (phrase === "") return [];
  const whole = matchesOf(text, phrasePattern(phrase), most);
  if (whole.length > 0) return whole;
  const words = wordsPattern(phrase);
  return words === null ? [] : matchesOf(text, words, most);
}

function matchesOf(text: string, pattern: RegExp, most: number): Occurrence[] {
  const found: Occurrence[] = [];
  for (const match of text.matchAll(pattern)) {
    if (found.length >= most) break;
    found.push({ from: match.index, to: match.index + match[0].length });
  }
  return found;
}

// A line end within a phrase is a space to whoever types it.
const phrasePattern = (phrase: string): RegExp => new RegExp(phrase.split(/\s+/u).map(escaped).join("\\s+"), "giu");

/** Words as the index has them: whole, but for the last, which may go on. */
function wordsPattern(phrase: string): RegExp | null {
  const words = wordsIn(phrase);
  const last = words.pop();
  return last === undefined ? null : beginsWord([...words.map(endsWord), escaped(last)]);
}
