// A pattern as somebody wrote it, checked and spelled for both engines: the same for a search at the server and for marking
// what it found on a page.
import { LIMITS } from "../limits.ts";
import { translatePattern, type Dialect } from "./grep-dialect.ts";
import type { GrepOptions } from "./grep-options.ts";
import { PatternRefusal } from "./pattern-tokens.ts";

/** Both spellings, or a sentence that says why there are none. */
export function readPattern(pattern: string, options: GrepOptions): Dialect | string {
  if (pattern.length > LIMITS.grepPatternChars && [...pattern].length > LIMITS.grepPatternChars)
    return `The pattern has more than ${LIMITS.grepPatternChars} characters. Search for a part of it.`;
  if (/[\n\0]/.test(pattern))
    return "The pattern contains a newline or NUL, and search is by line. Use a|b for alternatives.";
  if (!pattern.isWellFormed()) return "The pattern contains half of a surrogate pair.";
  try {
    return translatePattern(pattern, options);
  } catch (error) {
    if (error instanceof PatternRefusal) return error.message;
    throw error;
  }
}
