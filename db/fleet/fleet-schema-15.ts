// The fifteenth schema: which words stand beside each other in a text. The index of words has the texts with all words of a phrase, and
// each of these was looked into for their order: 74,000 of a million for a rare phrase. An identifier is a phrase, too.

/** Pairs have one number of so many: an index of all pairs that ever stood somewhere would be longer than the texts. */
const NUMBERS = 2 ** 18;

export const FLEET_SCHEMA_15 = `
CREATE FUNCTION word_pairs(words tsvector) RETURNS integer[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $pairs$
  WITH w AS (SELECT lexeme, position::integer FROM unnest(words) u (lexeme, positions, weights), unnest(positions) p (position))
  SELECT coalesce(array_agg(DISTINCT hashtext(a.lexeme || ' ' || b.lexeme) & ${NUMBERS - 1}), '{}')
    FROM w a JOIN w b ON b.position = a.position + 1
$pairs$;
`;
