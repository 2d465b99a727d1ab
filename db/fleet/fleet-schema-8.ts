// The eighth schema: what makes a list's groups and a search within sessions as quick with a million sessions as with some. Indexes
// that know who was active last in a folder, for each filter; and all sessions, sub-agents too, in rows as narrow as what a search asks
// of them. Triggers keep these, so that nodes of an older schema keep them too.

const ASKED = ["state", "format", "model"].map(
  (column) =>
    `CREATE INDEX session_list_${column}_folder ON session_list (${column}, folder, ended_at DESC NULLS LAST) INCLUDE (project);`,
);
const COLUMNS = "project, id, format, agent, model, cwd, branch, usd";

export const FLEET_SCHEMA_8 = `
${ASKED.join("\n")}
CREATE INDEX session_list_with_artifacts ON session_list (folder, ended_at DESC NULLS LAST) INCLUDE (project) WHERE artifacts >= 1;

-- Folders and agents have any length, and an index of them has not.
CREATE TABLE searched_sessions (
  project text NOT NULL,
  id text NOT NULL,
  format text NOT NULL,
  agent text NOT NULL,
  model text,
  cwd text,
  branch text,
  usd double precision,
  folder uuid GENERATED ALWAYS AS (md5(cwd)::uuid) STORED,
  format_agent uuid GENERATED ALWAYS AS (md5(format || ' ' || agent)::uuid) STORED,
  PRIMARY KEY (project, id)
);
CREATE FUNCTION keep_searched() RETURNS trigger LANGUAGE plpgsql AS $keep$
BEGIN
  INSERT INTO searched_sessions (${COLUMNS}) SELECT ${COLUMNS} FROM changed
    ON CONFLICT (project, id) DO UPDATE SET format = excluded.format, agent = excluded.agent, model = excluded.model, cwd = excluded.cwd,
      branch = excluded.branch, usd = excluded.usd;
  RETURN NULL;
END $keep$;
CREATE FUNCTION forget_searched() RETURNS trigger LANGUAGE plpgsql AS $forget$
BEGIN
  DELETE FROM searched_sessions s USING gone g WHERE s.project = g.project AND s.id = g.id;
  RETURN NULL;
END $forget$;
CREATE TRIGGER sessions_added_searched AFTER INSERT ON sessions REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_searched();
CREATE TRIGGER sessions_changed_searched AFTER UPDATE ON sessions REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_searched();
CREATE TRIGGER sessions_forget_searched AFTER DELETE ON sessions REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_searched();
CREATE FUNCTION fill_searched_sessions() RETURNS void LANGUAGE sql AS $fill$
  INSERT INTO searched_sessions (${COLUMNS}) SELECT ${COLUMNS} FROM sessions;
$fill$;
SELECT fill_searched_sessions();
CREATE INDEX searched_sessions_folder ON searched_sessions (folder, project, id);
CREATE INDEX searched_sessions_model ON searched_sessions (model, project, id);
CREATE INDEX searched_sessions_agent ON searched_sessions (format_agent, project, id);
`;
