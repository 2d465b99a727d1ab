import type { CSSProperties } from "react";

/** For a table of class `stacks`: on a narrow screen each cell stands with the name of its column (stacks.css). */
export const columnNames = (names: readonly string[]): CSSProperties =>
  Object.fromEntries(names.map((name, at) => [`--column-${at + 1}`, JSON.stringify(name)])) as CSSProperties;
