// The thirteenth schema: what sessions of some days come to, by the day on which they began, where all sessions of a month were counted
// for each page; indexes that have all that a page asks of the sessions of one folder or model, where it read some thousand rows that lie
// far apart; and texts of one kind by time. Triggers keep the days, so that nodes of an older schema keep them too.
import { COLUMNS, EXPANDED, LISTED, SUMS, TOTALS } from "./fleet-schema-6.ts";

const DAY = 86_400_000;
const LIST = SUMS.join(", ");
const KEYS = "day, format, model, state, has_artifacts";
const dayOf = (l: string): [string, string] => ["day,", `${l}.started_at / ${DAY},`];

const ASKED =
  "project, format, state, ended_at, name, turns, calls, compactions, artifacts, peak_share, usd, avoidable_usd";
const LISTED_ROWS = [
  ["folder", "model"],
  ["model", "folder"],
].map(
  ([of, other]) =>
    `CREATE INDEX session_list_${of}_rows ON session_list (${of}, started_at DESC NULLS LAST, id DESC) INCLUDE (${other}, ${ASKED});`,
);
const ADDED = SUMS.map((sum) => `${sum} = k.${sum} + excluded.${sum}`).join(", ");

export const FLEET_SCHEMA_13 = `
-- Writers lock it first, too: what they change is counted before this, or by the functions below.
LOCK TABLE session_list IN SHARE ROW EXCLUSIVE MODE;
ALTER TABLE session_count_changes ADD COLUMN day bigint;
-- Of UTC, and of all projects together: of twenty projects each day would have as many rows as sessions.
CREATE TABLE session_day_counts (
  day bigint NOT NULL,
  format text NOT NULL,
  model text,
  state text,
  has_artifacts boolean NOT NULL,
  ${COLUMNS},
  UNIQUE NULLS NOT DISTINCT (${KEYS})
);
CREATE OR REPLACE FUNCTION count_listed() RETURNS trigger LANGUAGE plpgsql AS $count$
BEGIN
  IF TG_OP <> 'INSERT' THEN${LISTED("OLD", "-", dayOf("OLD"))}
  END IF;
  IF TG_OP <> 'DELETE' THEN${LISTED("NEW", "", dayOf("NEW"))}
  END IF;
  RETURN NULL;
END $count$;
CREATE OR REPLACE FUNCTION keep_session_counts() RETURNS void LANGUAGE plpgsql AS $keep$
DECLARE
  emptied boolean;
BEGIN
  WITH c AS (DELETE FROM session_count_changes RETURNING *), kept AS (
    INSERT INTO session_counts AS k (project, mask, format, cwd, model, state, has_artifacts, ${LIST}) ${EXPANDED("c")}
    ON CONFLICT (project, mask, format, model, folder, state, has_artifacts) DO UPDATE SET ${ADDED} RETURNING n),
  days AS (
    INSERT INTO session_day_counts AS k (${KEYS}, ${LIST})
      SELECT ${KEYS}, ${TOTALS} FROM c WHERE day IS NOT NULL GROUP BY ${KEYS} ORDER BY ${KEYS}
    ON CONFLICT (${KEYS}) DO UPDATE SET ${ADDED} RETURNING n)
  SELECT bool_or(n = 0) INTO emptied FROM (SELECT n FROM kept UNION ALL SELECT n FROM days) of_both;
  IF emptied THEN
    DELETE FROM session_counts WHERE n = 0;
    DELETE FROM session_day_counts WHERE n = 0;
  END IF;
END $keep$;
-- All days anew, of what is there: for a catalogue that was filled before.
CREATE FUNCTION fill_session_days() RETURNS void LANGUAGE sql AS $fill$
  INSERT INTO session_day_counts (${KEYS}, ${LIST})
    SELECT started_at / ${DAY}, format, model, state, artifacts > 0, count(*), sum(own_calls), sum(own_tokens), sum(coalesce(own_usd::numeric, 0)),
      count(own_usd), count(*) FILTER (WHERE own_unsure), ${SUMS.slice(6)
        .map((sum) => `sum(${sum})`)
        .join(", ")}
    FROM session_list WHERE started_at IS NOT NULL GROUP BY 1, 2, 3, 4, 5;
$fill$;
SELECT fill_session_days();
${LISTED_ROWS.join("\n")}
CREATE INDEX session_texts_kind ON session_texts (kind, at DESC NULLS LAST);
DROP INDEX session_list_folder_started_at, session_list_model_started_at;
`;
