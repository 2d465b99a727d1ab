// A position in a program: the node of a shape that its values have there, be it jq's answer or a path in the shape of the
// artifact. Where neither knows it, all nodes below the path before it.
import type { PlainPath } from "#lib/kernel/jq/cursor.ts";
import type { ShapeNode } from "#lib/wire/shape-schema.ts";

export type Candidates = {
  readonly nodes: readonly ShapeNode[];
  /** Indexes of what may stand there. */
  readonly at: readonly number[];
  /** There are no more values than were seen. */
  readonly isAll: boolean;
};

/** Of inputs that are too large to be asked at each key; null when nothing is known. */
export function candidatesInShape(
  nodes: readonly ShapeNode[],
  { path, isWhole }: PlainPath,
  { slurp = false, nullInput = false }: { slurp?: boolean; nullInput?: boolean } = {},
): Candidates | null {
  if (isWhole && (nullInput || (slurp && path === ""))) return null;
  const wanted = slurp ? path.replace(/^\[\]/, "") : path;
  const found = nodes.findIndex((node) => node.path.replaceAll("?", "").replace(/^\.(?=\[|$)/, "") === wanted);
  const first = Math.max(0, found);
  const isOne = isWhole && found >= 0;
  const end = nodes.findIndex(({ depth }, at) => at > first && depth <= nodes[first]!.depth);
  const at = [...nodes.keys()].slice(first, isOne ? first + 1 : end < 0 ? nodes.length : end);
  return { nodes, at, isAll: true };
}

/** The keys of its objects, each once. */
export function keysOf({ nodes }: Candidates, at: readonly number[]): ShapeNode[] {
  const found = new Map<string, ShapeNode>();
  for (const node of nodes)
    if (node.step === "key" && at.includes(node.parent) && !found.has(node.key)) found.set(node.key, node);
  return [...found.values()];
}

/** Of one array, or one map: the nodes of its values. Null where there is none. */
export function elementsOf({ nodes, at }: Candidates): readonly number[] | null {
  const [only, other] = at;
  if (only === undefined || other !== undefined) return null;
  const { types, isMap } = nodes[only]!;
  if (!isMap && types.every(({ type }) => type !== "array")) return null;
  return [...nodes.keys()].filter((one) => nodes[one]!.parent === only && nodes[one]!.step !== "key");
}
