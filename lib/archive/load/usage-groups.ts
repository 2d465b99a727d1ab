// Groups of a report of usage: a fleet has thousands of folders, and a row for each of them and each day is 22 MB a month. It has
// tens of thousands of sessions a month.
import type { KeyedRow } from "./usage-rows.ts";
import { addSums, emptySums, type Sums } from "./usage-sums.ts";

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

export type GroupSums = { readonly group: string; readonly sums: Sums };

/** What `top` is the number of, and what of it has one row for those that it leaves out. */
type Parts = { readonly nameOf: (row: Building) => string; readonly within: (row: Building) => string };
export const GROUPS: Parts = { nameOf: ({ group }) => group ?? "", within: ({ name }) => name };
export const SESSIONS: Parts = { nameOf: ({ name }) => name, within: () => "" };

/** The sums of each part, with the most dollars first. */
export function sumParts(rows: Iterable<Building>, { nameOf }: Parts): GroupSums[] {
  const groups = Map.groupBy(rows, nameOf);
  return [...groups].map(([group, of]) => ({ group, sums: summed(of) })).toSorted(by(({ totalCost }) => totalCost));
}

/** Rows of the `top` parts by dollars and of those by tokens, and one row for the others of each period. */
export function foldOthers(
  rows: readonly Building[],
  parts: readonly GroupSums[],
  top: number,
  { nameOf, within }: Parts,
): Building[] {
  const ranked = [parts, parts.toSorted(by(tokensOf))];
  const kept = new Set(ranked.flatMap((all) => all.slice(0, top).map(({ group }) => group)));
  const isKept = (row: Building): boolean => kept.has(nameOf(row));
  const others = Map.groupBy(
    rows.filter((row) => !isKept(row)),
    within,
  );
  return [...rows.filter(isKept), ...[...others.values()].map(folded)];
}

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
  (a: GroupSums, b: GroupSums): number =>
    figure(b.sums) - figure(a.sums) || (a.group < b.group ? -1 : 1);
