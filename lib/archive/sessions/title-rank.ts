// Where a title stands that has the words of a query: whole words first, then their beginnings, then what was found elsewhere.
import { sql, type SQL } from "drizzle-orm";
import { sessions } from "#db/schema/session-tables.ts";
import { parseSearch, wordsOfQuery } from "#lib/kernel/search/search-query.ts";

/** What parts words: letters beyond ASCII are letters. SQLite's lower() knows those of ASCII alone. */
const BETWEEN = "[^a-z0-9\u0080-\u{10ffff}]";

/** What is ordered by; nothing where the query has no word. */
export function titleRank(q: string): SQL[] {
  const words = wordsOfQuery(parseSearch(q, 0)).map((word) =>
    word.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/[*?[]/g, "[$&]"),
  );
  if (words.length === 0) return [];
  const has = (pattern: (word: string) => string): SQL =>
    sql.join(
      words.map((word) => sql`' ' || lower(${sessions.title}) || ' ' GLOB ${pattern(word)}`),
      sql` AND `,
    );
  return [
    sql`CASE WHEN ${has((word) => `*${BETWEEN}${word}${BETWEEN}*`)} THEN 0 WHEN ${has((word) => `*${BETWEEN}${word}*`)} THEN 1 ELSE 2 END`,
  ];
}
