// Which values of a document are unfolded, and so which rows there are. Only unfolded values stand in it, each with the
// number of its children, so that a list of 5,000,000 is one number. Never changed: each step makes a new one. Pure.

export type Unfolded = {
  readonly at: number;
  readonly ordinal: number;
  readonly key: string | null;
  /** False for a key that is shown cut: it cannot be part of a path. */
  readonly isKeyWhole: boolean;
  readonly count: number;
  /** Unfolded children by their ordinals. */
  readonly open: readonly Unfolded[];
  /** Rows below it. */
  readonly rows: number;
};

/** The ordinals that lead from the top to a value. */
export type Trail = readonly number[];

/** One row: a child of an unfolded value, or the top itself, which has no parent. */
export type Slot = {
  readonly row: number;
  readonly trail: Trail;
  readonly parent: Unfolded | null;
  readonly ordinal: number;
  /** When it is unfolded itself. */
  readonly self: Unfolded | null;
};

type Source = {
  readonly at: number;
  readonly ordinal: number;
  readonly key?: string | null;
  readonly keyChars?: number | null;
  readonly count: number;
};

export function unfolded(
  { at, ordinal, key = null, keyChars = null, count }: Source,
  open: readonly Unfolded[] = [],
): Unfolded {
  const rows = count + open.reduce((sum, child) => sum + child.rows, 0);
  return { at, ordinal, key, isKeyWhole: keyChars === null, count, open, rows };
}

const withChildren = (node: Unfolded, open: readonly Unfolded[]): Unfolded => ({
  ...node,
  open,
  rows: node.count + open.reduce((sum, child) => sum + child.rows, 0),
});

/** All rows: the top and those below it. */
export const rowCount = (top: Unfolded): number => top.rows + 1;

export function nodeAt(top: Unfolded, trail: Trail): Unfolded | null {
  let node: Unfolded | undefined = top;
  for (const ordinal of trail) node = node?.open.find((child) => child.ordinal === ordinal);
  return node ?? null;
}

/** Unfolds a value whose parents are unfolded, or puts another in its place. */
export function unfold(top: Unfolded, trail: Trail, node: Unfolded): Unfolded {
  const [ordinal, ...rest] = trail;
  if (ordinal === undefined) return node;
  const below = top.open.find((child) => child.ordinal === ordinal);
  if (below === undefined && rest.length > 0) return top;
  const next = rest.length === 0 ? node : unfold(below!, rest, node);
  const others = top.open.filter((child) => child.ordinal !== ordinal);
  return withChildren(
    top,
    [...others, next].toSorted((a, b) => a.ordinal - b.ordinal),
  );
}

export function fold(top: Unfolded, trail: Trail): Unfolded {
  const [ordinal, ...rest] = trail;
  if (ordinal === undefined) return withChildren(top, []);
  const below = top.open.find((child) => child.ordinal === ordinal);
  if (below === undefined) return top;
  const others = top.open.filter((child) => child !== below);
  const kept = rest.length === 0 ? others : [...others, fold(below, rest)];
  return withChildren(
    top,
    kept.toSorted((a, b) => a.ordinal - b.ordinal),
  );
}

/** Slots of the rows from one to before another. */
export function slotsBetween(top: Unfolded, from: number, to: number): Slot[] {
  const slots: Slot[] = [];
  if (from <= 0 && to > 0) slots.push({ row: 0, trail: [], parent: null, ordinal: 0, self: top });
  collect(top, { base: 1, trail: [] }, { from, to }, slots);
  return slots;
}

function collect(
  node: Unfolded,
  parent: { readonly base: number; readonly trail: Trail },
  range: { readonly from: number; readonly to: number },
  slots: Slot[],
): void {
  let row = parent.base;
  let ordinal = 0;
  const plain = (last: number, self: Unfolded | null): void => {
    // Those of the range alone: there may be millions.
    const skipped = Math.min(last - ordinal, Math.max(0, range.from - row));
    row += skipped;
    ordinal += skipped;
    for (; ordinal < last; ordinal++, row++) {
      if (row >= range.to) {
        row += last - ordinal;
        ordinal = last;
        return;
      }
      const isSelf = self !== null && ordinal === last - 1;
      slots.push({ row, trail: [...parent.trail, ordinal], parent: node, ordinal, self: isSelf ? self : null });
    }
  };
  for (const child of node.open) {
    if (row >= range.to) return;
    plain(child.ordinal + 1, child);
    if (row + child.rows > range.from && row < range.to)
      collect(child, { base: row, trail: [...parent.trail, child.ordinal] }, range, slots);
    row += child.rows;
  }
  plain(node.count, null);
}

/** The row of a value whose parents are unfolded. */
export function rowOfTrail(top: Unfolded, trail: Trail): number {
  let row = 0;
  let node: Unfolded | null = top;
  for (const ordinal of trail) {
    if (node === null) return row;
    row += 1 + ordinal;
    for (const child of node.open) if (child.ordinal < ordinal) row += child.rows;
    node = node.open.find((child) => child.ordinal === ordinal) ?? null;
  }
  return row;
}

/** The steps of a path; null when a key on the way is shown cut. */
export function stepsAlong(
  top: Unfolded,
  trail: Trail,
  last: { key: string | null; keyChars: number | null },
): (string | number)[] | null {
  const steps: (string | number)[] = [];
  let node: Unfolded | undefined = top;
  for (const [level, ordinal] of trail.entries()) {
    node = node?.open.find((child) => child.ordinal === ordinal);
    const isLast = level === trail.length - 1;
    const key: string | null = isLast ? last.key : (node?.key ?? null);
    if (isLast ? last.keyChars !== null : node?.isKeyWhole === false) return null;
    steps.push(key ?? ordinal);
  }
  return steps;
}

type Found = Source & { readonly parent: number };

/** A value with those unfolded below it that the server names, itself first. */
export function unfoldedAll(self: Unfolded, found: readonly Found[]): Unfolded {
  const children = Map.groupBy(found.slice(1), ({ parent }) => parent);
  const open = (at: number): Unfolded[] =>
    (children.get(at) ?? []).toSorted((a, b) => a.ordinal - b.ordinal).map((child) => unfolded(child, open(child.at)));
  return withChildren(self, open(self.at));
}
