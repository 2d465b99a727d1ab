// What can be written next in a query: fields, then their values. Fetched when a query is first typed, with what its values are
// read from: few visits need it.
import {
  KIND_WORDS,
  SEARCH_FIELDS,
  filterText,
  isSearchField,
  type SearchField,
} from "#lib/kernel/search/search-fields.ts";
import { SEARCH_STATES } from "#lib/kernel/search/search-states.ts";
import { labelsAnswer, type LabelsAnswer } from "#lib/wire/marks-schema.ts";
import { searchAnswer, type SearchAnswer } from "#lib/wire/search-schema.ts";
import { api, withQuery } from "../ui/api.ts";
import { partsOfQuery } from "./query-parts.ts";

/** Every event has a time that is later. */
const ALL = "after:1990-01-01";

/** Values of the newest events, whatever is searched for. */
export const queryValues = (signal: AbortSignal): Promise<SearchAnswer> =>
  api(withQuery("/api/search", { q: ALL, limit: 1 }), searchAnswer, { signal });

export const queryLabels = (signal: AbortSignal): Promise<LabelsAnswer> => api("/api/labels", labelsAnswer, { signal });

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
