// A phrase is in no text that the index of pairs does not find.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasPairs, makeConcurrentIndexes, PAIRS_INDEX } from "#db/fleet/concurrent-indexes.ts";
import { skippedFor } from "#lib/blobs/testing-services.ts";
import { wordQuery, wordsOf } from "../lexemes.ts";
import { openFleet, type Fleet } from "../open-fleet.ts";
import { openTestFleet, testFleet } from "../testing-fleet.ts";
import { besideEachOther } from "./word-pairs.ts";

const found = await testFleet();

/** Few words, so that they stand beside each other in many ways, and signs that part or join them. */
const PIECES = [
  "read",
  "file",
  "reading",
  "readFile",
  "read_file",
  "src/server.ts",
  "1e5",
  "5kg",
  "é",
  "漢字",
  "https",
  "gpu",
  "-",
  "a",
];
const TEXT = fc.array(fc.tuple(fc.constantFrom(...PIECES), fc.constantFrom(" ", "\n", "/", "_", "")), {
  maxLength: 12,
});
const KIND = fc.constantFrom("word", "phrase", "prefix");
const joined = (pieces: readonly (readonly [string, string])[]): string => pieces.flat().join("");

describe.skipIf("missing" in found)(`pairs of words${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  test("are in each text that has the phrase", { timeout: 120_000 }, async () => {
    const { sql } = fleet;
    let phrases = 0;
    await fc.assert(
      fc.asyncProperty(TEXT, TEXT, KIND, async (text, asked, kind) => {
        const query = wordQuery([{ kind, text: joined(asked), not: false }]);
        if (query === null || query.phrases.length === 0) return;
        const [row] = await sql<{ said: boolean; beside: boolean }[]>`
          SELECT p.words @@ to_tsquery('plimsoll', ${query.tsquery}) AS said, ${besideEachOther(fleet, query)} AS beside
          FROM (SELECT to_tsvector('plimsoll', ${wordsOf(`${joined(text)} ${joined(asked)}`)}) AS words) p`;
        if (row!.said) phrases++;
        expect(row!.beside || !row!.said).toBe(true);
      }),
      { numRuns: 400 },
    );
    expect(phrases).toBeGreaterThan(50);
  });

  test("are those of the last words of a long text, too, which the database counts no further", async () => {
    const { sql } = fleet;
    const long = `${Array.from({ length: 17_000 }, (_, n) => `w${n}`).join(" ")}`;
    const [row] = await sql<{ pairs: number; n: number }[]>`
      SELECT cardinality(word_pairs(v)) AS pairs, cardinality(word_pairs(to_tsvector('plimsoll', 'one two two three'))) AS n
      FROM to_tsvector('plimsoll', ${long}) v`;
    expect([row!.pairs > 15_500, row!.n]).toEqual([true, 3]);
  });

  test("are asked once their index is whole; an unfinished one is made anew", async () => {
    const { sql } = fleet;
    await sql.unsafe(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = '${PAIRS_INDEX}'::regclass`);
    const other = openFleet((found as Extract<typeof found, { address: object }>).address);
    try {
      expect(await hasPairs(other.sql)).toBe(false);
      const notes: string[] = [];
      const note = (text: string): number => notes.push(text);
      await Promise.all([1, 2, 3].map(() => makeConcurrentIndexes(other.sql, note)));
      expect([notes.length, await hasPairs(other.sql)]).toEqual([1, true]);
      const [{ target } = { target: null }] = await sql<{ target: number | null }[]>`
        SELECT attstattarget AS target FROM pg_attribute WHERE attrelid = ${PAIRS_INDEX}::regclass`;
      expect(target).toBe(0);
    } finally {
      await other.close();
    }
  });
});
