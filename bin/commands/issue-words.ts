// What a schema refuses, in the words of the command line: the option, and what it takes.
import { count } from "./print.ts";

/** As zod says it; of what a rule needs, what that rule has. */
export type Issue = {
  readonly code?: string | undefined;
  readonly message: string;
  readonly origin?: string;
  readonly expected?: string;
  readonly values?: readonly unknown[];
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
};

/** A sentence: `--limit takes at least 1.` */
export function issueWords(name: string, issue: Issue): string {
  const { code, origin, values, minimum, maximum } = issue;
  if (code === "invalid_value" && values !== undefined) return `${name} takes ${oneOf(values.map(String))}.`;
  if (code === "too_small" && minimum !== undefined) {
    if (isNumber(origin)) return `${name} takes at least ${count(Number(minimum))}.`;
    return Number(minimum) === 1 ? `${name} must not be empty.` : `${name} needs ${sized(origin, minimum)} at least.`;
  }
  if (code === "too_big" && maximum !== undefined)
    return isNumber(origin)
      ? `${name} takes at most ${count(Number(maximum))}.`
      : `${name} may have ${sized(origin, maximum)} at most.`;
  if (code === "invalid_type" && issue.expected === "int") return `${name} takes a whole number.`;
  return `${name}: ${issue.message.replace(/\.$/u, "")}.`;
}

const isNumber = (origin: string | undefined): boolean => origin === "number" || origin === "int";

const sized = (origin: string | undefined, size: number | bigint): string =>
  `${count(Number(size))} ${origin === "string" ? "characters" : "values"}`;

const oneOf = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
