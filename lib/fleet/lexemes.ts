// Words of a text, and of a search, as PostgreSQL takes them. Its parser keeps a file's name, an address or a number with signs as one
// word: what parts words in the index of one machine parts them here first, so that `server` is found in `src/server.ts`.
import { indexedText } from "#lib/archive/search/fill-index.ts";
import { fail } from "#lib/kernel/errors.ts";
import { partsOf } from "#lib/kernel/search/split-identifiers.ts";
import type { SearchTerm } from "#lib/kernel/search/search-query.ts";

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
export const fileWords = spaced;

/**
 * The terms of a search for to_tsquery; null where none is a word. `isTyped`: the last word may go on. Words are letters and digits
 * alone, so no sign of that language gets through.
 */
export function tsqueryOf(
  terms: readonly SearchTerm[],
  { isTyped = false }: { readonly isTyped?: boolean } = {},
): string | null {
  if (terms.some(({ kind }) => kind === "regex"))
    fail("unsupported", "A fleet's search has no /regex/. Search for words, and for the pattern in a session.");
  const last = isTyped ? terms.at(-1) : undefined;
  const parts = terms.flatMap((term) => {
    const text = ofTerm(term === last && term.kind === "word" && !term.not ? { ...term, kind: "prefix" } : term);
    return text === null ? [] : [text];
  });
  return parts.length === 0 ? null : parts.join(" & ");
}

function ofTerm({ kind, text, not }: SearchTerm): string | null {
  const names = kind === "phrase" ? [] : partsOf(text);
  const ways = [
    phrase(text, kind === "prefix"),
    ...(names.length === 0 ? [] : [phrase(names.join(" "), kind === "prefix")]),
  ];
  const found = ways.filter((one) => one !== null);
  return found.length === 0 ? null : `${not ? "!" : ""}(${found.join(" | ")})`;
}

/** PostgreSQL refuses a query with a longer word than 2,046 bytes. */
const LONGEST = 500;

function phrase(text: string, isPrefix: boolean): string | null {
  const words = spaced(text)
    .split(" ")
    .filter(Boolean)
    .map((word) => word.slice(0, LONGEST));
  return words.length === 0
    ? null
    : `(${words.map((word, n) => `'${word}'${isPrefix && n === words.length - 1 ? ":*" : ""}`).join(" <-> ")})`;
}

/** The same of a path: `src/*` is how one begins. */
export const fileQuery = (value: string): string | null => phrase(value.replace(/\*+$/, ""), value.endsWith("*"));
