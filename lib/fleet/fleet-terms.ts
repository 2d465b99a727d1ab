// Words of a search as PostgreSQL's tsquery: each lexeme quoted, so that no sign of that language gets through.
import { fail } from "#lib/kernel/errors.ts";
import { parseSearch, type SearchTerm } from "#lib/kernel/search/search-query.ts";

/** The query's text terms as a tsquery; fails with what a fleet does not search for. */
export function termsQuery(q: string, now: number): string {
  const { terms, filters } = parseSearch(q, now);
  if (filters.length > 0)
    fail("unsupported", `A fleet's search has no "${filters[0]!.field}:" yet. Use the filters of the list.`);
  return tsqueryOf(terms);
}

export function tsqueryOf(terms: readonly SearchTerm[]): string {
  if (terms.some(({ kind }) => kind === "regex"))
    fail("unsupported", "A fleet's search has no /regex/ yet. Search for words.");
  return terms.map(ofTerm).join(" & ");
}

/** PostgreSQL's simple configuration folds case and parts at what is neither a letter nor a digit; so do we. */
function ofTerm({ kind, text, not }: SearchTerm): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  const lexemes = words.map((word, n) => `'${word}'${kind === "prefix" && n === words.length - 1 ? ":*" : ""}`);
  return `${not ? "!" : ""}(${lexemes.join(" <-> ")})`;
}
