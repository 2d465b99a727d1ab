// Fills the database of a fleet with sessions that nobody had, by SQL alone: a year of twenty projects, a session in three a
// sub-agent's, ten rows of usage and one text each. What a machine sends would take days for a million. Tables that are made of others
// are made by the database's own functions and by the nodes' sums; fleet-fill.test.ts compares them with what the triggers make.
import type { Fleet } from "#lib/fleet/open-fleet.ts";
import { VIEWS } from "#lib/archive/exports/views-version.ts";

type Sql = Fleet["sql"];
type Reserved = Awaited<ReturnType<Sql["reserve"]>>;

/** Rows of one statement: its sorts fit into memory. */
const BATCH = 100_000;
const FILLED = ["sessions", "session_usage", "session_cuts", "session_texts", "families"];
const MADE = [
  "session_projects",
  "session_list",
  "searched_sessions",
  "usage_quarters",
  "usage_days",
  "usage_all_days",
  "usage_hours",
];

/** The same figures for the same session, whatever is filled beside it. */
const HELPERS = `
CREATE FUNCTION pg_temp.r(i bigint, k integer) RETURNS double precision LANGUAGE sql IMMUTABLE AS
  $$ SELECT (hashint8extended(i, k) & 1073741823) / 1073741824.0 $$;
CREATE TEMP TABLE words AS SELECT n, CASE WHEN n <= 60 THEN (ARRAY['anchor','ballast','beacon','berth','bilge','bollard','bow','bridge',
  'bulkhead','buoy','cabin','cable','capstan','cargo','chart','cleat','compass','crane','crew','current','deck','derrick','dock','draft',
  'dredge','ebb','fender','fairway','ferry','fleet','galley','gangway','gauge','harbour','hatch','haul','hawser','helm','hold','hull',
  'keel','knot','ladder','lantern','latch','ledger','locker','mast','mooring','oar','pier','pilot','plank','port','quay','rail','reef',
  'rigging','rope','rudder'])[n] ELSE 'w' || to_hex(n * 7919) END AS word FROM generate_series(1, 20000) n;
CREATE UNIQUE INDEX ON words (n);
-- A word's rank is drawn so that the first stands in one text of four, and the last in one of some thousands.
CREATE TEMP TABLE sentences AS SELECT s AS n, string_agg(w.word, ' ' ORDER BY k) AS text FROM generate_series(0, 19999) s,
  generate_series(1, 14) k JOIN LATERAL (SELECT 1 + floor(power(20000, pg_temp.r(s * 100 + k, 9)))::int % 20000 AS n) p ON true
  JOIN words w USING (n) GROUP BY s;
CREATE UNIQUE INDEX ON sentences (n);
ANALYZE sentences;`;

