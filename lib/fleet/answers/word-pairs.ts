// Where the words of a phrase stand beside each other. Of each pair of words a text has a number, which another pair may have, too:
// what is found is looked into once more.
import type { Beside, WordQuery } from "../lexemes.ts";
import type { Fleet, Fragment } from "../open-fleet.ts";

/** Asked of a text `p`. */
export const besideEachOther = (fleet: Fleet, { phrases }: WordQuery): Fragment =>
  phrases
    .map((ways) => ways.map((way) => isBeside(fleet, way)).reduce((any, way) => fleet.sql`${any} OR ${way}`))
    .reduce<Fragment>((all, any) => fleet.sql`${all} AND (${any})`, fleet.sql`true`);

/** No text has to be looked into for any of these: an index alone says it. */
const isBeside = ({ sql }: Fleet, way: Beside): Fragment =>
  "words" in way
    ? sql`word_pairs(p.words) @> word_pairs(to_tsvector('plimsoll', ${way.words}))`
    : sql`p.words @@ to_tsquery('plimsoll', ${`'${way.word}'`})`;
