// What the scripts' tools write, to the byte.

/** Of the MCP tool `rows`. */
export const rowsText = (count: number): string =>
  Array.from({ length: count }, (_, i) => `row ${i + 1} of ${count}`).join("\n");

/** Of the MCP tool `wait`. */
export const waitText = (ms: number): string => `waited ${ms} ms`;

/** Of `seq 1 LAST`. */
export const seqText = (last: number): string => Array.from({ length: last }, (_, i) => `${i + 1}\n`).join("");
