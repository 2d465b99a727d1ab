// The first schema of a fleet. Keys begin with the project or the session and come from what is stored, never from a sequence,
// so that a database that spreads its rows can keep those of a project together. Times of sessions are milliseconds.
export const FLEET_SCHEMA_1 = `
CREATE TABLE objects (
  digest text PRIMARY KEY,
  kind text NOT NULL,
  bytes bigint NOT NULL,
  seen_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE commits (
  project text NOT NULL,
  id text NOT NULL,
  family text NOT NULL,
  sender text NOT NULL,
  state text NOT NULL CHECK (state IN ('waiting', 'claimed', 'done', 'superseded', 'failed')),
  received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempt integer NOT NULL DEFAULT 0,
  claimed_by text,
  claimed_until timestamptz,
  done_at timestamptz,
  reason text,
  bytes bigint NOT NULL,
  body jsonb NOT NULL,
  PRIMARY KEY (project, id)
);
CREATE INDEX commits_due ON commits (received_at) WHERE state IN ('waiting', 'claimed');
CREATE TABLE families (
  project text NOT NULL,
  id text NOT NULL,
  commit_id text NOT NULL,
  sender text NOT NULL,
  received_at timestamptz NOT NULL,
  bytes bigint NOT NULL,
  body jsonb NOT NULL,
  PRIMARY KEY (project, id)
);
CREATE TABLE family_objects (
  project text NOT NULL,
  family text NOT NULL,
  digest text NOT NULL,
  PRIMARY KEY (project, family, digest)
);
CREATE INDEX family_objects_digest ON family_objects (digest);
CREATE TABLE sessions (
  project text NOT NULL,
  id text NOT NULL,
  family text NOT NULL,
  native_id text NOT NULL,
  parent text,
  format text NOT NULL,
  agent text NOT NULL,
  model text,
  title text NOT NULL,
  cwd text,
  state text,
  started_at bigint,
  ended_at bigint,
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
  row jsonb NOT NULL,
  PRIMARY KEY (project, id)
);
CREATE INDEX sessions_family ON sessions (project, family);
CREATE INDEX sessions_id ON sessions (id);
CREATE INDEX sessions_parent ON sessions (parent) WHERE parent IS NOT NULL;
CREATE INDEX sessions_started ON sessions (project, started_at DESC, id) WHERE parent IS NULL;
CREATE INDEX sessions_ended ON sessions (project, ended_at DESC, id) WHERE parent IS NULL;
CREATE TABLE session_usage (
  project text NOT NULL,
  session text NOT NULL,
  at bigint NOT NULL,
  model text NOT NULL,
  tools text NOT NULL,
  calls integer NOT NULL,
  input bigint NOT NULL,
  read bigint NOT NULL,
  written bigint NOT NULL,
  output bigint NOT NULL,
  reasoning bigint NOT NULL,
  usd double precision,
  unsure boolean NOT NULL,
  PRIMARY KEY (project, session, at, model, tools)
);
CREATE TABLE session_cuts (
  project text NOT NULL,
  session text NOT NULL,
  at bigint NOT NULL,
  cuts integer NOT NULL,
  PRIMARY KEY (project, session, at)
);
CREATE TABLE session_findings (
  project text NOT NULL,
  session text NOT NULL,
  n integer NOT NULL,
  fingerprint text NOT NULL,
  detector text NOT NULL,
  label text NOT NULL,
  fix text NOT NULL,
  seq integer,
  at bigint,
  tokens bigint NOT NULL,
  usd double precision,
  PRIMARY KEY (project, session, n)
);
CREATE INDEX session_findings_fingerprint ON session_findings (project, fingerprint);
-- Stems as one machine's index has them, and no word that is left out for being frequent.
CREATE TEXT SEARCH DICTIONARY plimsoll_stems (TEMPLATE = snowball, Language = english);
CREATE TEXT SEARCH CONFIGURATION plimsoll (COPY = simple);
ALTER TEXT SEARCH CONFIGURATION plimsoll ALTER MAPPING FOR asciiword, word, numword WITH plimsoll_stems;
CREATE TABLE session_texts (
  project text NOT NULL,
  session text NOT NULL,
  seq integer NOT NULL,
  piece integer NOT NULL,
  kind text NOT NULL,
  tool text NOT NULL,
  at bigint,
  tokens integer NOT NULL,
  is_error boolean NOT NULL,
  text text NOT NULL,
  words tsvector NOT NULL,
  PRIMARY KEY (project, session, seq, piece, kind)
);
CREATE INDEX session_texts_words ON session_texts USING gin (words);
`;
