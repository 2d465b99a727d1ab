// Porter's stemmer (1980), so that "compacted", "compacting" and "compaction" meet. English only: other words come out as
// they went in. The rules and their order are the published ones.

type Rule = readonly [ending: string, instead: string];

const rulesOf = (pairs: string): readonly Rule[] =>
  pairs.split(" ").map((pair) => pair.split(":") as unknown as [string, string]);

const STEP_2 = rulesOf(
  "ational:ate tional:tion enci:ence anci:ance izer:ize abli:able alli:al entli:ent eli:e ousli:ous ization:ize " +
    "ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble",
);
const STEP_3 = rulesOf("icate:ic ative: alize:al iciti:ic ical:ic ful: ness:");
const STEP_4 = rulesOf(
  "al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ion: ou: ism: ate: iti: ous: ive: ize:",
);

/** The stem of a lower-case word. */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  const singular = plural(word);
  const base = past(singular);
  const soft = base.endsWith("y") && hasVowel(base.slice(0, -1)) ? `${base.slice(0, -1)}i` : base;
  const two = replaceEnd(soft, STEP_2, (rest) => measure(rest) > 0);
  const three = replaceEnd(two, STEP_3, (rest) => measure(rest) > 0);
  const four = replaceEnd(three, STEP_4, (rest, end) => measure(rest) > 1 && (end !== "ion" || /[st]$/.test(rest)));
  return lastLetter(four);
}

function plural(word: string): string {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

function past(word: string): string {
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const rest = word.endsWith("ed") ? word.slice(0, -2) : word.endsWith("ing") ? word.slice(0, -3) : null;
  if (rest === null || !hasVowel(rest)) return word;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (/([^aeiouylsz])\1$/.test(rest)) return rest.slice(0, -1);
  return measure(rest) === 1 && endsShort(rest) ? `${rest}e` : rest;
}

/** The first rule whose ending fits decides, also when it may not be applied. */
function replaceEnd(word: string, rules: readonly Rule[], may: (rest: string, ending: string) => boolean): string {
  const rule = rules.find(([ending]) => word.endsWith(ending));
  if (rule === undefined) return word;
  const rest = word.slice(0, -rule[0].length);
  return may(rest, rule[0]) ? rest + rule[1] : word;
}

function lastLetter(word: string): string {
  if (word.endsWith("e")) {
    const rest = word.slice(0, -1);
    const size = measure(rest);
    return size > 1 || (size === 1 && !endsShort(rest)) ? rest : word;
  }
  return word.endsWith("ll") && measure(word) > 1 ? word.slice(0, -1) : word;
}

const isVowel = (word: string, at: number): boolean => {
  const letter = word[at]!;
  return "aeiou".includes(letter) || (letter === "y" && at > 0 && !isVowel(word, at - 1));
};

function hasVowel(word: string): boolean {
  for (let i = 0; i < word.length; i++) if (isVowel(word, i)) return true;
  return false;
}

/** How often vowels are followed by consonants. */
function measure(word: string): number {
  let count = 0;
  let wasVowel = false;
  for (let i = 0; i < word.length; i++) {
    const vowel = isVowel(word, i);
    if (wasVowel && !vowel) count++;
    wasVowel = vowel;
  }
  return count;
}

/** Consonant, vowel, consonant at the end, the last not w, x or y: such a stem takes its e back. */
function endsShort(word: string): boolean {
  const end = word.length - 1;
  if (end < 2 || "wxy".includes(word[end]!)) return false;
  return !isVowel(word, end) && isVowel(word, end - 1) && !isVowel(word, end - 2);
}