/** Sessions with numbers from `a` up to `b`, as one would be drawn: a fifth of the projects has half of them. */
const DRAWN = (n: number, a: number, b: number, now: number): string => `
  SELECT i, top, i <> top AS is_child, 'p' || lpad(p::text, 2, '0') AS project,
    CASE WHEN r5 < 0.02 AND i = top THEN NULL ELSE '/home/dev' || (c % 40) || '/p' || p || '/repo-' || c END AS cwd,
    lpad(to_hex(i), 8, '0') || '-0000-4000-8000-' || lpad(to_hex(i * 2654435761), 12, '0') AS id,
    lpad(to_hex(top), 8, '0') || '-0000-4000-8000-' || lpad(to_hex(top * 2654435761), 12, '0') AS top_id,
    f.format, f.agent,
    -- A model is used for some months; a tenth of the calls go to one without a price.
    CASE WHEN r5 < 0.01 THEN NULL WHEN r6 < 0.1 THEN 'local-' || f.format ELSE f.format || '-model-' || (1 + floor(age * 4 + r6 * 0.8))::int END AS model,
    CASE WHEN r7 < 0.72 THEN 'fine' WHEN r7 < 0.84 THEN 'near' WHEN r7 < 0.97 THEN 'compacted' WHEN r7 < 0.98 THEN 'refused' END AS state,
    started, started + 60000 + floor(r8 * r8 * 14400000)::bigint AS ended,
    1 + floor(r8 * r8 * 40)::int AS turns, 10 AS calls, CASE WHEN r7 >= 0.84 AND r7 < 0.97 THEN 1 + floor(r5 * 3)::int ELSE 0 END AS compactions,
    CASE WHEN r6 > 0.7 THEN floor(r5 * 20)::int ELSE 0 END AS artifacts, CASE WHEN r7 < 0.98 THEN 0.05 + r8 * 0.95 END AS peak,
    CASE WHEN r6 >= 0.1 THEN round((r8 * r8 * 12)::numeric, 6)::float8 END AS usd,
    CASE WHEN r6 >= 0.1 AND r5 < 0.6 THEN round((r8 * r8 * r5 * 4)::numeric, 6)::float8 END AS avoidable, r5, r6, r8
  FROM (SELECT i, top, floor(20 * power(pg_temp.r(top, 1), 2))::int AS p, floor(250 * power(pg_temp.r(top, 2), 3))::int AS c, age,
      ${now}::bigint - 60000 - floor(age * 365 * 86400000)::bigint + (i - top) * 1000 AS started,
      pg_temp.r(i, 5) AS r5, pg_temp.r(i, 6) AS r6, pg_temp.r(i, 7) AS r7, pg_temp.r(i, 8) AS r8, pg_temp.r(top, 3) AS rf
    FROM (SELECT i, i - i % 10 + least(i % 10, 6) AS top, 1 - (i - i % 10 + least(i % 10, 6))::float8 / ${n} AS age FROM generate_series(${a}::bigint, ${b - 1}) i) n) d
  JOIN LATERAL (SELECT * FROM (VALUES ('claude-code', 'Claude Code', 0.55), ('codex', 'Codex', 0.8), ('gemini-cli', 'Gemini CLI', 0.9),
    ('opencode', 'OpenCode', 0.96), ('cline', 'Cline', 1.01)) v (format, agent, upto) WHERE rf < upto ORDER BY upto LIMIT 1) f ON true`;

const ORIGIN = `'reported'`;
/** What the list shows of it, with its 64 points. */
const ROW = `jsonb_build_object('id', id, 'format', format, 'agent', agent, 'model', model, 'title', title, 'cwd', cwd, 'parentId', CASE WHEN is_child THEN top_id END,
  'relation', CASE WHEN is_child THEN 'subagent' ELSE 'root' END, 'startedAt', to_char(to_timestamp(started / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'endedAt', to_char(to_timestamp(ended / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'status', 'idle', 'turns', turns, 'calls', calls,
  'compactions', compactions, 'automaticCompactions', compactions, 'state', state, 'artifacts', artifacts,
  'peak', jsonb_build_object('tokens', CASE WHEN peak IS NOT NULL THEN floor(peak * 200000) END, 'origin', ${ORIGIN}, 'call', 3, 'window', 200000, 'loadLine', 167000, 'loadLineOrigin', 'reported'),
  'last', jsonb_build_object('tokens', floor(coalesce(peak, 0) * 150000), 'call', calls), 'cost', jsonb_build_object('usd', usd, 'calls', calls, 'atLeast', '[]'::jsonb, 'origin', 'list', 'unpriced', CASE WHEN usd IS NULL THEN calls ELSE 0 END, 'placeholders', 0, 'notes', '[]'::jsonb, 'inherited', NULL, 'reported', NULL),
  'starred', false, 'labels', '[]'::jsonb, 'note', NULL, 'demo', false, 'held', false, 'archived', NULL, 'children', 0, 'toolErrors', floor(r5 * 3), 'earlierOf', NULL, 'continues', NULL, 'continuedIn', NULL,
  'sparkline', (SELECT jsonb_agg(round((coalesce(peak, 0.5) * k / 64)::numeric, 4)) FROM generate_series(1, 64) k),
  'top', NULL, 'culprit', NULL, 'burn', NULL, 'avoidable', jsonb_build_object('usd', avoidable, 'tokens', floor(coalesce(avoidable, 0) * 100000)), 'hit', NULL, 'snippet', NULL)`;

