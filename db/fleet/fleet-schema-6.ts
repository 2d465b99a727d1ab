// The sixth schema: what a list of a million sessions is answered from. Rows that are narrow enough to be sorted by each column, counts
// that are kept for each filter, and usage by day for the time zones that people live in. Triggers keep all of it, so that nodes of an
// older schema keep it too.

/** What sessions come to; `n` is how many. Costs are decimal numbers: added and taken away, they leave nothing. */
export const SUMS = [
  ...["n", "calls", "tokens", "usd", "priced", "unsure"],
  ...["subs", "sub_calls", "sub_tokens", "sub_usd", "sub_priced", "sub_unsure"],
];
const typeOf = (sum: string): string => (sum.endsWith("usd") ? "numeric" : "bigint");
export const COLUMNS = SUMS.map((sum) => `${sum} ${typeOf(sum)} NOT NULL DEFAULT 0`).join(", ");
const LIST = SUMS.join(", ");
export const TOTALS = SUMS.map((sum) => `sum(c.${sum})`).join(", ");

export const SUB_SUMS = SUMS.slice(6);
export const SUBS = SUB_SUMS.join(", ");

/** A session's own part of the sums. */
export const OWN = (s: string): string[] => [
  ...["1", `${s}.own_calls`, `${s}.own_tokens`, `coalesce(${s}.own_usd::numeric, 0)`],
  ...[`(${s}.own_usd IS NOT NULL)::int`, `${s}.own_unsure::int`],
];
/** What a sub-agent that comes or goes changes in the row of its parent. */
const SUBS_BECOME = (s: string, sign: string): string =>
  OWN(s)
    .map((own, n) => `${SUB_SUMS[n]} = l.${SUB_SUMS[n]} ${sign} ${own}`)
    .join(", ");
export const OF_SUBS = `count(*), coalesce(sum(c.own_calls), 0), coalesce(sum(c.own_tokens), 0), coalesce(sum(c.own_usd::numeric), 0),
  count(c.own_usd), count(*) FILTER (WHERE c.own_unsure)`;
export const COPIED = `project, id, format, cwd, model, state, started_at, ended_at, turns, calls, compactions, artifacts, peak_share, usd, avoidable_usd,
  own_calls, own_tokens, own_usd, own_unsure`;
export const copied = (s: string): string => COPIED.replaceAll(/\w+/g, (column) => `${s}.${column}`);

/** A row of changes of a listed session, or of any session for what usage may be filtered by. */
export const LISTED = (l: string, sign: string, [column, value] = ["", ""]): string => `
    INSERT INTO session_count_changes (project, kind, ${column} format, cwd, model, state, has_artifacts, ${LIST})
      SELECT ${l}.project, 0, ${value} ${l}.format, ${l}.cwd, ${l}.model, ${l}.state, ${l}.artifacts > 0,
        ${[...OWN(l), ...SUB_SUMS.map((sum) => `${l}.${sum}`)].map((one) => `${sign}(${one})`).join(", ")};`;
export const ANY = (s: string, sign: string): string => `
    INSERT INTO session_count_changes (project, kind, format, cwd, model, has_artifacts, n, calls)
      VALUES (${s}.project, 1, coalesce(${s}.agent_key, ${s}.format), ${s}.cwd, ${s}.model, false, ${sign}1, ${sign}(${s}.calls > 0)::int);`;

/**
 * Masks name what listed sessions are told apart by: 1 format, 2 folder, 4 model; and from 16 on the same without states and artifacts,
 * which few ask of. Those from 8 to 11 count any session.
 */
export const EXPANDED = (from: string): string => `
  SELECT c.project, mask, CASE WHEN mask & 9 = 1 OR mask = 8 THEN c.format END, CASE WHEN mask & 10 = 2 OR mask = 9 THEN c.cwd END,
    CASE WHEN mask & 12 = 4 OR mask = 10 THEN c.model END, CASE WHEN mask < 16 THEN c.state END, mask < 16 AND c.has_artifacts, ${TOTALS}
  FROM ${from} c JOIN generate_series(0, 23) mask ON CASE c.kind WHEN 0 THEN mask < 8 OR mask > 16 ELSE mask BETWEEN 8 AND 11 END
  GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 2, 1`;

