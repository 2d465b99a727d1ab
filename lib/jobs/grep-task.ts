// A search as both engines get it, and what they tell.
import type { Dialect } from "#lib/kernel/grep/grep-dialect.ts";
import { collectLines, type GrepLines } from "./grep-lines.ts";
import type { GrepOptions } from "#lib/kernel/grep/grep-options.ts";
import type { GrepLimits, GrepLine } from "./job-types.ts";

export type GrepTask = {
  readonly patterns: Dialect;
  readonly options: GrepOptions;
  readonly limits: GrepLimits;
};

export type GrepResult = {
  readonly lines: readonly GrepLine[];
  readonly matches: number;
  readonly shownMatches: number;
};

export type GrepEnd =
  | { readonly kind: "answer"; readonly result: GrepResult }
  /** What was found so far. */
  | { readonly kind: "deadline"; readonly result: GrepResult }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "missing" }
  /** Nobody had time for it. */
  | { readonly kind: "busy" };

/** Lines as they are found, and the answer made of them; `count` when the engine counted by itself. */
export function collect({ options, limits }: Pick<GrepTask, "options" | "limits">): {
  readonly lines: GrepLines;
  result(count: number | null): GrepResult;
} {
  const lines = collectLines(options, limits);
  return {
    lines,
    result: (count) => ({ lines: lines.lines, matches: count ?? lines.matches, shownMatches: lines.shownMatches }),
  };
}
