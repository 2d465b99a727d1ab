// What the scripts' tools write, to the byte.
import { hash } from "node:crypto";

/** Of the MCP tool `rows`. */
export const rowsText = (count: number): string =>
  Array.from({ length: count }, (_, i) => `row ${i + 1} of the ${count} that were asked for`).join("\n");

/** Of the MCP tool `wait`. */
export const waitText = (ms: number): string => `waited ${ms} ms`;

/** A command that writes so many lines: words, since figures alone weigh more than a token for four characters. */
export const linesCommand = (count: number): string => `seq -f 'line %g of a long output' 1 ${count}`;
export const linesText = (count: number): string =>
  Array.from({ length: count }, (_, i) => `line ${i + 1} of a long output\n`).join("");

/** A log whose every 200th line is an error: words, as above. What greps for those is told four. */
export const ERROR_LOG = Array.from(
  { length: 800 },
  (_, i) => `${i % 200 === 6 ? "ERROR" : "notice"}: the gauge at the harbour wall answers, reading ${i + 1}`,
).join("\n");
export const idOf = (text: string): string => `art_${hash("sha256", text, "hex").slice(0, 16)}`;
export const ERROR_LOG_ID = idOf(ERROR_LOG);
