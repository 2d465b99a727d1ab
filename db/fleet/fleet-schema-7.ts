// The seventh schema: the artifacts of all sessions, as their list shows them. They go with their session, so that a node of an older
// schema takes them out too. And whose token handed a session in.
export const FLEET_SCHEMA_7 = `
CREATE TABLE session_artifacts (
  project text NOT NULL,
  session text NOT NULL,
  pointer text NOT NULL,
  seq integer,
  digest text NOT NULL,
  name text,
  tool text,
  type text NOT NULL,
  origin text NOT NULL,
  size bigint NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint,
  gone text,
  tokens bigint,
  calls integer,
  usd double precision,
  row jsonb NOT NULL,
  PRIMARY KEY (project, session, pointer)
);
CREATE FUNCTION forget_artifacts() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM session_artifacts a USING gone g WHERE a.project = g.project AND a.session = g.id;
  RETURN NULL;
END $$;
CREATE TRIGGER sessions_forget_artifacts AFTER DELETE ON sessions REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION forget_artifacts();
ALTER TABLE fleet_tokens ADD COLUMN person text;
ALTER TABLE commits ADD COLUMN person text;
ALTER TABLE families ADD COLUMN person text;
ALTER TABLE deleted_families ADD COLUMN person text;
CREATE INDEX session_artifacts_pointer ON session_artifacts (pointer);
CREATE INDEX session_artifacts_size ON session_artifacts (size, pointer);
CREATE INDEX session_artifacts_created ON session_artifacts (created_at, pointer);
`;
