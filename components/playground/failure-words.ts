import type { JqRunEnd, PastRun } from "#lib/wire/playground-schema.ts";
import { formatTokens } from "../ui/format.ts";

/** What ended a run, in a word or two. */
export const FAILURES: Record<NonNullable<PastRun["failure"]>, string> = {
  compile: "syntax error",
  runtime: "runtime error",
  timeout: "stopped",
  memory: "memory",
  too_large: "too large",
  unsupported: "unsupported",
  busy: "busy",
  pattern: "not a pattern",
  option: "option",
};

/** What to do: of a deadline the title says what happened. */
export const adviceOf = ({ kind, message }: NonNullable<JqRunEnd["failure"]>): string =>
  kind === "timeout" ? "Narrow the input first, as with .[0:100]." : message;

/** What ended this run, in a line. */
export function titleOf({ failure, deadlineMs, values }: JqRunEnd): string {
  const where = failure?.line == null ? "" : ` at line ${failure.line}, column ${failure.column ?? 1}`;
  switch (failure?.kind) {
    case "compile":
      return `Syntax error${where}`;
    case "timeout":
      return `It ran over ${formatTokens(deadlineMs)} ms and was stopped`;
    case "memory":
      return "Stopped: jq reached its memory limit";
    case "too_large":
      return "That is too large for jq";
    case "busy":
      return "Every jq is busy with another run";
    case "unsupported":
      return "jq cannot read this";
    case undefined:
    case "runtime":
      return values > 0 ? `Runtime error after ${formatTokens(values)} values` : "Runtime error";
  }
}
