// A query as an FTS5 expression. Every text is quoted, so no sign of that language gets through.
import { partsOf } from "./split-identifiers.ts";
import type { SearchFilter } from "./search-filter.ts";
import type { SearchQuery, SearchTerm } from "./search-query.ts";
import { spacedQuery } from "./unspaced.ts";

/** What the index is asked; null where no word is wanted. `without` is what must not occur. */
export type MatchExpression = { readonly match: string | null; readonly without: string | null };

export type MatchOptions = {
  /** The last word may go on, for a list that narrows down with every key. */
  readonly isTyped?: boolean;
  /** What the index is asked for words that begin so, where it is not the stem's own beginning. */
  readonly beginnings?: ReadonlyMap<SearchTerm, string>;
};

export function matchExpression(
  { terms, filters }: Pick<SearchQuery, "terms" | "filters">,
  { isTyped = false, beginnings }: MatchOptions = {},
): MatchExpression {
  const wanted: string[] = [];
  const refused: string[] = [];
  const typed = isTyped ? typedTerm(terms) : undefined;
  for (const term of terms)
    if (term.kind !== "regex") {
      const begun = beginnings?.get(term);
      const match = term === typed ? ofTyped(term, begun) : ofTerm(term, begun);
      (term.not ? refused : wanted).push(match);
    }
  const files = filters.flatMap((filter) => (filter.field === "file" ? [filter] : []));
  const named = files.filter(({ not }) => !not).map(ofFile);
  if (named.length > 0) wanted.push(`(${named.join(" OR ")})`);
  refused.push(...files.filter(({ not }) => not).map(ofFile));
  const match = wanted.length === 0 ? null : wanted.join(" AND ");
  const without = refused.length === 0 ? null : refused.join(" OR ");
  if (match === null || without === null) return { match, without };
  return { match: `(${match}) NOT (${without})`, without: null };
}

/** The last word, where it may go on. */
export function typedTerm(terms: readonly SearchTerm[]): SearchTerm | undefined {
  const last = terms.at(-1);
  return last?.kind === "word" && !last.not ? last : undefined;
}

function ofTerm({ kind, text }: SearchTerm, begun?: string): string {
  const whole = begun ?? asked(text, kind === "prefix");
  const parts = ofParts({ kind, text });
  return parts === null ? whole : `(${whole} OR ${parts})`;
}

/** The words of a name, which stand apart in the index; null where it has one. */
export function ofParts({ kind, text }: Pick<SearchTerm, "kind" | "text">): string | null {
  const parts = kind === "phrase" ? [] : partsOf(text);
  return parts.length === 0 ? null : `${quoted(parts.join(" "))}${kind === "prefix" ? "*" : ""}`;
}

/** By its stem as it stands, and by how it begins: "moorings" is found by "mooring" and by "moori". */
const ofTyped = (term: SearchTerm, begun?: string): string =>
  `(${ofTerm(term)} OR ${ofTerm({ ...term, kind: "prefix" }, begun)})`;

const ofFile = ({ value }: Extract<SearchFilter, { value: string }>): string =>
  `file : ${asked(value.replace(/\*+$/, ""), value.endsWith("*"))}`;

function asked(text: string, isPrefix: boolean): string {
  const spaced = spacedQuery(text);
  return `${quoted(spaced.text)}${isPrefix || spaced.goesOn ? "*" : ""}`;
}

/** NUL ends an FTS5 expression. */
export const quoted = (text: string): string => `"${text.replaceAll("\0", " ").replaceAll('"', '""')}"`;