const HALF_HOUR = 1_800_000;
const DAY = 86_400_000;
/** Midnights that are kept, in half hours of UTC: each whole hour, and India's. */
const CUTS = [...Array.from({ length: 24 }, (_, hour) => 2 * hour), 37];
export const FIGURES = ["calls", "input", "read", "written", "output", "reasoning", "cuts"];
const USAGE_DAYS = (among: string): string => `
  INSERT INTO usage_days (project, cut, at, model, agent, ${FIGURES.join(", ")}, usd, unsure)
  SELECT q.project, cut, q.at / ${DAY} * ${DAY} + CASE WHEN q.at % ${DAY} >= cut * ${HALF_HOUR} THEN cut * ${HALF_HOUR} ELSE 0 END, q.model, q.agent,
    ${FIGURES.map((name) => `sum(q.${name})`).join(", ")}, sum(q.usd), bool_or(q.unsure)
  FROM (SELECT project, at / ${HALF_HOUR} * ${HALF_HOUR} AS at, model, agent, ${FIGURES.map((name) => `sum(${name}) AS ${name}`).join(", ")},
      sum(usd) AS usd, bool_or(unsure) AS unsure FROM usage_quarters ${among} WHERE at >= ${DAY} GROUP BY 1, 2, 3, 4) q
    CROSS JOIN unnest(ARRAY[${CUTS.join(", ")}]) cut GROUP BY 1, 2, 3, 4, 5;`;

const SORTED = [
  "started_at",
  "ended_at",
  "name",
  "turns",
  "calls",
  "compactions",
  "artifacts",
  "peak_share",
  "usd",
  "avoidable_usd",
].map((column) => `CREATE INDEX session_list_${column} ON session_list (${column} DESC NULLS LAST, id DESC);`);
const WITHIN = ["project", "folder", "model"].flatMap((column) =>
  ["started_at", "ended_at"].map(
    (sort) =>
      `CREATE INDEX session_list_${column}_${sort} ON session_list (${column}, ${sort} DESC NULLS LAST, id DESC);`,
  ),
);

