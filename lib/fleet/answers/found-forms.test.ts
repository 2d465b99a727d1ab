// Forms of a word that a fleet finds are those that one machine finds.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openMarker } from "#db/search-database.ts";
import { matchExpression } from "#lib/kernel/search/match-expression.ts";
import { parseSearch } from "#lib/kernel/search/search-query.ts";
import { skippedFor } from "#lib/blobs/testing-services.ts";
import { wordQuery, wordsOf } from "../lexemes.ts";
import type { Fleet } from "../open-fleet.ts";
import { openTestFleet, testFleet } from "../testing-fleet.ts";

const found = await testFleet();

const WORDS = [
  ...["http", "https", "gpu", "gpus", "CPU", "cpus", "pdf", "pdfs", "tls", "tl", "css", "url", "urls", "dbs", "db"],
  ...["menu", "menus", "hi", "his", "this", "go", "a", "as", "is", "ssh", "pass", "class", "mp3", "mp3s", "bus"],
  ...["test", "tests", "testing", "note", "notes", "s3", "k8s", "us", "u", "ids", "id"],
];
const QUERIES = [
  ...WORDS,
  ...['"http server"', '"https servers"', '"gpu memory"', "http_server", "httpServer", "-http", "http -tls"],
];
const TEXTS = [
  ...WORDS.map((word) => `say ${word} here`),
  ...["an https server", "http servers", "two gpus memory", "https_server", "httpsServer", "server https"],
];

describe.skipIf("missing" in found)(`forms of words${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  test("are found as on one machine", async () => {
    const { sql } = fleet;
    const marker = openMarker();
    const insert = marker.prepare("INSERT INTO words (rowid, text) VALUES (?, ?)");
    for (const [n, text] of TEXTS.entries()) insert.run(n, wordsOf(text));
    for (const q of QUERIES) {
      const parsed = parseSearch(q, 0);
      const { match, without } = matchExpression(parsed);
      const ids = (expression: string | null): number[] =>
        expression === null
          ? []
          : (marker.prepare("SELECT rowid FROM words WHERE words MATCH ?").pluck().all(expression) as number[]);
      const own = match === null ? TEXTS.map((_, n) => n).filter((n) => !ids(without).includes(n)) : ids(match);
      const rows = await sql<{ n: number }[]>`SELECT n::int - 1 AS n
        FROM unnest(${TEXTS.map(wordsOf)}::text[]) WITH ORDINALITY t (text, n)
        WHERE to_tsvector('plimsoll', text) @@ to_tsquery('plimsoll', ${wordQuery(parsed.terms)!.tsquery})`;
      const texts = (found: readonly number[]): string[] => found.map((n) => TEXTS[n]!).toSorted();
      expect([q, texts(rows.map(({ n }) => n))]).toEqual([q, texts(own)]);
    }
    marker.close();
  });
});