const STATEMENTS: readonly string[] = [
  `INSERT INTO sessions (project, id, family, native_id, parent, format, agent, model, title, cwd, state, started_at, ended_at, turns, calls, compactions, artifacts,
     peak_share, usd, avoidable_usd, own_calls, own_tokens, own_usd, own_unsure, row, agent_key, reported_usd, branch, judged)
   SELECT project, id, top_id, id, CASE WHEN is_child THEN top_id END, format, agent, model, title, cwd, state, started, ended, turns, calls, compactions, artifacts,
     peak, usd, avoidable, calls, 10 * 4500, usd, usd IS NULL, ${ROW}, format, NULL, CASE WHEN r5 < 0.5 THEN 'main' ELSE 'fix-' || i % 1000 END, true
   FROM (SELECT d.*, initcap(split_part(s.text, ' ', 1)) || ' the ' || split_part(s.text, ' ', 2) || ' of ' || split_part(s.text, ' ', 3) || ' ' || i AS title
     FROM drawn d JOIN sentences s ON s.n = i % 20000) d`,
  `INSERT INTO session_usage (project, session, at, model, tools, calls, input, read, written, output, reasoning, usd, unsure)
   SELECT project, id, (started / 900000 + k) * 900000, coalesce(model, ''), (ARRAY['', '["Bash"]', '["Read"]', '["Edit"]', '["Read","Bash"]'])[1 + (i + k) % 5], 1, 1000, 3000, 500, 200, 0, usd / 10, usd IS NULL
   FROM drawn, generate_series(0, 9) k`,
  `INSERT INTO session_cuts SELECT project, id, started / 900000 * 900000, compactions FROM drawn WHERE compactions > 0`,
  `INSERT INTO session_texts (project, session, seq, piece, kind, tool, at, tokens, is_error, text, words, file, file_words)
   SELECT project, id, 1, 0, (ARRAY['user', 'assistant', 'result', 'call'])[1 + i % 4], (ARRAY['', '', 'Bash', 'Read'])[1 + i % 4], started, 120, i % 33 = 0, t.text, to_tsvector('plimsoll', t.text), '', ''
   FROM drawn JOIN LATERAL (SELECT string_agg(s.text, E'\\n') || ' session' || i AS text FROM generate_series(1, 6) k
     JOIN sentences s ON s.n = floor(20000 * pg_temp.r(i * 10 + k, 11))::int) t ON true`,
  `INSERT INTO families (project, id, commit_id, sender, person, received_at, bytes, body, views, views_commit)
   SELECT project, id, id, 'laptop-' || i / 10 % 600, CASE WHEN i / 10 % 9 > 0 THEN 'dev' || i / 10 % 400 || '@example.com' END, to_timestamp(started / 1000.0), 300000, '{}', ${VIEWS}, id FROM drawn WHERE NOT is_child`,
];

export type FillOptions = {
  readonly sessions: number;
  /** The last session begins a minute before. */
  readonly now: number;
  /** Rows go in as a node writes them, past every trigger: for a few. */
  readonly asWritten?: boolean;
  note?(text: string): void;
};

