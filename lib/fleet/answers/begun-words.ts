// Words that begin as a person wrote. The database has stems: asked for "running*" it finds what begins with "run". Where the stem is
// another word, a text is looked into. What "generali*" should find of "generalize", whose stem is shorter, is not found here.
import type { WordQuery } from "../lexemes.ts";
import type { Fleet, Fragment } from "../open-fleet.ts";

/** Asked of a text `t` that has the stems. The first comparison is of constants: where it holds, no text is looked into. */
export const beginSo = ({ sql }: Pick<Fleet, "sql">, words: WordQuery | null): Fragment =>
  (words?.beginnings ?? []).reduce<Fragment>(
    (all, { word, isWhole, pattern }) =>
      sql`${all} AND (to_tsvector('plimsoll', ${word}) = to_tsvector('simple', ${word})
        OR t.words @@ ${`'${word}':*`}::tsquery ${isWhole ? sql`OR t.words @@ to_tsquery('plimsoll', ${`'${word}'`})` : sql``}
        OR t.text ~* ${pattern})`,
    sql`true`,
  );
