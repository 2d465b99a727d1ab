// A query as the page edits it: its parts with their place in the text, and filters that are added and taken out.
import { filterText, type SearchField } from "#lib/kernel/search/search-fields.ts";

type Part = { readonly text: string; readonly from: number; readonly to: number };

const PART = /-?[A-Za-z]+:"[^"]*"?|-?"[^"]*"?|\S+/g;

export const partsOfQuery = (q: string): Part[] =>
  [...q.matchAll(PART)].map((found) => ({ text: found[0], from: found.index, to: found.index + found[0].length }));

export const hasFilter = (q: string, field: SearchField, value: string): boolean =>
  partsOfQuery(q).some(({ text }) => text === filterText(field, value));

/** The query with this filter, or without it where it has it. */
export function toggleFilter(q: string, field: SearchField, value: string): string {
  const filter = filterText(field, value);
  const parts = partsOfQuery(q).map(({ text }) => text);
  return (parts.includes(filter) ? parts.filter((text) => text !== filter) : [...parts, filter]).join(" ");
}
