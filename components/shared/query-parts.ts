// A query as the page edits it: its parts with their place in the text, filters that are added and taken out, and what can be
// written next.
import {
  KIND_WORDS,
  SEARCH_FIELDS,
  SEARCH_STATES,
  isSearchField,
  type SearchField,
} from "#lib/kernel/search/search-fields.ts";
import { filterText } from "#lib/kernel/search/search-query.ts";
import type { LabelsAnswer } from "#lib/wire/marks-schema.ts";
import type { SearchAnswer } from "#lib/wire/search-schema.ts";

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

export type Completion = {
  /** What stands in the place of what was typed. */
  readonly insert: string;
  readonly about: string;
};

export type Completions = { readonly from: number; readonly to: number; readonly options: readonly Completion[] };

const NONE: Completions = { from: 0, to: 0, options: [] };
const MOST = 8;

type Facets = SearchAnswer["facets"] | undefined;
type Labels = LabelsAnswer["labels"];
type Known = { readonly facets: Facets; readonly labels: Labels };

/** What can be written at the caret: fields, then the values of one. */
export function completionsAt(q: string, caret: number, facets: Facets, labels: Labels = []): Completions {
  const part = partsOfQuery(q).find(({ from, to }) => from < caret && caret <= to);
  if (part === undefined || part.text.startsWith('"')) return NONE;
  const not = part.text.startsWith("-") ? "-" : "";
  const typed = part.text.slice(not.length);
  const colon = typed.indexOf(":");
  const options =
    colon < 0
      ? fieldsFor(not, typed)
      : valuesFor(not, typed.slice(0, colon), typed.slice(colon + 1), { facets, labels });
  return { from: part.from, to: part.to, options: options.slice(0, MOST) };
}

const fieldsFor = (not: string, typed: string): Completion[] =>
  SEARCH_FIELDS.filter(({ name }) => name.startsWith(typed.toLowerCase())).map(({ name, about, example }) => ({
    insert: `${not}${name}:`,
    about: `${about}, as ${example}`,
  }));

function valuesFor(not: string, name: string, typed: string, known: Known): Completion[] {
  if (!isSearchField(name)) return [];
  const begun = typed.replaceAll('"', "").toLowerCase();
  return valuesOf(name, known)
    .filter(({ value }) => value.toLowerCase().includes(begun) && value.toLowerCase() !== begun)
    .map(({ value, about }) => ({ insert: `${not}${filterText(name, value)} `, about }));
}

function valuesOf(
  field: SearchField,
  { facets, labels }: Known,
): readonly { readonly value: string; readonly about: string }[] {
  const plain = (values: readonly string[]) => values.map((value) => ({ value, about: "" }));
  switch (field) {
    case "type":
      return plain(KIND_WORDS);
    case "is":
      return plain(SEARCH_STATES);
    case "tokens":
      return plain([">1k", ">5k", ">20k"]);
    case "cost":
      return plain([">1", ">10"]);
    case "after":
    case "before":
      return plain(["today", "yesterday", "7d", "30d"]);
    case "agent":
    case "project":
    case "model":
    case "tool":
      return (facets?.[`${field}s`] ?? []).map(({ value, count }) => ({ value, about: String(count) }));
    case "label":
      return labels.map(({ name, count }) => ({ value: name, about: String(count) }));
    default:
      return [];
  }
}

/** The query with a completion in it, and where the caret stands then. */
export function completed(
  q: string,
  { from, to }: Completions,
  insert: string,
): { readonly q: string; readonly caret: number } {
  const rest = q.slice(to);
  const next = `${q.slice(0, from)}${insert}${insert.endsWith(" ") ? rest.trimStart() : rest}`;
  return { q: next, caret: from + insert.length };
}

/** A field whose value is still to be typed. */
const UNFINISHED = /(?:^|\s)-?[a-z]+:"?$/iu;

/** The query as it is asked while it is typed: what is not written to its end is left out. */
export const askedQuery = (q: string): string => q.trim().replace(UNFINISHED, "");
