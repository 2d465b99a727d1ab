// Which row stands where, when sessions are in groups and some are unfolded: a group has a row of its own above its
// sessions, and sub-agents stand below their parent. Nothing is built per session, so 10,000 cost what 10 cost.

export type Unfolded = { readonly id: string; readonly index: number; readonly children: number };
export type GroupPart = { readonly sessions: number; readonly isFolded: boolean };

export type RowPosition =
  | { readonly kind: "session"; readonly index: number }
  | { readonly kind: "child"; readonly parent: string; readonly nth: number; readonly last: boolean }
  | { readonly kind: "group"; readonly nth: number };

/** Rows that follow each other and are of one kind; `row` is the first of them. */
type Block = { readonly row: number; readonly rows: number } & (
  | { readonly kind: "sessions"; readonly index: number }
  | { readonly kind: "children"; readonly parent: string }
  | { readonly kind: "group"; readonly nth: number }
);
export type TableLayout = readonly Block[];

/** `unfolded` in order of `index`; `groups` in the order of the list, null where it has none. */
export function layoutOf(
  sessions: number,
  unfolded: readonly Unfolded[],
  groups: readonly GroupPart[] | null,
): TableLayout {
  const blocks: Block[] = [];
  let row = 0;
  let next = 0;
  const add = (block: Block) => {
    if (block.rows === 0) return;
    blocks.push(block);
    row += block.rows;
  };
  const addSessions = (from: number, to: number) => {
    let index = from;
    for (; unfolded[next] !== undefined && unfolded[next]!.index < to; next += 1) {
      const { id, index: at, children } = unfolded[next]!;
      if (at < from) continue;
      add({ kind: "sessions", row, rows: at + 1 - index, index });
      add({ kind: "children", row, rows: children, parent: id });
      index = at + 1;
    }
    add({ kind: "sessions", row, rows: to - index, index });
  };
  if (groups === null) addSessions(0, sessions);
  let from = 0;
  for (const [nth, group] of (groups ?? []).entries()) {
    add({ kind: "group", row, rows: 1, nth });
    if (!group.isFolded) addSessions(from, from + group.sessions);
    from += group.sessions;
  }
  return blocks;
}

export function rowCount(layout: TableLayout): number {
  const last = layout.at(-1);
  return last === undefined ? 0 : last.row + last.rows;
}

/** What stands in a row of the layout. */
export function positionOf(row: number, layout: TableLayout): RowPosition {
  const block = layout[blockAt(row, layout)];
  if (block === undefined) return { kind: "session", index: row };
  const nth = row - block.row;
  if (block.kind === "group") return { kind: "group", nth: block.nth };
  if (block.kind === "sessions") return { kind: "session", index: block.index + nth };
  return { kind: "child", parent: block.parent, nth, last: nth === block.rows - 1 };
}

/** The last block that begins at a row or before it. */
function blockAt(row: number, layout: TableLayout): number {
  let low = 0;
  let high = layout.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (layout[middle]!.row <= row) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
