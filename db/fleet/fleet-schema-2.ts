// The second schema: answers from the catalogue. Usage by quarter of an hour over all sessions, kept beside what says which of its
// days are behind; what sessions carried; marks on findings; and which version of Plimsoll made the views of a family.
export const FLEET_SCHEMA_2 = `
ALTER TABLE sessions ADD COLUMN agent_key text, ADD COLUMN reported_usd double precision, ADD COLUMN branch text, ADD COLUMN judged boolean;
ALTER TABLE sessions ADD COLUMN title_words tsvector
  GENERATED ALWAYS AS (to_tsvector('plimsoll', regexp_replace(title, '[^[:alnum:]]+', ' ', 'g'))) STORED;
CREATE INDEX sessions_title_words ON sessions USING gin (title_words);
CREATE INDEX sessions_unjudged ON sessions (project) WHERE calls > 0 AND judged IS NOT TRUE;
CREATE INDEX session_findings_at ON session_findings (project, at);
ALTER TABLE session_texts ADD COLUMN file text NOT NULL DEFAULT '', ADD COLUMN file_words tsvector NOT NULL DEFAULT '';
CREATE INDEX session_texts_at ON session_texts (at DESC NULLS LAST);
CREATE INDEX session_texts_file ON session_texts USING gin (file_words) WHERE file <> '';
ALTER TABLE families ADD COLUMN views integer NOT NULL DEFAULT 0, ADD COLUMN views_commit text,
  ADD COLUMN views_attempt integer NOT NULL DEFAULT 0, ADD COLUMN views_until timestamptz, ADD COLUMN views_reason text;
-- A node of an older version writes a family and not whose views these are: they are nobody's, and written again.
CREATE FUNCTION mark_views() RETURNS trigger LANGUAGE plpgsql AS $mark$
BEGIN
  IF NEW.views_commit IS DISTINCT FROM NEW.commit_id THEN
    NEW.views := 0;
  END IF;
  RETURN NEW;
END $mark$;
CREATE TRIGGER families_views BEFORE INSERT OR UPDATE ON families FOR EACH ROW EXECUTE FUNCTION mark_views();
CREATE INDEX families_outdated ON families (views, received_at DESC);
CREATE TABLE session_carried (
  project text NOT NULL,
  session text NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  tokens bigint NOT NULL,
  sent bigint NOT NULL,
  usd double precision,
  uses integer,
  at bigint,
  PRIMARY KEY (project, session, kind, name)
);
CREATE INDEX session_carried_at ON session_carried (project, at);
CREATE TABLE finding_marks (
  project text NOT NULL,
  fingerprint text NOT NULL,
  muted_at bigint,
  done_at bigint,
  PRIMARY KEY (project, fingerprint)
);
CREATE INDEX session_usage_at ON session_usage (project, at);
CREATE INDEX session_cuts_at ON session_cuts (project, at);
CREATE TABLE usage_quarters (
  project text NOT NULL,
  at bigint NOT NULL,
  model text NOT NULL,
  agent text NOT NULL,
  calls integer NOT NULL,
  input bigint NOT NULL,
  read bigint NOT NULL,
  written bigint NOT NULL,
  output bigint NOT NULL,
  reasoning bigint NOT NULL,
  usd double precision,
  unsure boolean NOT NULL,
  cuts integer NOT NULL,
  PRIMARY KEY (project, at, model, agent)
);
CREATE INDEX usage_quarters_at ON usage_quarters (at);
CREATE TABLE usage_dirty (
  project text NOT NULL,
  day integer NOT NULL,
  session text NOT NULL,
  PRIMARY KEY (project, day, session)
);
INSERT INTO usage_dirty SELECT DISTINCT project, at / 86400000, session FROM session_usage;
INSERT INTO usage_dirty SELECT DISTINCT project, at / 86400000, session FROM session_cuts ON CONFLICT DO NOTHING;
-- Whatever changes rows, also what a later version adds, leaves its days marked.
CREATE FUNCTION mark_usage() RETURNS trigger LANGUAGE plpgsql AS $mark$
BEGIN
  -- The lock of a mark that is there makes whoever sums the day wait for this transaction.
  INSERT INTO usage_dirty SELECT DISTINCT project, at / 86400000, session FROM changed ORDER BY 1, 2, 3
    ON CONFLICT (project, day, session) DO UPDATE SET session = excluded.session;
  RETURN NULL;
END $mark$;
CREATE TRIGGER usage_added AFTER INSERT ON session_usage REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_usage();
CREATE TRIGGER usage_removed AFTER DELETE ON session_usage REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_usage();
CREATE TRIGGER cuts_added AFTER INSERT ON session_cuts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_usage();
CREATE TRIGGER cuts_removed AFTER DELETE ON session_cuts REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_usage();
`;
