// A query as an FTS5 expression. Every text is quoted, so no sign of that language gets through.
import { partsOf } from "./split-identifiers.ts";
import type { SearchFilter } from "./search-filter.ts";
import type { SearchQuery, SearchTerm } from "./search-query.ts";

/** What the index is asked; null where no word is wanted. `without` is what must not occur. */
export type MatchExpression = { readonly match: string | null; readonly without: string | null };

/** `isTyped`: the last word may go on, for a list that narrows down with every key. */
export function matchExpression(
  { terms, filters }: Pick<SearchQuery, "terms" | "filters">,
  { isTyped = false }: { readonly isTyped?: boolean } = {},
): MatchExpression {
  const wanted: string[] = [];
  const refused: string[] = [];
  const last = isTyped ? terms.at(-1) : undefined;
  for (const term of terms)
    if (term.kind !== "regex") (term.not ? refused : wanted).push(term === last ? ofTyped(term) : ofTerm(term));
  const files = filters.flatMap((filter) => (filter.field === "file" ? [filter] : []));
  const named = files.filter(({ not }) => !not).map(ofFile);
  if (named.length > 0) wanted.push(`(${named.join(" OR ")})`);
  refused.push(...files.filter(({ not }) => not).map(ofFile));
  const match = wanted.length === 0 ? null : wanted.join(" AND ");
  const without = refused.length === 0 ? null : refused.join(" OR ");
  if (match === null || without === null) return { match, without };
  return { match: `(${match}) NOT (${without})`, without: null };
}

function ofTerm({ kind, text }: SearchTerm): string {
  const whole = `${quoted(text)}${kind === "prefix" ? "*" : ""}`;
  const parts = kind === "phrase" ? [] : partsOf(text);
  return parts.length === 0 ? whole : `(${whole} OR ${quoted(parts.join(" "))}${kind === "prefix" ? "*" : ""})`;
}

/** By its stem as it stands, and by how it begins: "moorings" is found by "mooring" and by "moori". */
const ofTyped = (term: SearchTerm): string =>
  term.kind === "word" && !term.not ? `(${ofTerm(term)} OR ${ofTerm({ ...term, kind: "prefix" })})` : ofTerm(term);

const ofFile = ({ value }: Extract<SearchFilter, { value: string }>): string =>
  `file : ${quoted(value.replace(/\*+$/, ""))}${value.endsWith("*") ? "*" : ""}`;

/** NUL ends an FTS5 expression. */
const quoted = (text: string): string => `"${text.replaceAll("\0", " ").replaceAll('"', '""')}"`;
