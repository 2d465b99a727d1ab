// Rows of sub-agents that did the same, one after the other: the first stands for all of them until it is opened. Pure.
import type { ForkGroup } from "#lib/wire/forks-schema.ts";
import type { OutlineAnswer } from "#lib/wire/events-schema.ts";

/** Identical forks whose rows follow each other. */
export type ForkRun = {
  readonly count: number;
  /** Of all their rows. */
  readonly tokens: number;
  readonly isOpen: boolean;
};

export type ForkRows = {
  /** By index into the outline, of the first row of each run. */
  readonly runs: ReadonlyMap<number, ForkRun>;
  /** Indices of rows that are folded into their run's first. */
  readonly folded: ReadonlySet<number>;
};

export const NO_FORKS: ForkRows = { runs: new Map(), folded: new Set() };

/** `open`: the first calls of runs that are opened; `passes`: rows that are shown before any are folded. */
export function forkRows(
  outline: Pick<OutlineAnswer, "seq" | "tokens">,
  groups: readonly ForkGroup[],
  open: readonly number[],
  passes: (i: number) => boolean,
): ForkRows {
  const groupOf = new Map(
    groups.flatMap(({ forks }, at) => forks.flatMap(({ seq }) => (seq === null ? [] : [[seq, at]]))),
  );
  if (groupOf.size === 0) return NO_FORKS;
  const runs = new Map<number, ForkRun>();
  const folded = new Set<number>();
  let run: number[] = [];
  let current: number | undefined;
  const end = () => {
    const first = run[0];
    if (first === undefined || run.length < 2) return;
    const isOpen = open.includes(outline.seq[first] ?? -1);
    const tokens = run.reduce((sum, i) => sum + (outline.tokens[i] ?? 0), 0);
    runs.set(first, { count: run.length, tokens, isOpen });
    if (!isOpen) for (const i of run.slice(1)) folded.add(i);
  };
  for (let i = 0; i < outline.seq.length; i++) {
    if (!passes(i)) continue;
    const group = groupOf.get(outline.seq[i] ?? -1);
    if (group === undefined || group !== current) {
      end();
      run = [];
      current = group;
    }
    if (group !== undefined) run.push(i);
  }
  end();
  return { runs, folded };
}

type Family = { readonly id: string };

/** What a list of sub-agents shows of a family: of identical ones the first, which says how many there are, until it is opened. */
export function foldedFamily<Row extends Family>(
  family: readonly Row[],
  groups: readonly ForkGroup[],
  open: readonly string[],
): { readonly row: Row; readonly count: number; readonly isOpen: boolean }[] {
  const groupOf = new Map(groups.flatMap((group) => group.forks.map(({ session }) => [session, group] as const)));
  const byId = new Map(family.map((row) => [row.id, row]));
  const seen = new Set<ForkGroup>();
  return family.flatMap((row) => {
    const group = groupOf.get(row.id);
    if (group === undefined) return [{ row, count: 1, isOpen: false }];
    if (seen.has(group)) return [];
    seen.add(group);
    const here = group.forks.flatMap(({ session }) => byId.get(session) ?? []);
    const first = { row, count: here.length, isOpen: open.includes(row.id) };
    const others = here.filter(({ id }) => id !== row.id);
    return first.isOpen ? [first, ...others.map((one) => ({ row: one, count: 1, isOpen: false }))] : [first];
  });
}
