// Words that begin as a person wrote. The database has stems: for "running*" it finds what begins with "run", and of
// "generali*", the stem of "generalize" is shorter. Where a stem may be that of another word, a text is looked into. Not so for an
// "e" at the end: "file*" finds "filing", too, and each text with "file" would be read.
import type { Beginning, WordQuery } from "../lexemes.ts";
import type { Fleet, Fragment } from "../open-fleet.ts";

/** Asked of a text `t` that has the stems. */
export const beginSo = ({ sql }: Pick<Fleet, "sql">, words: WordQuery | null): Fragment =>
  (words?.beginnings ?? []).reduce<Fragment>(
    (all, one) => {
      const { word, isWhole, pattern } = one;
      const ofStem = isWhole ? sql`OR t.words @@ to_tsquery('plimsoll', ${`'${word}'`})` : sql``;
      // "happy" has the stem "happi".
      const begun = word.endsWith("i") ? sql`false` : sql`${isSure(sql, one)} OR t.words @@ ${`'${word}':*`}::tsquery`;
      return sql`${all} AND (${begun} ${ofStem} OR t.text ~* ${pattern})`;
    },
    sql`true`,
  );

/** Of constants: where it holds, all that is found begins so, and no text is looked into. */
const isSure = (sql: Fleet["sql"], { word, ended }: Beginning): Fragment => sql`(
  to_tsvector('plimsoll', ${word}) = to_tsvector('simple', ${word}) AND NOT EXISTS (
    SELECT FROM unnest(to_tsvector('plimsoll', ${ended.join(" ")})) w WHERE NOT starts_with(w.lexeme, ${word})))`;