/** Fills an empty catalogue. Days are summed and counts kept as the nodes would leave them. */
export async function fillFleet({ sql }: Pick<Fleet, "sql">, options: FillOptions): Promise<void> {
  const { sessions, now, asWritten = false, note = () => undefined } = options;
  const one = await sql.reserve();
  try {
    await one.unsafe("SET work_mem = '256MB'; SET maintenance_work_mem = '1GB'; SET synchronous_commit = off");
    await one.unsafe(HELPERS);
    const restore = asWritten ? null : await dropIndexes(one, FILLED);
    if (!asWritten) await one.unsafe("SET session_replication_role = replica");
    for (let from = 0; from < sessions; from += BATCH) {
      const to = Math.min(sessions, from + BATCH);
      await one.unsafe(`CREATE TEMP TABLE drawn AS ${DRAWN(sessions, from, to, now)}; ANALYZE drawn`);
      for (const statement of STATEMENTS) await one.unsafe(statement);
      await one.unsafe("DROP TABLE drawn");
      note(`${to} sessions`);
    }
    await one.unsafe("DROP TABLE words, sentences");
    await restore?.(note);
    await one.unsafe("ALTER INDEX session_texts_pairs ALTER COLUMN 1 SET STATISTICS 0");
    if (!asWritten) await makeDerived(one, note);
  } finally {
    await one.unsafe(
      "RESET session_replication_role; RESET work_mem; RESET maintenance_work_mem; RESET synchronous_commit",
    );
    one.release();
  }
  await sql.unsafe("VACUUM ANALYZE");
}

/** Indexes are made at once when the rows are there. */
async function dropIndexes(
  sql: Reserved,
  tables: readonly string[],
): Promise<(note: (text: string) => void) => Promise<void>> {
  const keys = await sql<{ table: string; name: string; definition: string }[]>`
    SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
    WHERE contype = 'p' AND conrelid::regclass::text = ANY(${[...tables]})`;
  const indexes = await sql<{ name: string; definition: string }[]>`
    SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE schemaname = 'public' AND tablename = ANY(${[...tables]})
      AND indexname <> ALL(${keys.map(({ name }) => name)})`;
  for (const { name } of indexes) await sql.unsafe(`DROP INDEX ${name}`);
  for (const { table, name } of keys) await sql.unsafe(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  return async (note) => {
    for (const { table, name, definition } of keys)
      await sql.unsafe(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
    for (const { name, definition } of indexes) {
      await sql.unsafe(definition);
      note(name);
    }
  };
}

/** What triggers and nodes make of these rows, at once. */
async function makeDerived(sql: Reserved, note: (text: string) => void): Promise<void> {
  await sql.unsafe("ANALYZE");
  const restore = await dropIndexes(sql, MADE);
  await sql.unsafe("INSERT INTO session_projects SELECT id, project FROM sessions");
  await sql.unsafe("SELECT fill_session_list()");
  await sql.unsafe("SELECT fill_session_days()");
  await sql.unsafe("SELECT keep_session_counts()");
  note("the list and its counts");
  await sql.unsafe("SELECT fill_searched_sessions()");
  await sql.unsafe(`INSERT INTO usage_quarters
    SELECT project, at, model, agent, sum(calls), sum(input), sum(read), sum(written), sum(output), sum(reasoning), sum(usd), bool_or(unsure), sum(cuts) FROM (
      SELECT u.project, u.at, u.model, s.agent_key AS agent, u.calls, u.input, u.read, u.written, u.output, u.reasoning, u.usd, u.unsure, 0 AS cuts
      FROM session_usage u JOIN sessions s ON s.project = u.project AND s.id = u.session
      UNION ALL SELECT c.project, c.at, coalesce(s.model, ''), s.agent_key, 0, 0, 0, 0, 0, 0, NULL, false, c.cuts
      FROM session_cuts c JOIN sessions s ON s.project = c.project AND s.id = c.session) parts GROUP BY 1, 2, 3, 4`);
  note("quarters");
  await sql.unsafe("SELECT fill_usage_days()");
  await sql.unsafe("SELECT fill_usage_all_days()");
  await sql.unsafe("SELECT fill_usage_hours()");
  note("days and hours");
  await restore(note);
}
