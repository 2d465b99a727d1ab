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
export const LONGEST_MS = 1500;
const SLICE_MS = 15;

/** `scanned`: events, as matches are counted; an output of several pieces is one. */
export type Scan = { readonly matches: readonly Match[]; readonly scanned: number; readonly isWhole: boolean };

export async function scanMatches(
  archive: Archive,
  matches: readonly Match[],
  terms: readonly SearchTerm[],
  signal?: AbortSignal,
): Promise<Scan> {
  const read = async (match: Match) => (await matchText(archive, match))?.text ?? null;
  const { found, tried } = await tryPatterns(matches, terms, read, LONGEST_MS, signal);
  return { matches: found, scanned: countEvents(matches.slice(0, tried)), isWhole: tried === matches.length };
}

/** Those of the first `tried` whose text fits all of the expressions; the others were not reached in time. */
export async function tryPatterns<T>(
  all: readonly T[],
  terms: readonly SearchTerm[],
  read: (one: T) => string | null | Promise<string | null>,
  mostMs: number,
  signal?: AbortSignal,
): Promise<{ readonly found: readonly T[]; readonly tried: number }> {
  const patterns = terms.map((term) => ({ pattern: compilePattern(term), not: term.not }));
  const found: T[] = [];
  const startedAt = performance.now();
  let slice = startedAt;
  for (const [tried, one] of all.entries()) {
    const now = performance.now();
    if (now - startedAt > mostMs) return { found, tried };
    if (now - slice > SLICE_MS) {
      await new Promise((resume) => setImmediate(resume));
      signal?.throwIfAborted();
      slice = performance.now();
    }
    const text = await read(one);
    if (text !== null && patterns.every(({ pattern, not }) => pattern.matcher(text).find() !== not)) found.push(one);
  }
  return { found, tried: all.length };
}

/** Pieces of one output stand next to each other, and count once. */
export const countEvents = (all: readonly { readonly session: unknown; readonly seq: number }[]): number =>
  all.filter(({ session, seq }, n) => n === 0 || session !== all[n - 1]!.session || seq !== all[n - 1]!.seq).length;

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
