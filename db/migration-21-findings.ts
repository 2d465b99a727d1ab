// Culprits of all sessions, each with the fingerprint that it shares with its like in others, and what a person did about them.
// Written with a session's verdict. findings_version: the session's version that its rows are of; null until it was judged again.

export const FINDINGS = `
CREATE TABLE session_findings (
  session_pk INTEGER NOT NULL REFERENCES sessions(pk) ON DELETE CASCADE,
  n INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  detector TEXT NOT NULL,
  label TEXT NOT NULL,
  fix TEXT NOT NULL,
  seq INTEGER,
  at INTEGER,
  tokens INTEGER NOT NULL,
  -- Dollars that its cure would have saved, as they are part of the session's avoidable_usd; null where that is.
  usd REAL,
  PRIMARY KEY (session_pk, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_findings_of ON session_findings(fingerprint, at, usd, tokens, session_pk);
CREATE INDEX session_findings_at ON session_findings(at, usd, fingerprint);
-- What is carried and never used, session by session.
CREATE TABLE session_carried (
  session_pk INTEGER NOT NULL REFERENCES sessions(pk) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  sent INTEGER NOT NULL,
  usd REAL,
  -- Null where a log cannot tell: what a memory file said may have been followed without a word.
  uses INTEGER,
  at INTEGER,
  PRIMARY KEY (session_pk, kind, name)
) STRICT, WITHOUT ROWID;
-- What a person did about a finding; a finding without a row is open.
CREATE TABLE finding_marks (
  fingerprint TEXT PRIMARY KEY,
  muted_at INTEGER,
  done_at INTEGER
) STRICT, WITHOUT ROWID;
ALTER TABLE sessions ADD COLUMN findings_version INTEGER;
`;
