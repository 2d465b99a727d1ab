// The rows of an outline: paths, and below each what values it has. Pure.
import { jqString } from "#lib/kernel/shape-tree/shape-path.ts";
import type { ShapeAnswer, ShapeNode, ShapeValue } from "#lib/wire/shape-schema.ts";

export type ShapeRow = {
  /** Stays the same while the outline opens and closes. */
  readonly id: string;
  readonly level: number;
  readonly node: ShapeNode;
  /** A value of the path; null for the path itself. */
  readonly value: ShapeValue | null;
  /** In place of a value: something about them all, or how many are not shown. */
  readonly note: string | null;
  readonly count: number | null;
  /** 0 to 1, null where no share is meant. */
  readonly share: number | null;
  readonly isOpen: boolean | null;
};

/** Which rows a person has opened and closed, by id; what is in neither is as it was at first. */
export type Opened = ReadonlyMap<string, boolean>;

const FIRST_VALUES = 3;

/** Children by parent, in the order of the document. */
export function childrenOf(nodes: readonly ShapeNode[]): ReadonlyMap<number, readonly number[]> {
  const children = new Map<number, number[]>();
  for (const [at, { parent }] of nodes.entries()) {
    const list = children.get(parent);
    if (list === undefined) children.set(parent, [at]);
    else list.push(at);
  }
  return children;
}

export function shapeRows({ nodes }: Pick<ShapeAnswer, "nodes">, opened: Opened): readonly ShapeRow[] {
  const rows: ShapeRow[] = [];
  if (nodes.length === 0 || nodes[0]!.count === 0) return rows;
  const children = childrenOf(nodes);
  const first = firstWithWords(nodes);
  const add = (at: number, level: number): void => {
    const node = nodes[at]!;
    const below = children.get(at) ?? [];
    const values = valueRows(node, at, level + 1, opened);
    const id = String(at);
    const canOpen = below.length > 0 || values.length > 0;
    const isOpen = canOpen ? (opened.get(id) ?? (isOpenAtFirst(nodes, at, below.length) || at === first)) : null;
    rows.push({
      id,
      level,
      node,
      value: null,
      note: null,
      count: node.step === "key" ? node.owners : node.count,
      share: node.step === "key" && node.of > 0 ? node.owners / node.of : null,
      isOpen,
    });
    if (isOpen !== true) return;
    rows.push(...values);
    for (const child of below) add(child, level + 1);
  };
  // A root that holds other paths is no row of its own: its keys are what is read first.
  const [root] = nodes;
  const top = children.get(0) ?? [];
  if (top.length === 0 || root!.types.length > 1) add(0, 1);
  else for (const child of top) add(child, 1);
  return rows;
}

/** What lies right below the top is shown: the keys, and those of the elements of an array. */
const isOpenAtFirst = (nodes: readonly ShapeNode[], at: number, paths: number): boolean =>
  at === 0 || (paths > 0 && nodes[at]!.parent === 0 && nodes[at]!.step !== "key");

/** The first key near the top whose values come again and again: it shows them, and that others can. */
function firstWithWords(nodes: readonly ShapeNode[]): number {
  return nodes.findIndex(
    ({ step, values, count, depth }) =>
      step === "key" && depth <= 2 && values.length > 1 && values.length <= 8 && count >= 4 * values.length,
  );
}

/** Its values with their counts, or some of them, or what is known of them. */
function valueRows(node: ShapeNode, at: number, level: number, opened: Opened): ShapeRow[] {
  const row = (id: string, part: Partial<ShapeRow>): ShapeRow => ({
    id: `${at}:${id}`,
    level,
    node,
    value: null,
    note: null,
    count: null,
    share: null,
    isOpen: null,
    ...part,
  });
  const rows: ShapeRow[] = [];
  if (node.least !== null && node.least !== node.most)
    rows.push(row("range", { note: `numbers from ${node.least} to ${node.most}` }));
  const scalars = node.types.reduce((sum, { type, count }) => (isScalar(type) ? sum + count : sum), 0);
  // A path of nothing but null says so by its type.
  if (node.values.length > 0 && node.values.every(({ type }) => type === "null")) return rows;
  for (const [index, value] of node.examples.entries()) rows.push(row(`e${index}`, { value }));
  const isAll = opened.get(`${at}:more`) === true || node.values.length <= FIRST_VALUES + 1;
  const shown = isAll ? node.values : node.values.slice(0, FIRST_VALUES);
  for (const [index, value] of shown.entries())
    rows.push(row(`v${index}`, { value, count: value.count, share: scalars > 0 ? value.count / scalars : null }));
  if (!isAll) {
    const rest = node.values.slice(FIRST_VALUES);
    const count = rest.reduce((sum, one) => sum + one.count, 0);
    rows.push(
      row("more", { note: `${rest.length} more`, count, share: scalars > 0 ? count / scalars : null, isOpen: false }),
    );
  }
  return rows;
}

const isScalar = (type: string): boolean => type !== "array" && type !== "object";

/** A jq program for what a row stands for: the path, or the values above it that have this value. */
export function programOf(row: ShapeRow, nodes: readonly ShapeNode[]): string {
  const { node, value } = row;
  const above = nodes[node.parent];
  if (value === null || value.isCut || node.step !== "key" || above === undefined) return node.path;
  const literal = value.type === "string" ? jqString(value.text) : value.text;
  const name = node.path.slice(above.path === "." ? 0 : above.path.length);
  const condition = `select(${name.startsWith("[") ? `.${name}` : name} == ${literal})`;
  return above.path === "." ? condition : `${above.path} | ${condition}`;
}
