// The terms that a text is found by: words without their endings, identifiers whole and in their parts. `getUserById`
// is found by itself, by "user" and by "users"; `lib/kernel/event.ts` by each of its folders.
import { stem } from "./stem.ts";

const TOKEN = /[\p{L}\p{N}_]+/gu;
/** Where an identifier has its seams: a_b, aB, ABc, a1, 1a. */
const SEAM = /_+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u;
/** Longer tokens are base64 and the like: nobody asks for them, and each would be a term of its own. */
const TOKEN_CHARS = 64;

// Words that every text has. BM25 weighs them low, not at zero: in a query of a hundred words they add up.
const STOP = new Set(
  (
    "a about after all also am an and any are as at be been before but by can could did do does don done for from get go got had has have " +
    "he her here him his how i if in into is it its just ll let like m make me more my need no not now of on once one or other our " +
    "out re s see should so some t than that the their them then there these they this those to too up us ve very was we were what when " +
    "where which while who will with would you your"
  ).split(" "),
);

/** Texts to terms, with a memory of the words that it has met: most words of a session come again and again. */
export function termReader(): (text: string) => string[] {
  const known = new Map<string, readonly string[]>();
  return (text) => {
    const terms: string[] = [];
    for (const [token] of text.matchAll(TOKEN)) {
      if (token.length > TOKEN_CHARS) {
        // Chinese and Japanese are written without spaces: their sentences are no base64.
        if (UNSPACED.test(token)) terms.push(...pairsOf(token));
        continue;
      }
      let own = known.get(token);
      if (own === undefined) {
        own = termsOfToken(token);
        if (known.size < KNOWN) known.set(token, own);
      }
      for (const term of own) terms.push(term);
    }
    return terms;
  };
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** Each character with the one after it: words of such scripts have two, mostly. */
function pairsOf(token: string): string[] {
  const chars = [...token.toLowerCase()];
  return chars.length === 1 ? chars : chars.slice(1).map((char, i) => chars[i]! + char);
}

/** Words that are remembered; a session of 10,000 outputs has some 60,000. */
const KNOWN = 200_000;

function termsOfToken(token: string): string[] {
  if (UNSPACED.test(token)) return pairsOf(token);
  const whole = token.toLowerCase();
  if (STOP.has(whole)) return [];
  const parts = token.split(SEAM).filter((part) => part.length > 1);
  if (parts.length <= 1) return whole.length > 1 || parts.length > 0 ? [stem(whole)] : [];
  const terms = parts.map((part) => part.toLowerCase()).filter((part) => !STOP.has(part));
  return [...new Set([whole, ...terms.map(stem)])];
}
