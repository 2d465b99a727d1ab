import type { PastRun } from "#lib/wire/playground.ts";

/** What ended a run, in a word or two. */
export const FAILURES: Record<NonNullable<PastRun["failure"]>, string> = {
  compile: "not a program",
  runtime: "error",
  timeout: "stopped",
  memory: "memory",
  too_large: "too large",
  unsupported: "unsupported",
  busy: "busy",
  pattern: "not a pattern",
  option: "option",
};
