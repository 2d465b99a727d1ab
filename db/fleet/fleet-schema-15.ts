// The fifteenth schema: which words stand beside each other in a text, and sub-agents of sub-agents in what a list sums.
//
// The index of words has the texts with all words of a phrase, and each of these was looked into for their order: 74,000 of a million for
// a rare phrase. An identifier is a phrase, too.
//
// Sub-agents nest, and a row of the list had the sums of those alone that its session began itself.
import { ANY, copied, COPIED, OF_SUBS, OWN, SUB_SUMS, SUBS } from "./fleet-schema-6.ts";

/** Pairs have one number of so many: an index of all pairs that ever stood somewhere would be longer than the texts. */
const NUMBERS = 2 ** 18;

/** What a sub-agent and all below it add to the row of the session that they are of, or take from it. */
const BECOME = (s: string, sign: string): string => `
      UPDATE session_list l SET ${OWN(s)
        .map((own, n) => `${SUB_SUMS[n]} = l.${SUB_SUMS[n]} ${sign} ${own} ${sign} b.${SUB_SUMS[n]}`)
        .join(", ")}
        FROM sums_below(${s}.project, ${s}.id) b WHERE l.project = ${s}.project AND l.id IN (SELECT ids_above(${s}.project, ${s}.parent));`;

/** Sums of all below each session that no other began. */
const ALL_BELOW = `WITH RECURSIVE b (project, top, id, depth) AS (SELECT project, parent, id, 1 FROM sessions c WHERE parent IS NOT NULL
      AND EXISTS (SELECT FROM sessions t WHERE t.project = c.project AND t.id = c.parent AND t.parent IS NULL)
    UNION ALL SELECT b.project, b.top, c.id, b.depth + 1 FROM b JOIN sessions c ON c.project = b.project AND c.parent = b.id)
  SELECT b.project, b.top, max(b.depth) AS depth, ${OF_SUBS} FROM b JOIN sessions c ON c.project = b.project AND c.id = b.id GROUP BY 1, 2`;

export const FLEET_SCHEMA_15 = `
CREATE FUNCTION word_pairs(words tsvector) RETURNS integer[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $pairs$
  WITH w AS (SELECT lexeme, position::integer FROM unnest(words) u (lexeme, positions, weights), unnest(positions) p (position))
  SELECT coalesce(array_agg(DISTINCT hashtext(a.lexeme || ' ' || b.lexeme) & ${NUMBERS - 1}), '{}')
    FROM w a JOIN w b ON b.position = a.position + 1
$pairs$;
LOCK TABLE session_list IN SHARE ROW EXCLUSIVE MODE;
-- A session that began it, the one that began that, and so on: one of them is in the list.
CREATE FUNCTION ids_above(of_project text, of_id text) RETURNS SETOF text LANGUAGE sql AS $above$
  WITH RECURSIVE up AS (SELECT of_id AS id UNION
    SELECT s.parent FROM up JOIN sessions s ON s.project = of_project AND s.id = up.id WHERE s.parent IS NOT NULL)
  SELECT id FROM up
$above$;
CREATE FUNCTION sums_below(of_project text, of_id text, ${SUB_SUMS.map((sum) => `OUT ${sum} numeric`).join(", ")}) LANGUAGE sql AS $below$
  WITH RECURSIVE down AS (SELECT c.id FROM sessions c WHERE c.project = of_project AND c.parent = of_id UNION
    SELECT c.id FROM down JOIN sessions c ON c.project = of_project AND c.parent = down.id)
  SELECT ${OF_SUBS} FROM down JOIN sessions c ON c.project = of_project AND c.id = down.id
$below$;
CREATE OR REPLACE FUNCTION list_session() RETURNS trigger LANGUAGE plpgsql AS $list$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    IF OLD.parent IS NULL THEN
      DELETE FROM session_list l WHERE l.project = OLD.project AND l.id = OLD.id;
    ELSE${BECOME("OLD", "-")}
    END IF;${ANY("OLD", "-")}
  END IF;
  IF TG_OP <> 'DELETE' THEN
    IF NEW.parent IS NULL THEN
      INSERT INTO session_list (${COPIED}, name, ${SUBS})
        SELECT ${copied("NEW")}, left(lower(NEW.title), 200), b.* FROM sums_below(NEW.project, NEW.id) b;
    ELSE${BECOME("NEW", "+")}
    END IF;${ANY("NEW", "")}
    RETURN NEW;
  END IF;
  RETURN OLD;
END $list$;
-- Those alone whose sub-agents began others.
UPDATE session_list l SET ${SUB_SUMS.map((sum) => `${sum} = a.${sum}`).join(", ")}
  FROM (${ALL_BELOW}) a (project, top, depth, ${SUBS}) WHERE a.depth > 1 AND l.project = a.project AND l.id = a.top;
`;
