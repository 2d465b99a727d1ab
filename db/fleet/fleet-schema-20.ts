// The twentieth schema: commits and pull requests that a session made, as its log says, so that a search finds it by their names.
// Rows of a session go with it, also where a node of an older schema deletes it or writes it anew.
//
// The list's index by time has what folders of some days are counted by: of a month 55,000 rows were read for it, and are not any more.
export const FLEET_SCHEMA_20 = `
CREATE TABLE session_made (
  project text NOT NULL,
  session text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('commit', 'pr')),
  -- A commit's name as git printed it, or an address.
  value text NOT NULL,
  PRIMARY KEY (project, session, kind, value)
);
CREATE INDEX session_made_value ON session_made (kind, lower(value) text_pattern_ops) INCLUDE (project, session);
CREATE FUNCTION forget_made() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM session_made m USING gone g WHERE m.project = g.project AND m.session = g.id;
  RETURN NULL;
END $$;
CREATE TRIGGER sessions_forget_made AFTER DELETE ON sessions REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION forget_made();
CREATE INDEX session_list_started_rows ON session_list (started_at DESC NULLS LAST, id DESC)
  INCLUDE (project, folder, format, model, state, artifacts, ended_at);
DROP INDEX session_list_started_at;
`;
