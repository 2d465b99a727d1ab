// The texts of a comparison as they are compared: both laid out, or both as they are stored. One of each would differ in
// every line. Pure; it lives in the worker.
import type { Layout, SideSource } from "./diff-words.ts";
import { comparableJson } from "./sorted-json.ts";

export type ReadSide = Pick<SideSource, "json"> & {
  readonly text: string;
  /** It goes on, and was not read further. */
  readonly isCut: boolean;
};

type Sides = { readonly left: string; readonly right: string; readonly notes: readonly string[] };

export function comparedSides(left: ReadSide, right: ReadSide, layout: Layout): Sides {
  const stored = (...notes: string[]): Sides => ({ left: left.text, right: right.text, notes });
  if (layout === "stored" || left.json === null || right.json === null) return stored();
  if (left.isCut || right.isCut) return stored("One side is too long to format as JSON. Both are compared as stored.");
  const isSorted = layout === "sorted";
  const laid = [left, right].map(({ text, json }) => comparableJson(text, json === "lines", isSorted));
  const [a = null, b = null] = laid;
  if (a !== null && b !== null) return { left: a, right: b, notes: [] };
  const which = a === null && b === null ? "Neither side" : a === null ? "The left side" : "The right side";
  const why =
    which === "Neither side"
      ? "can be formatted: not valid JSON to the end, or nested too deep"
      : "cannot be formatted: not valid JSON to the end, or nested too deep";
  return stored(`${which} ${why}. Both are compared as stored.`);
}
