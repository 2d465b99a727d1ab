// Where in a program jq found a mistake.
import type { JqPlace } from "./job-types.ts";

/**
 * The first place that a message of jq's compiler names, from 1. jq counts columns in bytes, and at the end of a program
 * names its last character. Null when it names none: a module that is missing, an option.
 */
export function placeIn(message: string, program: string): JqPlace | null {
  const found = / at <top-level>, line (\d+)(?:, column (\d+))?/.exec(message);
  if (found === null) return null;
  const line = Number(found[1]);
  const text = program.split("\n")[line - 1] ?? "";
  const before = Buffer.from(text).subarray(0, Number(found[2] ?? 1) - 1);
  return { line, column: before.toString("utf8").length + 1 };
}
