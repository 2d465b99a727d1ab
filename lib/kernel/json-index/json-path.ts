// From a value to the steps that lead to it, and back. The values of a stream are numbered as `jq -s` has them.
import { childAt, childrenFrom, documentOf, type Document, type Value } from "./walk.ts";
import type { Step } from "./path-text.ts";
import { decodeString } from "./token-bytes.ts";

/** The first value is the document itself when it is one value, so that its path is `.`. */
const isStream = ({ index, isLines }: Document): boolean => isLines || index.count[0] !== 1;

/** The steps to the last value of a chain. */
export function stepsOf(document: Document, chain: readonly Value[]): Step[] {
  const steps = chain.map(({ key, ordinal }) =>
    key === null ? ordinal : decodeString(document.bytes, key.at + 1, key.end - 1),
  );
  return isStream(document) ? steps : steps.slice(1);
}

/** The values along a path, as far as there are any. Of equal keys the last counts, as in jq. */
export function chainAlong(document: Document, steps: readonly Step[]): { chain: Value[]; isWhole: boolean } {
  const chain: Value[] = [];
  let parent = documentOf(document);
  const all: readonly Step[] = isStream(document) ? steps : [0, ...steps];
  for (const step of all) {
    const next = typeof step === "number" ? numbered(document, parent, step) : named(document, parent, step);
    if (next === null) return { chain, isWhole: false };
    chain.push(next);
    parent = next;
  }
  return { chain, isWhole: true };
}

const numbered = (document: Document, parent: Value, ordinal: number): Value | null =>
  parent.kind === "object" ? null : childAt(document, parent, ordinal);

function named(document: Document, parent: Value, name: string): Value | null {
  if (parent.kind !== "object") return null;
  let found: Value | null = null;
  for (const child of childrenFrom(document, parent, { ordinal: 0 }))
    if (child.key && decodeString(document.bytes, child.key.at + 1, child.key.end - 1) === name) found = child;
  return found;
}
