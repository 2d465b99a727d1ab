// The query language of every search: `text "phrase" prefix* /regex/ field:value -not`. Pure: the page completes and marks with
// what the server searches with. Terms are all wanted; values of one field are alternatives, numbers and dates are bounds.
import { AppError } from "../errors.ts";
import { readFilter, type SearchFilter } from "./search-filter.ts";
import { isSearchField } from "./search-fields.ts";

export type SearchTerm = {
  readonly kind: "word" | "phrase" | "prefix" | "regex";
  readonly text: string;
  readonly not: boolean;
  /** Of a regular expression: `/…/i`. */
  readonly ignoreCase?: boolean;
};

export type SearchQuery = {
  readonly terms: readonly SearchTerm[];
  readonly filters: readonly SearchFilter[];
  /** What was read in another way than it may have been meant. */
  readonly notes: readonly string[];
};

/** Terms and filters of one query, at most. */
const MOST_PARTS = 64;

type Part = { readonly text: string; readonly quoted: boolean; readonly end: number };

/** Reads a query, or fails with `invalid` and a sentence that says what to write. */
export function parseSearch(source: string, now: number): SearchQuery {
  const terms: SearchTerm[] = [];
  const filters: SearchFilter[] = [];
  const notes: string[] = [];
  let at = 0;
  while ((at = skipSpace(source, at)) < source.length) {
    if (terms.length + filters.length >= MOST_PARTS)
      refuse(`The query has more than ${MOST_PARTS} parts. Search for fewer words.`);
    const not = source[at] === "-" && /\S/.test(source[at + 1] ?? " ");
    const from = not ? at + 1 : at;
    const field = /^([A-Za-z]+):/.exec(source.slice(from, from + 20));
    const name = field?.[1]!.toLowerCase() ?? "";
    if (field !== null && isSearchField(name)) {
      const value = partAt(source, from + field[0].length);
      filters.push(readFilter(name, value.text, not, now));
      at = value.end;
      continue;
    }
    const regex = regexAt(source, from, not);
    const part = regex ?? partAt(source, from);
    at = part.end;
    if (regex !== null) terms.push(regex.term);
    else termOf(part, not, terms, notes);
  }
  return { terms, filters, notes };
}

function termOf(part: Part, not: boolean, terms: SearchTerm[], notes: string[]): void {
  const isPrefix = !part.quoted && part.text.endsWith("*");
  const text = isPrefix ? part.text.replace(/\*+$/, "") : part.text;
  if (!/[\p{L}\p{N}]/u.test(text)) {
    if (text !== "" || part.quoted)
      notes.push(`"${clip(part.text)}" has no letter or digit and was left out. Use a /regex/ for signs.`);
    return;
  }
  const unknown = part.quoted ? null : /^([A-Za-z]{2,12}):[^:/\\\s]/.exec(text);
  if (unknown !== null) notes.push(`"${unknown[1]!}" is not a field and was searched as text.`);
  terms.push({ kind: part.quoted ? "phrase" : isPrefix ? "prefix" : "word", text, not });
}

function regexAt(source: string, from: number, not: boolean): (Part & { readonly term: SearchTerm }) | null {
  if (source[from] !== "/") return null;
  const found = /^\/((?:[^\\/\n]|\\.|\/(?!i?(?:\s|$)))+)\/(i?)(?=\s|$)/u.exec(source.slice(from));
  if (found === null) return null;
  const [whole, text, flag] = found;
  const term: SearchTerm = { kind: "regex", text: text!, not, ignoreCase: flag === "i" };
  return { text: text!, quoted: false, end: from + whole.length, term };
}

function partAt(source: string, from: number): Part {
  if (source[from] === '"') {
    const close = source.indexOf('"', from + 1);
    if (close < 0)
      refuse(`The quote at character ${from + 1} is not closed. Add a closing quote, or remove the first one.`);
    return { text: source.slice(from + 1, close), quoted: true, end: close + 1 };
  }
  let end = from;
  while (end < source.length && !/\s/u.test(source[end]!)) end++;
  return { text: source.slice(from, end), quoted: false, end };
}

function skipSpace(source: string, at: number): number {
  while (at < source.length && /\s/u.test(source[at]!)) at++;
  return at;
}

function refuse(message: string): never {
  throw new AppError("invalid", message);
}

const clip = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

/** Plain words of a query, for marking and for searches inside one session. */
export const wordsOfQuery = ({ terms }: Pick<SearchQuery, "terms">): string[] =>
  terms.flatMap(({ kind, not, text }) => (not || kind === "regex" ? [] : [text]));

/** Words alone, as somebody types them who knows no field. */
export const isPlainQuery = ({ terms, filters }: Pick<SearchQuery, "terms" | "filters">): boolean =>
  filters.length === 0 && terms.every(({ kind, not }) => kind === "word" && !not);

/** What is marked in a text for a query: its words, without fields. A query that cannot be read is taken as it stands. */
export function markedText(source: string): string {
  try {
    const parsed = parseSearch(source, 0);
    return isPlainQuery(parsed) ? source : wordsOfQuery(parsed).join(" ");
  } catch {
    return source;
  }
}
