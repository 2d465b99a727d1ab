// Texts that regular expressions fit, of the newest that the rest of a query finds. The database leaves out those without a part that
// a pattern cannot do without; the engine of one machine tries the others, whose time is linear in the text.
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { runSearch } from "#lib/archive/base/search-task.ts";
import { regexesOf, TRIED } from "#lib/archive/search/ordered-matches.ts";
import { compilePattern, countEvents, LONGEST_MS } from "#lib/archive/search/scan-matches.ts";
import { tryTextsTask } from "#lib/archive/search/text-tasks.ts";
import { requiredText } from "#lib/kernel/grep/required-text.ts";
import type { SearchTerm } from "#lib/kernel/search/search-query.ts";
import type { Fleet, Fragment } from "../open-fleet.ts";
import type { Projects } from "../visible-projects.ts";
import { findTexts, type TextsAsked } from "./find-texts.ts";
import { keyOf, textsOf, type FoundRow, type Tried } from "./found-texts.ts";
import { within } from "./search-conditions.ts";

/** Texts of one question: they have up to 33 kB each. Where the database leaves most of them out, it is asked of more at once. */
const AT_ONCE = 500;
const MOST_AT_ONCE = 2000;

/** What a search runs in, and its time. */
export type Asking = Pick<Archive, "searcher"> & { readonly now: number };

/** The expressions of a query; fails with what is wrong with one. */
export function patternsOf(parsed: { readonly terms: readonly SearchTerm[] }): readonly SearchTerm[] {
  const terms = regexesOf(parsed);
  terms.forEach(compilePattern);
  return terms;
}

export async function triedTexts(
  fleet: Fleet,
  asking: Asking,
  asked: Pick<TextsAsked, "filters" | "words" | "session" | "isStored"> & { readonly patterns: readonly SearchTerm[] },
  visible: Projects,
): Promise<Tried> {
  const found = await fleet.ask(() => findTexts(fleet, { ...asked, isRanked: false, most: TRIED }, visible));
  const all = found.slice(0, TRIED);
  const { rows, tried } = await tryRows(fleet, asking, all, asked.patterns);
  const hasOlder = found.length > all.length;
  const isWhole = tried === all.length && !hasOlder;
  return { rows, scanned: { matches: countEvents(all.slice(0, tried)), of: countEvents(all), hasOlder, isWhole } };
}

async function tryRows(
  fleet: Fleet,
  asking: Asking,
  all: readonly FoundRow[],
  terms: readonly SearchTerm[],
): Promise<{ readonly rows: readonly FoundRow[]; readonly tried: number }> {
  const rows: FoundRow[] = [];
  const startedAt = performance.now();
  const needed = neededIn(fleet, terms);
  let atOnce = AT_ONCE;
  for (let from = 0; from < all.length;) {
    const mostMs = startedAt + LONGEST_MS - performance.now();
    if (mostMs <= 0) return { rows, tried: from };
    const part = all.slice(from, from + atOnce);
    const texts = await textsOf(fleet, part, needed);
    const likely = part.flatMap((row, n) => {
      const text = texts.get(keyOf(row));
      return text === undefined ? [] : [{ row, text, at: from + n }];
    });
    from += part.length;
    atOnce = likely.length * 10 < part.length ? Math.min(2 * atOnce, MOST_AT_ONCE) : AT_ONCE;
    if (likely.length === 0) continue;
    const request = { texts: likely.map(({ text }) => text), terms, mostMs };
    const { fits, tried } = await runSearch(asking, tryTextsTask, request);
    rows.push(...fits.map((n) => likely[n]!.row));
    if (tried < likely.length) return { rows, tried: likely[tried]!.at };
  }
  return { rows, tried: all.length };
}

/** What all of them need of a text `t`. Without a language ASCII alone has cases, as in the parts that are asked for. */
const neededIn = ({ sql }: Fleet, terms: readonly SearchTerm[]): Fragment =>
  terms.reduce<Fragment>(
    (all, { text: pattern, not, ignoreCase = false }) => {
      const { text, isCaseOpen } = requiredText(pattern, ignoreCase);
      if (not || text === "") return all;
      return isCaseOpen
        ? sql`${all} AND t.text COLLATE "C" ILIKE ${within(text)}`
        : sql`${all} AND t.text LIKE ${within(text)}`;
    },
    sql`true`,
  );
