// A tree of paths as what is told of it: a flat list from the root down, each with its jq path. Secrets in example values
// are masked, as everywhere where values are listed and not asked for.
import { redactText } from "../artifacts/redact.ts";
import { isSafeStep, pathOf, type Step } from "./shape-path.ts";
import { ARRAY, KINDS, OBJECT } from "../json-sink.ts";
import { below, type PathNode, type Seen } from "./path-node.ts";
import { EXAMPLE_CHARS, firstChars } from "../json-token.ts";
import type { ShapeTree } from "./tree.ts";

export type ShapeValue = {
  /** As a person reads it: strings without quotes. */
  readonly text: string;
  readonly type: (typeof KINDS)[number];
  readonly isCut: boolean;
  readonly count: number;
};

export type ShapeNode = {
  readonly depth: number;
  /** Its index in the list, -1 for the root. */
  readonly parent: number;
  readonly step: Step;
  readonly key: string;
  /** A jq program that gives its values. */
  readonly path: string;
  readonly types: readonly { readonly type: (typeof KINDS)[number]; readonly count: number }[];
  readonly count: number;
  /** A key: in how many objects it stands, … */
  readonly owners: number;
  /** … of how many that could have it. */
  readonly of: number;
  /** Times that it came again in one object. */
  readonly repeated: number;
  /** Different values with their counts, most frequent first; empty when there were more than 20, … */
  readonly values: readonly ShapeValue[];
  /** … and then a few of them. */
  readonly examples: readonly ShapeValue[];
  readonly least: string | null;
  readonly most: string | null;
  readonly lengths: { readonly min: number; readonly max: number } | null;
  /** Different keys of its objects; null when it has none. A map has them all behind `[]`. */
  readonly keys: number | null;
  readonly isMap: boolean;
  /** More keys than could be told apart. */
  readonly hasMoreKeys: boolean;
  /** Keys, or levels, that were not followed. */
  readonly keysLeftOut: number;
  readonly isTooDeep: boolean;
};

export function describeTree({ root }: Pick<ShapeTree, "root">): ShapeNode[] {
  const nodes: ShapeNode[] = [];
  const add = (node: PathNode, parent: number): void => {
    const above = nodes[parent];
    const isSafe = above === undefined || isSafeStep(above, node.step);
    const at = nodes.length;
    nodes.push({
      depth: node.depth,
      parent,
      step: node.step,
      key: node.key,
      path: pathOf(above?.path ?? "", node.step, node.key, isSafe),
      ...factsOf(node, above),
    });
    for (const child of below(node)) add(child, at);
  };
  add(root, -1);
  return nodes;
}

function factsOf(
  node: PathNode,
  above: ShapeNode | undefined,
): Omit<ShapeNode, "depth" | "parent" | "step" | "key" | "path"> {
  const types = KINDS.map((type, at) => ({ type, count: node.counts[at]! }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count);
  const count = types.reduce((sum, one) => sum + one.count, 0);
  const isKey = node.step === "key";
  const values = [...(node.seen?.values() ?? [])].toSorted((a, b) => b.count - a.count);
  return {
    types,
    count,
    owners: isKey ? node.owners : count,
    of: isKey ? (above?.types.find(({ type }) => type === "object")?.count ?? 0) : count,
    repeated: node.repeated,
    values: values.map((one) => shapeValue(one, node.key)),
    examples: node.seen === null ? node.examples.map((one) => shapeValue(one, node.key)) : [],
    least: node.least?.text ?? null,
    most: node.most?.text ?? null,
    lengths: node.counts[ARRAY]! > 0 && node.lengths.max >= node.lengths.min ? { ...node.lengths } : null,
    keys: node.counts[OBJECT]! > 0 ? node.keyCount : null,
    isMap: node.mapValues !== null,
    hasMoreKeys: node.hasMoreKeys,
    keysLeftOut: node.mapValues === null ? (node.keySet?.size ?? 0) : 0,
    isTooDeep: node.isTooDeep,
  };
}

/** A value behind its key, which says of some that they are secret. */
function shapeValue({ text, type, isCut, count }: Seen, key: string): ShapeValue {
  const name = KINDS[type]!;
  const cut = (whole: string): ShapeValue => ({ ...firstChars(whole, EXAMPLE_CHARS, isCut), type: name, count });
  if (name !== "string") return cut(text);
  const before = `${key}: "`;
  const { text: masked, spans } = redactText(`${before}${text}"`);
  if (spans.length === 0 || spans[0]!.start < before.length) return cut(text);
  // A mask is not what stands there.
  return { ...cut(masked.slice(before.length, -1)), isCut: true };
}
