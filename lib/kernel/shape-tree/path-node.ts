// One path of a document, and what was found there in all of its values: kinds, lengths, numbers, a few values and how
// often each came. A path costs some hundred bytes, whatever is counted in it.
import type { Step } from "./shape-path.ts";
import { KeySet } from "../artifacts/key-set.ts";
import { KINDS, type Kind } from "../json-sink.ts";

/** Different values at a path that are told with their counts; one more, and only the first are told. */
export const MOST_VALUES = 20;
const EXAMPLES = 3;
/** Keys at one path that are told apart, so that the sets of all paths stay under 20 MB. */
const MOST_KEYS = 50_000;

export type { Step } from "./shape-path.ts";

/** One value, as written in the document (strings without their quotes). */
export type Seen = { readonly text: string; readonly type: Kind; readonly isCut: boolean; count: number };

type Extreme = { value: number; text: string };

export class PathNode {
  readonly step: Step;
  readonly key: string;
  readonly depth: number;
  /** How many values of each type. */
  readonly counts = [0, 0, 0, 0, 0, 0];
  /** Objects above that have this key; arrays or maps above that have a value. */
  owners = 0;
  /** The last of those, to tell a key that comes again in one object. */
  lastOwner = -1;
  /** Times that a key came again in one object. */
  repeated = 0;
  /** By the hash of their bytes; null when there were too many. */
  seen: Map<number, Seen> | null = new Map();
  examples: Seen[] = [];
  least: Extreme | null = null;
  most: Extreme | null = null;
  readonly lengths = { min: Infinity, max: 0 };
  readonly sizes = { min: Infinity, max: 0 };
  children: Map<number, PathNode> | null = null;
  elements: PathNode | null = null;
  /** In place of the children, once there were too many. */
  mapValues: PathNode | null = null;
  /** Keys that no path was made for, or those of a map. */
  keySet: KeySet | null = null;
  hasMoreKeys = false;
  /** Values lie below that were not followed. */
  isTooDeep = false;

  constructor(step: Step, key: string, depth: number) {
    this.step = step;
    this.key = key;
    this.depth = depth;
  }

  /** True when this value was seen here before. */
  countAgain(hash: number): boolean {
    const known = this.seen?.get(hash);
    if (known !== undefined) known.count++;
    return known !== undefined;
  }

  noteNew(hash: number, type: Kind, { text, isCut }: { readonly text: string; readonly isCut: boolean }): void {
    if (this.seen !== null && this.seen.size < MOST_VALUES) this.seen.set(hash, { text, isCut, type, count: 1 });
    else this.giveUpValues();
  }

  /** A value that is not told apart from others like it, for its length. */
  noteLong(type: Kind, { text, isCut }: { readonly text: string; readonly isCut: boolean }): void {
    this.giveUpValues();
    if (this.examples.length < EXAMPLES) this.examples.push({ text, isCut, type, count: 1 });
  }

  get wantsLong(): boolean {
    return this.seen !== null || this.examples.length < EXAMPLES;
  }

  noteNumber(value: number, text: string): void {
    if (this.least === null || value < this.least.value) this.least = { value, text };
    if (this.most === null || value > this.most.value) this.most = { value, text };
  }

  noteKey(hash: number): void {
    this.keySet ??= new KeySet();
    if (this.keySet.size < MOST_KEYS) this.keySet.add(hash);
    else this.hasMoreKeys = true;
  }

  /** How many different keys its objects have. */
  get keyCount(): number {
    return (this.keySet?.size ?? 0) + (this.children?.size ?? 0);
  }

  giveUpValues(): void {
    if (this.seen === null) return;
    for (const one of this.seen.values()) if (this.examples.length < EXAMPLES) this.examples.push(one);
    this.seen = null;
  }
}

/** An object with more different keys at one path has its data in them, and is told as a map. */
export const MOST_CHILDREN = 200;

/** Adds all that was found at one path to another. Takes no more room than the two had. */
export function merge(into: PathNode, from: PathNode): void {
  for (const kind of KINDS.keys()) into.counts[kind]! += from.counts[kind]!;
  into.owners += from.owners;
  into.repeated += from.repeated;
  mergeValues(into, from);
  if (from.least !== null) into.noteNumber(from.least.value, from.least.text);
  if (from.most !== null) into.noteNumber(from.most.value, from.most.text);
  widenBy(into.lengths, from.lengths);
  widenBy(into.sizes, from.sizes);
  into.isTooDeep ||= from.isTooDeep;
  into.hasMoreKeys ||= from.hasMoreKeys;
  if (from.elements !== null) {
    into.elements ??= new PathNode("element", "", into.depth + 1);
    merge(into.elements, from.elements);
  }
  if (from.mapValues !== null || into.mapValues !== null) {
    toMap(into);
    toMap(from);
    merge(into.mapValues!, from.mapValues!);
  }
  for (const [hash, child] of from.children ?? []) {
    let same = into.children?.get(hash);
    if (same === undefined)
      (into.children ??= new Map()).set(hash, (same = new PathNode("key", child.key, into.depth + 1)));
    merge(same, child);
  }
  mergeKeySets(into, from);
  if ((into.children?.size ?? 0) > MOST_CHILDREN) toMap(into);
}

/** A set cannot be read back: of two, the larger says the least that there can be. */
function mergeKeySets(into: PathNode, from: PathNode): void {
  if (from.keySet === null) return;
  into.hasMoreKeys ||= into.keySet !== null;
  if (from.keySet.size > (into.keySet?.size ?? 0)) into.keySet = from.keySet;
}

/** Tells an object as a map: one path for all of its values. */
export function toMap(node: PathNode): void {
  if (node.mapValues !== null) return;
  const { children } = node;
  node.mapValues = new PathNode("value", "", node.depth + 1);
  node.children = null;
  for (const [hash, child] of children ?? []) {
    node.noteKey(hash);
    merge(node.mapValues, child);
  }
}

export function countNodes(node: PathNode): number {
  let sum = 1;
  for (const child of below(node)) sum += countNodes(child);
  return sum;
}

export function below(node: PathNode): PathNode[] {
  return [
    ...(node.children?.values() ?? []),
    ...(node.elements === null ? [] : [node.elements]),
    ...(node.mapValues === null ? [] : [node.mapValues]),
  ];
}

function mergeValues(into: PathNode, from: PathNode): void {
  if (from.seen === null) {
    into.giveUpValues();
    for (const one of from.examples) if (into.examples.length < EXAMPLES) into.examples.push(one);
    return;
  }
  for (const [hash, one] of from.seen) {
    const same = into.seen?.get(hash);
    if (same !== undefined) same.count += one.count;
    else if (into.seen !== null && into.seen.size < MOST_VALUES) into.seen.set(hash, { ...one });
    else {
      into.giveUpValues();
      if (into.examples.length < EXAMPLES) into.examples.push(one);
    }
  }
}

type Range = { min: number; max: number };

export function widen(range: Range, value: number): void {
  if (value < range.min) range.min = value;
  if (value > range.max) range.max = value;
}

function widenBy(range: Range, by: Range): void {
  if (by.min < range.min) range.min = by.min;
  if (by.max > range.max) range.max = by.max;
}
