// Words that begin as a person wrote. The index has stems: "running*" would ask for all that begins with "run", and "generat*" would
// not find "generate", whose stem is "gener". Which words there are, and where, the archive's own word index says, which has no stems.
import type { Sqlite } from "#db/connection.ts";
import { openMarker } from "#db/search-database.ts";
import { scalar } from "#db/statement.ts";
import {
  matchExpression,
  ofParts,
  quoted,
  typedTerm,
  type MatchExpression,
} from "#lib/kernel/search/match-expression.ts";
import { SEARCH_KINDS } from "#lib/kernel/search/search-fields.ts";
import type { SearchQuery, SearchTerm } from "#lib/kernel/search/search-query.ts";
import { hasUnspaced } from "#lib/kernel/search/unspaced.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Where } from "./find-matches.ts";
import { PIECE_CHARS } from "./indexed-docs.ts";

export type AskedWords = { readonly expression: MatchExpression; readonly where: readonly Where[] };

/** What the index is asked for a query, and what else has to hold of a match. `isTyped`: the last word may go on. */
export function askedWords(
  archive: Archive,
  parsed: Pick<SearchQuery, "terms" | "filters">,
  isTyped = false,
): AskedWords {
  const typed = isTyped ? typedTerm(parsed.terms) : undefined;
  const beginnings = new Map<SearchTerm, string>();
  const where: Where[] = [];
  for (const term of parsed.terms) {
    const found = term.kind === "prefix" || term === typed ? beginningOf(archive, term, term === typed) : null;
    if (found === null) continue;
    const { sure, unsure, plain } = found;
    beginnings.set(term, (term.not ? sure : orOf(sure, unsure)) ?? NOTHING);
    if (unsure === null) continue;
    const inRows = scalar(archive.sqlite, "integer", ROWS).all(plain, term === typed ? MOST_TYPED + 1 : -1);
    // Written to its end, the word is found by its stem alone.
    if (term === typed && inRows.length > MOST_TYPED) continue;
    const rows = JSON.stringify(inRows);
    const certain = orOf(
      sure,
      ofParts(term),
      ofParts({ ...term, kind: "prefix" }),
      term === typed ? quoted(term.text) : null,
    );
    where.push(
      term.not
        ? { sql: `NOT (d.kind <> ${MEMORY} AND ${IN_ROWS})`, values: [rows] }
        : {
            sql: `(d.kind = ${MEMORY} OR d.piece > ${FAR} OR ${IN_ROWS}${certain === null ? "" : IN_WORDS})`,
            values: [rows, ...(certain === null ? [] : [certain])],
          },
    );
  }
  return { expression: matchExpression(parsed, { isTyped, beginnings }), where };
}

const ROWS = "SELECT rowid FROM search WHERE search MATCH ? LIMIT ?";
const IN_ROWS = "d.session * 4294967296 + d.seq IN (SELECT value FROM json_each(?))";
const IN_WORDS = " OR d.id IN (SELECT rowid FROM words WHERE words MATCH ?)";
const MEMORY = SEARCH_KINDS.indexOf("memory");
/** Pieces of an output that the archive's own index does not have. */
const FAR = LIMITS.searchChars / PIECE_CHARS;
/** No word of any text. */
const NOTHING = quoted("\u0001");

const orOf = (...ways: readonly (string | null)[]): string | null =>
  ways.filter((one) => one !== null).join(" OR ") || null;

type Beginning = {
  /** Words whose stems begin so, too: no other words have these. Null where there are none. */
  readonly sure: string | null;
  /** Others, whose stems other words have, too. */
  readonly unsure: string | null;
  /** All of them, as the archive's own index is asked. */
  readonly plain: string;
};

/** Shorter words have no stem, and many begin with so few letters. */
const SHORTEST = 3;
/** What a stem may be shorter than its word by: "generalizations" is "gener" (characters). */
const LONGEST_ENDING = 12;
/** Events with a word that is typed, which a list looks through with each key. */
const MOST_TYPED = 20_000;
/** Of more words the beginning of the stem is taken. */
const MOST_WORDS = 2000;

