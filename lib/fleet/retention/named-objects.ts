// What names an object of the bucket: families and tombstones, commits that are not read yet or could not be read, outputs of sessions
// that agents write, and what such a session goes on from.
import type { FleetSql, FleetTransaction } from "#db/fleet/fleet-sql.ts";
import type { Fragment } from "../open-fleet.ts";

/** The condition that nothing names the digest in a column: in one statement, which sees one moment. */
export const isUnnamed = (tx: FleetSql | FleetTransaction, column: string): Fragment => {
  const sql = tx as FleetSql;
  return sql`(NOT EXISTS (SELECT 1 FROM family_objects n WHERE n.digest = ${sql(column)})
    AND NOT EXISTS (SELECT 1 FROM held_names n WHERE n.digest = ${sql(column)})
    AND NOT EXISTS (SELECT 1 FROM commit_objects n WHERE n.digest = ${sql(column)}))`;
};

/** The common table that it needs. */
export const commitObjects = (tx: FleetSql | FleetTransaction): Fragment => {
  const sql = tx as FleetSql;
  return sql`commit_objects AS MATERIALIZED (
    SELECT DISTINCT one->>'digest' AS digest FROM (
      SELECT body FROM commits WHERE state IN ('waiting', 'claimed', 'failed')
      UNION ALL
      -- Mostly it is the commit of the family, whose objects are named already.
      SELECT c.body FROM held_sessions h JOIN commits c ON c.project = h.project AND c.id = h.commit_id
        WHERE NOT EXISTS (SELECT 1 FROM families f WHERE f.project = h.project AND f.id = h.session AND f.commit_id = h.commit_id)
    ) bodies, jsonb_path_query(body, '$.entries.*[*]') one)`;
};
