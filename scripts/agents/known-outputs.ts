// What the scripts' tools write, to the byte.

/** Of the MCP tool `rows`. */
export const rowsText = (count: number): string =>
  Array.from({ length: count }, (_, i) => `row ${i + 1} of the ${count} that were asked for`).join("\n");

/** Of the MCP tool `wait`. */
export const waitText = (ms: number): string => `waited ${ms} ms`;

/** A command that writes so many lines: words, since figures alone weigh more than a token for four characters. */
export const linesCommand = (count: number): string => `seq -f 'line %g of a long output' 1 ${count}`;
export const linesText = (count: number): string =>
  Array.from({ length: count }, (_, i) => `line ${i + 1} of a long output\n`).join("");