export const FLEET_SCHEMA_6 = `
-- Folders have any length, and an index of them has not.
CREATE TABLE session_list (
  project text NOT NULL,
  id text NOT NULL,
  format text NOT NULL,
  cwd text,
  folder uuid GENERATED ALWAYS AS (md5(coalesce(cwd, ''))::uuid) STORED,
  model text,
  state text,
  started_at bigint,
  ended_at bigint,
  name text NOT NULL,
  turns integer NOT NULL,
  calls integer NOT NULL,
  compactions integer NOT NULL,
  artifacts integer NOT NULL,
  peak_share double precision,
  usd double precision,
  avoidable_usd double precision,
  own_calls integer NOT NULL,
  own_tokens bigint NOT NULL,
  own_usd double precision,
  own_unsure boolean NOT NULL,
  ${SUB_SUMS.map((sum) => `${sum} ${typeOf(sum)} NOT NULL`).join(", ")},
  PRIMARY KEY (project, id)
);
CREATE TABLE session_counts (
  project text NOT NULL,
  mask integer NOT NULL,
  format text,
  cwd text,
  folder uuid GENERATED ALWAYS AS (md5(cwd)::uuid) STORED,
  model text,
  state text,
  has_artifacts boolean NOT NULL,
  ${COLUMNS},
  UNIQUE NULLS NOT DISTINCT (project, mask, format, model, folder, state, has_artifacts)
);
CREATE INDEX session_counts_format ON session_counts (mask, format, model);
CREATE INDEX session_counts_folder ON session_counts (mask, folder, format, model);
-- What came and went since the counts were kept: nobody waits for anybody's count.
CREATE TABLE session_count_changes (
  project text NOT NULL,
  kind integer NOT NULL,
  format text,
  cwd text,
  folder uuid GENERATED ALWAYS AS (md5(cwd)::uuid) STORED,
  model text,
  state text,
  has_artifacts boolean NOT NULL,
  ${COLUMNS}
);
CREATE FUNCTION count_listed() RETURNS trigger LANGUAGE plpgsql AS $count$
BEGIN
  IF TG_OP <> 'INSERT' THEN${LISTED("OLD", "-")}
  END IF;
  IF TG_OP <> 'DELETE' THEN${LISTED("NEW", "")}
  END IF;
  RETURN NULL;
END $count$;
-- Before each row, so that of a session and its sub-agent in one statement the later one adds to what is there. Both are written by
-- whoever has the lock of their family.
CREATE FUNCTION list_session() RETURNS trigger LANGUAGE plpgsql AS $list$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    IF OLD.parent IS NULL THEN
      DELETE FROM session_list l WHERE l.project = OLD.project AND l.id = OLD.id;
    ELSE
      UPDATE session_list l SET ${SUBS_BECOME("OLD", "-")} WHERE l.project = OLD.project AND l.id = OLD.parent;
    END IF;${ANY("OLD", "-")}
  END IF;
  IF TG_OP <> 'DELETE' THEN
    IF NEW.parent IS NULL THEN
      INSERT INTO session_list (${COPIED}, name, ${SUBS})
        SELECT ${copied("NEW")}, left(lower(NEW.title), 200), ${OF_SUBS} FROM sessions c WHERE c.project = NEW.project AND c.parent = NEW.id;
    ELSE
      UPDATE session_list l SET ${SUBS_BECOME("NEW", "+")} WHERE l.project = NEW.project AND l.id = NEW.parent;
    END IF;${ANY("NEW", "")}
    RETURN NEW;
  END IF;
  RETURN OLD;
END $list$;
CREATE TRIGGER sessions_listed BEFORE INSERT OR UPDATE OR DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION list_session();
CREATE FUNCTION keep_session_counts() RETURNS void LANGUAGE plpgsql AS $keep$
DECLARE
  emptied boolean;
BEGIN
  WITH c AS (DELETE FROM session_count_changes RETURNING *), kept AS (
    INSERT INTO session_counts AS k (project, mask, format, cwd, model, state, has_artifacts, ${LIST}) ${EXPANDED("c")}
    ON CONFLICT (project, mask, format, model, folder, state, has_artifacts) DO UPDATE SET
      ${SUMS.map((sum) => `${sum} = k.${sum} + excluded.${sum}`).join(", ")} RETURNING n)
  SELECT bool_or(n = 0) INTO emptied FROM kept;
  IF emptied THEN
    DELETE FROM session_counts WHERE n = 0;
  END IF;
END $keep$;
CREATE INDEX sessions_last_call ON sessions (ended_at DESC NULLS LAST) WHERE calls > 0;

-- A day of UTC is cut once, at the midnight of a zone. What is before the cut has the day's first moment, what follows the cut's.
CREATE TABLE usage_days (
  project text NOT NULL,
  cut smallint NOT NULL,
  at bigint NOT NULL,
  model text NOT NULL,
  agent text NOT NULL,
  ${FIGURES.map((name) => `${name} bigint NOT NULL`).join(", ")},
  usd double precision,
  unsure boolean NOT NULL,
  PRIMARY KEY (project, cut, at, model, agent)
);
CREATE FUNCTION sum_usage_days() RETURNS trigger LANGUAGE plpgsql AS $days$
BEGIN
  DELETE FROM usage_days u USING (SELECT DISTINCT project, at / ${DAY} * ${DAY} AS day FROM changed) c
    WHERE u.project = c.project AND u.at >= c.day AND u.at < c.day + ${DAY} AND u.cut = ANY(ARRAY[${CUTS.join(", ")}]);
  ${USAGE_DAYS(`JOIN (SELECT DISTINCT project AS of, at / ${DAY} * ${DAY} AS day FROM changed) c ON project = c.of AND at >= c.day AND at < c.day + ${DAY}`)}
  RETURN NULL;
END $days$;
CREATE TRIGGER quarters_added AFTER INSERT ON usage_quarters REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION sum_usage_days();
CREATE TRIGGER quarters_changed AFTER UPDATE ON usage_quarters REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION sum_usage_days();
CREATE TRIGGER quarters_removed AFTER DELETE ON usage_quarters REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION sum_usage_days();

-- All of it anew, of what is there: for a catalogue that was filled before.
CREATE FUNCTION fill_session_list() RETURNS void LANGUAGE sql AS $fill$
  INSERT INTO session_list (${COPIED}, name, ${SUBS})
    SELECT ${copied("s")}, left(lower(s.title), 200), ${[0, 1, 2, 3, 4, 5].map((n) => `coalesce(a.a${n}, 0)`).join(", ")}
    FROM sessions s LEFT JOIN (SELECT c.project, c.parent, ${OF_SUBS} FROM sessions c WHERE c.parent IS NOT NULL GROUP BY 1, 2)
      a (project, parent, a0, a1, a2, a3, a4, a5) ON a.project = s.project AND a.parent = s.id WHERE s.parent IS NULL;
  INSERT INTO session_count_changes (project, kind, format, cwd, model, state, has_artifacts, ${LIST})
    SELECT l.project, 0, l.format, l.cwd, l.model, l.state, l.artifacts > 0, ${[
      ...OWN("l"),
      ...SUB_SUMS.map((sum) => `l.${sum}`),
    ]
      .map((one) => `sum(${one})`)
      .join(", ")} FROM session_list l GROUP BY 1, 3, 4, 5, 6, 7;
  INSERT INTO session_count_changes (project, kind, format, cwd, model, has_artifacts, n, calls)
    SELECT project, 1, coalesce(agent_key, format), cwd, model, false, count(*), count(*) FILTER (WHERE calls > 0) FROM sessions GROUP BY 1, 3, 4, 5;
$fill$;
CREATE FUNCTION fill_usage_days() RETURNS void LANGUAGE sql AS $fill$${USAGE_DAYS("")}$fill$;
SELECT fill_session_list();
CREATE TRIGGER session_list_counts AFTER INSERT OR UPDATE OR DELETE ON session_list FOR EACH ROW EXECUTE FUNCTION count_listed();
${[...SORTED, ...WITHIN].join("\n")}
SELECT keep_session_counts();
SELECT fill_usage_days();
CREATE INDEX usage_days_at ON usage_days (cut, at);
`;
