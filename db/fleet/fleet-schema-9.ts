// The ninth schema: what people keep beside a session that was sent. Its rows as one text, under a version that each change moves on,
// and its marks once more, to be asked for. Both stay when the session is catalogued anew, and while it is deleted and may be restored.
export const FLEET_SCHEMA_9 = `
CREATE TABLE session_kept (
  project text NOT NULL,
  session text NOT NULL,
  version integer NOT NULL,
  rows text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project, session)
);
CREATE TABLE session_marks (
  project text NOT NULL,
  session text NOT NULL,
  -- The event; 0 is the session itself.
  seq integer NOT NULL,
  kind text NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (project, session, seq, kind, value)
);
CREATE INDEX session_marks_value ON session_marks (kind, lower(value));
`;
