// The fourteenth schema: usage by hour of each folder, person, sender and set of tools, which was summed over the rows of every session:
// of a million sessions a month took 3 s and a year 20. A zone's midnight is at a whole hour nearly everywhere. They are kept with the
// quarters of their day, by triggers, so that nodes of an older schema keep them too.
import { FIGURES } from "./fleet-schema-6.ts";

const [HOUR, HOURS] = [3_600_000, 24];
/** What GROUPING says of a row that is told apart by one of these alone. */
const KINDS = { folder: 0b0111, person: 0b1011, sender: 0b1101, tools: 0b1110 };
const NAMES = Object.keys(KINDS);
/** Cuts are a figure of these, and have no tools. */
const CALLS = FIGURES.filter((name) => name !== "cuts");

/** Rows of calls or of cuts with whose they are; `among`: which days. */
const rowsOf = (table: string, among: string, figures: string): string => `
  SELECT u.project, (u.at / ${HOUR})::integer AS hour, coalesce(s.agent_key, s.format) AS agent, coalesce(s.cwd, '') AS folder,
    coalesce(f.person, '') AS person, coalesce(f.sender, '') AS sender, ${figures}
  FROM ${among} ${table} u ${among === "" ? "" : `ON u.project = d.project AND u.at >= d.day::bigint * ${HOURS * HOUR} AND u.at < (d.day::bigint + 1) * ${HOURS * HOUR}`}
  JOIN sessions s ON s.project = u.project AND s.id = u.session LEFT JOIN families f ON f.project = s.project AND f.id = s.family`;

const USAGE_HOURS = (among: string): string => `
  INSERT INTO usage_hours (project, kind, hour, value, model, agent, ${FIGURES.join(", ")}, usd, unsure)
  SELECT project, CASE GROUPING(${NAMES.join(", ")}) ${Object.entries(KINDS)
    .map(([name, bits]) => `WHEN ${bits} THEN '${name}'`)
    .join(
      " ",
    )} END, hour, coalesce(${NAMES.join(", ")}), model, agent, ${FIGURES.map((name) => `sum(${name})`).join(", ")},
    sum(usd), bool_or(unsure)
  FROM (${rowsOf("session_usage", among, `u.tools, u.model, ${CALLS.map((name) => `u.${name}`).join(", ")}, 0 AS cuts, u.usd, u.unsure`)}
    UNION ALL ${rowsOf("session_cuts", among, `NULL, coalesce(s.model, ''), ${CALLS.map(() => "0").join(", ")}, u.cuts, NULL, false`)}) u
  GROUP BY GROUPING SETS (${NAMES.map((name) => `(project, hour, model, agent, ${name})`).join(", ")})
  HAVING coalesce(${NAMES.join(", ")}) IS NOT NULL`;

const CHANGED_DAYS = `(SELECT DISTINCT project, (at / ${HOURS * HOUR})::integer AS day FROM changed) d`;

export const FLEET_SCHEMA_14 = `
-- An older node sums no day between what is written down as due and the triggers.
LOCK TABLE usage_quarters IN SHARE ROW EXCLUSIVE MODE;
CREATE TABLE usage_hours (
  project text NOT NULL,
  kind text NOT NULL,
  hour integer NOT NULL,
  -- A folder has any length, and an index of it has not.
  value text NOT NULL,
  model text NOT NULL,
  agent text NOT NULL,
  ${FIGURES.map((name) => `${name} bigint NOT NULL`).join(", ")},
  usd double precision,
  unsure boolean NOT NULL
);
CREATE INDEX usage_hours_project ON usage_hours (project, kind, hour);
CREATE INDEX usage_hours_kind ON usage_hours (kind, hour);
-- Days that were summed before: nodes sum their hours by and by, the latest first.
CREATE TABLE usage_hours_due (
  project text NOT NULL,
  day integer NOT NULL,
  PRIMARY KEY (project, day)
);
INSERT INTO usage_hours_due SELECT DISTINCT project, (at / ${HOURS * HOUR})::integer FROM usage_quarters;
CREATE FUNCTION clear_usage_hours(projects text[], days integer[]) RETURNS void LANGUAGE sql AS $clear$
  DELETE FROM usage_hours h USING unnest(projects, days) d (project, day)
    WHERE h.project = d.project AND h.kind = ANY(ARRAY[${NAMES.map((name) => `'${name}'`).join(", ")}]) AND h.hour >= d.day * ${HOURS} AND h.hour < (d.day + 1) * ${HOURS};
$clear$;
CREATE FUNCTION sum_usage_hours(projects text[], days integer[]) RETURNS void LANGUAGE plpgsql AS $hours$
BEGIN
  PERFORM clear_usage_hours(projects, days);
  ${USAGE_HOURS("unnest(projects, days) d (project, day) JOIN")};
  DELETE FROM usage_hours_due h USING unnest(projects, days) d (project, day) WHERE h.project = d.project AND h.day = d.day;
END $hours$;
CREATE FUNCTION sum_hours_of_quarters() RETURNS trigger LANGUAGE plpgsql AS $hours$
BEGIN
  PERFORM sum_usage_hours(array_agg(project), array_agg(day)) FROM ${CHANGED_DAYS};
  RETURN NULL;
END $hours$;
-- A day is summed by taking its quarters away and adding them; what has none any more has no hours.
CREATE FUNCTION clear_hours_of_quarters() RETURNS trigger LANGUAGE plpgsql AS $hours$
BEGIN
  PERFORM clear_usage_hours(array_agg(project), array_agg(day)) FROM ${CHANGED_DAYS};
  RETURN NULL;
END $hours$;
CREATE TRIGGER quarters_hours_added AFTER INSERT ON usage_quarters REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION sum_hours_of_quarters();
CREATE TRIGGER quarters_hours_removed AFTER DELETE ON usage_quarters REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION clear_hours_of_quarters();
-- All of it anew, of what is there: for a catalogue that was filled before.
CREATE FUNCTION fill_usage_hours() RETURNS void LANGUAGE sql AS $fill$${USAGE_HOURS("")}$fill$;
-- Whose a family is decides whose its calls are.
CREATE FUNCTION mark_family_usage() RETURNS trigger LANGUAGE plpgsql AS $mark$
BEGIN
  INSERT INTO usage_dirty SELECT DISTINCT u.project, u.at / ${HOURS * HOUR}, u.session
    FROM sessions s JOIN (SELECT project, session, at FROM session_usage UNION ALL SELECT project, session, at FROM session_cuts) u
      ON u.project = s.project AND u.session = s.id
    WHERE s.project = NEW.project AND s.family = NEW.id ORDER BY 1, 2, 3
    ON CONFLICT (project, day, session) DO UPDATE SET session = excluded.session;
  RETURN NULL;
END $mark$;
CREATE TRIGGER families_usage AFTER UPDATE ON families FOR EACH ROW
  WHEN (OLD.person IS DISTINCT FROM NEW.person OR OLD.sender IS DISTINCT FROM NEW.sender) EXECUTE FUNCTION mark_family_usage();
`;
