// Words of a text, and of a search, as PostgreSQL takes them. Its parser keeps a file's name, an address or a number with signs as one
// word: what parts words in the index of one machine parts them here first, so that `server` is found in `src/server.ts`.
import { indexedText } from "#lib/archive/search/fill-index.ts";
import { requiredText } from "#lib/kernel/grep/required-text.ts";
import { partsOf } from "#lib/kernel/search/split-identifiers.ts";
import type { SearchTerm } from "#lib/kernel/search/search-query.ts";
import { spacedQuery, spacedText } from "#lib/kernel/search/unspaced.ts";
import { otherForms } from "./plural-words.ts";
import { endedWords } from "./word-endings.ts";

const spaced = (text: string): string =>
  text
    .normalize("NFD")
    .replaceAll(/\p{M}+/gu, "")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** A text as its words are made of it: those that stand there, then the parts of its names. */
export function wordsOf(text: string): string {
  const { text: whole, parts } = indexedText(text);
  return `${spaced(whole)} ${parts}`;
}

/** Words of a file's path. */
export const fileWords = (path: string): string => spaced(spacedText(path));

/** What a search asks of a text's words. */
export type WordQuery = {
  /** For to_tsquery. Of a word that goes on it finds others of the stems that it may have, too: `beginnings` tells them apart. */
  readonly tsquery: string;
  /** The same, of what a stem begins with alone: for what is not looked into. */
  readonly stems: string;
  /** For each term that has several words: one of these is in the text. */
  readonly phrases: readonly (readonly Beside[])[];
  /** For each term that a word of the text begins with. */
  readonly beginnings: readonly Beginning[];
};

/**
 * `isWhole`: the word itself fits by its stem, too. `pattern`: how it stands in a text. `ended`: words that it may go on to, whose
 * stems may be shorter.
 */
export type Beginning = {
  readonly word: string;
  readonly isWhole: boolean;
  readonly pattern: string;
  readonly ended: readonly string[];
};

/** Words that stand beside each other, or one word. */
export type Beside = { readonly words: string } | { readonly word: string };

/**
 * The terms of a search; null where none is a word. A pattern asks for the words that it cannot do without. `isTyped`: the last word
 * may go on. Words are letters and digits alone, so no sign of PostgreSQL's language gets through.
 */
export function wordQuery(
  terms: readonly SearchTerm[],
  { isTyped = false }: { readonly isTyped?: boolean } = {},
): WordQuery | null {
  const last = isTyped ? terms.at(-1) : undefined;
  const asked = terms.flatMap(patternWords).flatMap((term) => {
    const ways = waysOf(term === last && term.kind === "word" && !term.not ? { ...term, kind: "prefix" } : term);
    return ways.length === 0 ? [] : [{ not: term.not, ways, isWhole: term.kind === "word" }];
  });
  if (asked.length === 0) return null;
  return {
    tsquery: queryOf(asked, (way, not) => inOrder(way, !not)),
    stems: queryOf(asked, (way) => inOrder(way, false)),
    phrases: asked.flatMap(({ not, ways }) => {
      const known = ways.map(besideOf);
      const beside = known.flatMap((one) => one ?? []);
      const isKnown = !not && known.every((one) => one !== null);
      return isKnown && beside.some((one) => "words" in one) ? [beside] : [];
    }),
    beginnings: asked.flatMap(({ not, ways, isWhole }) => (not ? [] : beginningOf(ways, isWhole))),
  };
}

/** Of a pattern the words that are in each text that it finds; other terms as they are. */
function patternWords(term: SearchTerm): readonly SearchTerm[] {
  if (term.kind !== "regex") return [term];
  const { words } = requiredText(term.text, term.ignoreCase === true);
  return term.not ? [] : words.map((text): SearchTerm => ({ kind: "word", text, not: false }));
}

type AskedTerm = { readonly not: boolean; readonly ways: readonly Way[] };

const queryOf = (asked: readonly AskedTerm[], written: (way: Way, not: boolean) => string): string =>
  asked.map(({ not, ways }) => `${not ? "!" : ""}(${ways.map((way) => written(way, not)).join(" | ")})`).join(" & ");

/** Words that follow each other. `isPrefix`: the last one may go on. */
type Way = { readonly words: readonly string[]; readonly isPrefix: boolean };

/** What a term may stand there as: as it is, or as the parts of its name. */
function waysOf({ kind, text }: SearchTerm): readonly Way[] {
  const names = kind === "phrase" ? [] : partsOf(text);
  return [text, names.join(" ")]
    .map(spacedQuery)
    .map(({ text: one, goesOn }) => ({ words: wordsIn(one), isPrefix: kind === "prefix" || goesOn }))
    .filter(({ words }) => words.length > 0);
}

/** Nothing where no word goes on. Of several words, the last does. */
function beginningOf(ways: readonly Way[], isWhole: boolean): readonly Beginning[] {
  if (!ways[0]!.isPrefix) return [];
  const pattern = ways.map(({ words }) => String.raw`\m${words.join("[^[:alnum:]]*")}`).join("|");
  const word = ways[0]!.words.at(-1)!.toLowerCase();
  return [{ word, isWhole, pattern, ended: endedWords(word) }];
}

/** PostgreSQL refuses a query with a longer word than 2,046 bytes. */
const LONGEST = 500;

/** Ways to write a phrase that are asked for at most: of more each text is looked into. */
const MOST_WAYS = 16;

/** What an index of words, or of pairs, knows of it, for any form of its words; null where a text has to be looked into. */
function besideOf({ words, isPrefix }: Way): readonly Beside[] | null {
  const whole = isPrefix ? words.slice(0, -1) : words;
  if (whole.length === 0 || (isPrefix && whole.length === 1)) return null;
  let ways: readonly (readonly string[])[] = [[]];
  for (const word of whole) {
    ways = ways.flatMap((before) => formsOf(word).map((form) => [...before, form]));
    if (ways.length > MOST_WAYS) return null;
  }
  return ways.map((way): Beside => (way.length > 1 ? { words: way.join(" ") } : { word: way[0]! }));
}

const formsOf = (word: string): readonly string[] => [word, ...otherForms(word)];

const wordsIn = (text: string): readonly string[] =>
  spaced(text)
    .split(" ")
    .filter(Boolean)
    .map((word) => word.slice(0, LONGEST));

/** `isEnded`: the last word, where it goes on, by the stems of its endings, too. */
const inOrder = ({ words, isPrefix }: Way, isEnded: boolean): string =>
  `(${words.map((word, n) => (isPrefix && n === words.length - 1 ? goingOn(word, isEnded) : anyForm(word))).join(" <-> ")})`;

function goingOn(word: string, isEnded: boolean): string {
  const ways = [`'${word}':*`, ...(isEnded ? endedWords(word.toLowerCase()).map((one) => `'${one}'`) : [])];
  return ways.length === 1 ? ways[0]! : `(${ways.join(" | ")})`;
}

function anyForm(word: string): string {
  const forms = formsOf(word).map((form) => `'${form}'`);
  return forms.length === 1 ? forms[0]! : `(${forms.join(" | ")})`;
}

/** The same of a path, for to_tsquery: `src/*` is how one begins. Null where it has no word. */
export function fileQuery(value: string): string | null {
  const { text, goesOn } = spacedQuery(value.replace(/\*+$/, ""));
  const words = wordsIn(text);
  return words.length === 0 ? null : inOrder({ words, isPrefix: goesOn || value.endsWith("*") }, false);
}
