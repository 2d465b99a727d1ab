// Groups of a report of usage: a fleet has thousands of folders, and a row for each of them and each day is 22 MB a month. It has
// tens of thousands of sessions a month.
import type { KeyedRow } from "./usage-rows.ts";
import { addSums, addTo, emptySums, type Part, type Sums } from "./usage-sums.ts";

/** A row on its way. */
export type Building = {
  readonly name: string;
  /** Null in a report without groups, and for those that `top` left out. */
  readonly group: string | null;
  readonly others?: number;
  readonly row: KeyedRow;
  /** The last of its days. */
  day: string;
  readonly sums: Sums;
  readonly models: Map<string, Sums>;
};

type PartSums = { readonly name: string; readonly sums: Sums };

/** What `top` is the number of, and what of it has one row for those that it leaves out. */
type Parts = { readonly nameOf: (row: Building) => string; readonly within: (row: Building) => string };
export const GROUPS: Parts = { nameOf: ({ group }) => group ?? "", within: ({ name }) => name };
export const SESSIONS: Parts = { nameOf: ({ name }) => name, within: () => "" };

/** Rows of the `top` parts by dollars and of those by tokens, one row for the others of each period, and the sums of each part. */
export function foldOthers(
  rows: readonly Building[],
  top: number,
  { nameOf, within }: Parts,
): { readonly rows: readonly Building[]; readonly sums: readonly PartSums[] } {
  const sums = [...Map.groupBy(rows, nameOf)]
    .map(([name, of]): PartSums => ({ name, sums: summed(of) }))
    .toSorted(by(({ totalCost }) => totalCost));
  const ranked = [sums, sums.toSorted(by(tokensOf))];
  const kept = new Set(ranked.flatMap((all) => all.slice(0, top).map(({ name }) => name)));
  const isKept = (row: Building): boolean => kept.has(nameOf(row));
  const others = Map.groupBy(
    rows.filter((row) => !isKept(row)),
    within,
  );
  return { rows: [...rows.filter(isKept), ...[...others.values()].map(folded)], sums };
}

/** What a group comes to, as a database says it. */
export type GroupRow = Part & { readonly group: string; readonly cuts: number };

/** The sums of each group, as `foldOthers` has them. */
export const sumsOf = (groups: readonly GroupRow[], isCut: boolean): readonly PartSums[] =>
  groups
    .map((row): PartSums => {
      const sums = emptySums(isCut);
      addTo(sums, row);
      return { name: row.group, sums: { ...sums, compactions: isCut ? row.cuts : null } };
    })
    .toSorted(by(({ totalCost }) => totalCost));

function folded(rows: readonly Building[]): Building {
  const models = Map.groupBy(
    rows.flatMap(({ models: own }) => [...own]),
    ([model]) => model,
  );
  return {
    ...rows[0]!,
    group: null,
    others: rows.length,
    sums: summed(rows),
    models: new Map([...models].map(([model, of]) => [model, summed(of.map(([, sums]) => ({ sums })))])),
  };
}

function summed(all: readonly { readonly sums: Sums }[]): Sums {
  const sums = emptySums(all[0]!.sums.compactions !== null);
  for (const one of all) addSums(sums, one.sums);
  return sums;
}

const tokensOf = (sums: Sums): number =>
  sums.inputTokens + sums.cacheCreationTokens + sums.cacheReadTokens + sums.outputTokens;

const by =
  (figure: (sums: Sums) => number) =>
  (a: PartSums, b: PartSums): number =>
    figure(b.sums) - figure(a.sums) || (a.name < b.name ? -1 : 1);
