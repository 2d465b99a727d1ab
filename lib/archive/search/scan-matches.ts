// Regular expressions of a query, tried on the text of the matches that its words and filters find. The engine's time is linear
// in the text; what was not reached in time is said.
import { RE2JS, RE2JSSyntaxException } from "re2js";
import { AppError } from "#lib/kernel/errors.ts";
import { parseGrepOptions } from "#lib/kernel/grep/grep-options.ts";
import { readPattern } from "#lib/kernel/grep/pattern.ts";
import { parseSearch, type SearchTerm } from "#lib/kernel/search/search-query.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Match } from "./find-matches.ts";
import { matchText } from "./match-text.ts";

/** A search reads so long, and others have their turn after each slice (milliseconds). */
const LONGEST_MS = 1500;
const SLICE_MS = 15;

/** `scanned`: events, as matches are counted; an output of several pieces is one. */
export type Scan = { readonly matches: readonly Match[]; readonly scanned: number; readonly isWhole: boolean };

export async function scanMatches(
  archive: Archive,
  matches: readonly Match[],
  terms: readonly SearchTerm[],
  signal?: AbortSignal,
): Promise<Scan> {
  const patterns = terms.map((term) => ({ pattern: compilePattern(term), not: term.not }));
  const found: Match[] = [];
  const startedAt = performance.now();
  let slice = startedAt;
  let scanned = 0;
  let last: Match | undefined;
  for (const match of matches) {
    const now = performance.now();
    if (now - startedAt > LONGEST_MS) return { matches: found, scanned, isWhole: false };
    if (now - slice > SLICE_MS) {
      await new Promise((resume) => setImmediate(resume));
      signal?.throwIfAborted();
      slice = performance.now();
    }
    const read = await matchText(archive, match);
    if (match.session !== last?.session || match.seq !== last.seq) scanned++;
    last = match;
    if (read !== null && patterns.every(({ pattern, not }) => pattern.matcher(read.text).find() !== not))
      found.push(match);
  }
  return { matches: found, scanned, isWhole: true };
}

/** Fails with what is wrong in a query that cannot be run. */
export const requireSearch = (source: string, now: number): void =>
  parseSearch(source, now)
    .terms.filter(({ kind }) => kind === "regex")
    .forEach(compilePattern);

/** The pattern for the linear engine, or a refusal that says what is wrong with it. */
export function compilePattern({ text, ignoreCase }: SearchTerm): RE2JS {
  const options = parseGrepOptions(ignoreCase === true ? ["-i"] : []);
  const read = typeof options === "string" ? options : readPattern(text, options);
  if (typeof read === "string") throw new AppError("invalid", `The pattern /${text}/ cannot be used. ${read}`);
  try {
    return RE2JS.compile(read.re2, RE2JS.MULTILINE);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    throw new AppError("invalid", `The pattern /${text}/ is too large. Write fewer repeats.`, { cause: error });
  }
}