/** Null where the stem of the beginning, and what begins with it, is all that there is. What is typed is found by its stem, too. */
function beginningOf({ sqlite }: Archive, { text }: SearchTerm, isTyped: boolean): Beginning | null {
  // Looked for by their pairs, wherever these stand.
  if (hasUnspaced(text)) return null;
  const [, before, last] = /^(.*?)([\p{L}\p{M}\p{N}]+)[^\p{L}\p{M}\p{N}]*$/su.exec(text) ?? [];
  if (last === undefined) return null;
  const folded = last
    .normalize("NFD")
    .replaceAll(/\p{M}+/gu, "")
    .toLowerCase();
  if (folded.length < SHORTEST) return null;
  const words = wordsFrom(sqlite, folded);
  if (words === null) return null;
  const [own, ...stems] = stemsOf([folded, ...words]);
  const strange = isTyped ? NO_STEMS : strangeStems(sqlite, folded);
  const isSure = (_: string, n: number): boolean => stems[n]!.startsWith(folded) && !strange.has(stems[n]!);
  const others = words.filter((word, n) => !isSure(word, n));
  if (own === folded && others.length === 0 && strange.size === 0) return null;
  const any = (found: readonly string[]): string | null =>
    found.length === 0 ? null : found.map((word) => quoted(`${before!}${word}`)).join(" OR ");
  const sure =
    own === folded && strange.size === 0 ? `${quoted(`${before!}${last}`)}*` : any(oneOfStem(words, stems, isSure));
  const unsure = any(oneOfStem(words, stems, (word, n) => !isSure(word, n)));
  const plain = `${quoted(`${before!}${last}`)}*`;
  // "mooring*": where no event has "moored" or "moor", none has to be looked into. Of a million, 400,000 had the word: 440 ms.
  const otherStems = new Set(stems.filter((_, n) => !isSure("", n)));
  return strange.size > 0 || hasOthers(sqlite, folded, otherStems)
    ? { sure, unsure, plain }
    : { sure: orOf(sure, unsure), unsure: null, plain };
}

const NO_STEMS: ReadonlySet<string> = new Set();

/** Stems that begin so, of words that do not: "happy" is "happi", "filing" is "file". They differ in the last letter alone. */
function strangeStems(sqlite: Sqlite, beginning: string): ReadonlySet<string> {
  const words = (wordsFrom(sqlite, beginning.slice(0, -1)) ?? []).filter((word) => !word.startsWith(beginning));
  return new Set(stemsOf(words).filter((stem) => stem.startsWith(beginning)));
}

/** Whether words that do not begin so have one of the stems; true, too, where there are too many to look at. */
function hasOthers(sqlite: Sqlite, beginning: string, stems: ReadonlySet<string>): boolean {
  const shared = [...stems].reduce((least, stem) => sharedBeginning(least, stem), beginning);
  const known = shared.length < SHORTEST ? null : wordsFrom(sqlite, shared);
  if (known === null) return true;
  const others = known.filter((word) => !word.startsWith(beginning));
  return stemsOf(others).some((stem) => stems.has(stem));
}

function sharedBeginning(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}

function oneOfStem(
  words: readonly string[],
  stems: readonly string[],
  isMeant: (word: string, n: number) => boolean,
): string[] {
  const known = new Map<string, string>();
  for (const [n, word] of words.entries()) if (isMeant(word, n) && !known.has(stems[n]!)) known.set(stems[n]!, word);
  return [...known.values()];
}

/** Words of the archive that begin so; null where they are too many. */
function wordsFrom(sqlite: Sqlite, beginning: string): string[] | null {
  sqlite.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_words USING fts5vocab(main, search, row)");
  const words = sqlite
    .prepare("SELECT term FROM temp.search_words WHERE term >= ? AND term < ? AND length(term) <= ? LIMIT ?")
    .pluck()
    .all(beginning, `${beginning}\u{10FFFF}`, beginning.length + LONGEST_ENDING, MOST_WORDS + 1) as string[];
  return words.length > MOST_WORDS ? null : words;
}

/** The stem of each word, by the index's own tokenizer. */
function stemsOf(words: readonly string[]): string[] {
  const marker = openMarker();
  try {
    marker.exec("CREATE VIRTUAL TABLE stems USING fts5vocab(words, instance)");
    const insert = marker.prepare("INSERT INTO words (rowid, text) VALUES (?, ?)");
    marker.transaction(() => words.forEach((word, n) => insert.run(n + 1, word)))();
    const stems = [...words];
    for (const [doc, term] of marker.prepare("SELECT doc, term FROM stems").raw().all() as [number, string][])
      stems[doc - 1] = term;
    return stems;
  } finally {
    marker.close();
  }
}
