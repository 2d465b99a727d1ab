// What rows of a list come to, and the values of its choices, as an answer has them.
import { labelOf } from "#lib/archive/import/format-label.ts";
import type { SessionGroup, SessionsAnswer, SessionSums } from "#lib/wire/sessions-schema.ts";
import { SUMS } from "./kept-counts.ts";

/** Values of a choice, at most: those that most sessions have. */
export const FACETS = 200;

export type ListFigures = Pick<SessionsAnswer, "total" | "counts" | "facets" | "sums" | "groups">;

export type Value = { readonly value: string; readonly count: number };
export type Values = {
  readonly formats: readonly Value[];
  readonly projects: readonly Value[];
  readonly models: readonly Value[];
};

export const facetsOf = ({ formats, projects, models }: Values): SessionsAnswer["facets"] => ({
  formats: formats.map((one) => ({ ...one, label: labelOf(one.value) })),
  projects: [...projects],
  models: [...models],
});

export type SumRow = Readonly<Record<string, number | null>>;
/**
 * Sums of rows that have them, as numbers. What is whole is added as a float, which is exact up to 2^53: whole numbers are summed as
 * decimal ones, which takes more than twice as long. Costs are decimal, and have to leave nothing.
 */
export const summed = (names: readonly string[], which: string): string =>
  names
    .map((name) => {
      const value = name.endsWith("usd") ? name : `${name}::float8`;
      return `coalesce(sum(${value}) FILTER (WHERE ${which}), 0)::float8 AS ${name}`;
    })
    .join(", ");

export const sumsOf = (row: SumRow, of: "" | "sub_"): SessionSums => ({
  sessions: row[of === "" ? "n" : "subs"]!,
  calls: row[`${of}calls`]!,
  tokens: row[`${of}tokens`]!,
  usd: row[`${of}priced`] === 0 ? null : row[`${of}usd`]!,
  isPartial: row[`${of}unsure`]! > 0,
});

export const bothSums = (row: SumRow): NonNullable<SessionsAnswer["sums"]> => ({
  ...sumsOf(row, ""),
  subAgents: row["subs"] === 0 ? null : sumsOf(row, "sub_"),
});

export type FolderRow = SumRow & { readonly cwd: string | null; readonly last: number | null };

/** The last active first. No folder and an empty one are one group. */
export function groupsOf(rows: readonly FolderRow[]): SessionGroup[] {
  const [unnamed, named] = [rows.filter(({ cwd }) => !cwd), rows.filter(({ cwd }) => cwd)];
  const nameOf = ({ cwd }: FolderRow): string => cwd ?? "";
  return [...(unnamed.length < 2 ? unnamed : [withoutFolder(unnamed)]), ...named]
    .toSorted((a, b) => (b.last ?? -1) - (a.last ?? -1) || (nameOf(a) < nameOf(b) ? -1 : 1))
    .map((row) => ({ project: nameOf(row), ...sumsOf(row, "") }));
}

export const addUp = (rows: readonly SumRow[]): SumRow =>
  Object.fromEntries(SUMS.map((name) => [name, rows.reduce((sum, row) => sum + (row[name] ?? 0), 0)]));

/** Those of no folder and of an empty one. */
function withoutFolder(rows: readonly FolderRow[]): FolderRow {
  const moments = rows.flatMap(({ last }) => last ?? []);
  return Object.assign(addUp(rows), { cwd: "", last: moments.length === 0 ? null : Math.max(...moments) });
}

/** What the choice of a folder would list, where none is chosen: as the database has it of the other choices. */
export const folderFacet = (rows: readonly FolderRow[]): Value[] =>
  mostFirst(rows.flatMap(({ cwd, n }) => (cwd === null ? [] : [{ value: cwd, count: n! }])));

export const mostFirst = (values: readonly Value[]): Value[] =>
  values.toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)).slice(0, FACETS);
