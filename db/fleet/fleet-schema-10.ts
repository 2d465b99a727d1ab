// The tenth schema: usage by day of all projects together, where twenty projects were twenty times the rows; and sessions of a model or a
// state in the order of what goes with it, where a list read and sorted all of them. Triggers keep the sums, so that nodes of an older
// schema keep them too.

const DAY = 86_400_000;
/** Costs are decimal numbers: added and taken away, they leave nothing. */
const SUMS: Readonly<Record<string, string>> = {
  n: "1",
  ...Object.fromEntries(["calls", "input", "read", "written", "output", "reasoning", "cuts"].map((one) => [one, one])),
  usd: "coalesce(usd::numeric, 0)",
  priced: "(usd IS NOT NULL)::int",
  unsure: "unsure::int",
};
const NAMES = Object.keys(SUMS);
const typeOf = (name: string): string => (name === "usd" ? "numeric" : "bigint");

/** What rows of a project's days come to, added or taken away. */
const SUMMED = (from: string, sign: "" | "-"): string => `
  INSERT INTO usage_all_days AS a (cut, at, model, agent, ${NAMES.join(", ")})
  SELECT cut, at, model, agent, ${Object.values(SUMS)
    .map((value) => `${sign}sum(${value})`)
    .join(", ")} FROM ${from} GROUP BY 1, 2, 3, 4`;
const CHANGED = (sign: "" | "-"): string => `${SUMMED("changed", sign)}
  ON CONFLICT (cut, at, model, agent) DO UPDATE SET ${NAMES.map((name) => `${name} = a.${name} + excluded.${name}`).join(", ")};`;

/** Two projects' changes of one day would wait for each other's rows in another order. A node sums one day at a time. */
const ONE_AT_A_TIME = `
  PERFORM pg_advisory_xact_lock(7164520, day) FROM (SELECT DISTINCT (at / ${DAY})::integer AS day FROM changed ORDER BY 1) days;`;

const SORTED = [
  ...["turns", "calls", "compactions", "artifacts"].map((column) => ["model", column]),
  ["state", "compactions"],
].map(
  ([of, column]) =>
    `CREATE INDEX session_list_${of}_${column} ON session_list (${of}, ${column} DESC NULLS LAST, id DESC);`,
);

export const FLEET_SCHEMA_10 = `
CREATE TABLE usage_all_days (
  cut smallint NOT NULL,
  at bigint NOT NULL,
  model text NOT NULL,
  agent text NOT NULL,
  ${NAMES.map((name) => `${name} ${typeOf(name)} NOT NULL`).join(", ")},
  PRIMARY KEY (cut, at, model, agent)
);
CREATE FUNCTION add_all_days() RETURNS trigger LANGUAGE plpgsql AS $add$
BEGIN${ONE_AT_A_TIME}${CHANGED("")}
  RETURN NULL;
END $add$;
CREATE FUNCTION take_all_days() RETURNS trigger LANGUAGE plpgsql AS $take$
BEGIN${ONE_AT_A_TIME}${CHANGED("-")}
  DELETE FROM usage_all_days a USING (SELECT DISTINCT cut, at / ${DAY} AS day FROM changed) c
    WHERE a.n = 0 AND a.cut = c.cut AND a.at >= c.day * ${DAY} AND a.at < (c.day + 1) * ${DAY};
  RETURN NULL;
END $take$;
CREATE TRIGGER days_added AFTER INSERT ON usage_days REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION add_all_days();
CREATE TRIGGER days_removed AFTER DELETE ON usage_days REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION take_all_days();
CREATE FUNCTION fill_usage_all_days() RETURNS void LANGUAGE sql AS $fill$${SUMMED("usage_days", "")};
$fill$;
SELECT fill_usage_all_days();
${SORTED.join("\n")}
`;
