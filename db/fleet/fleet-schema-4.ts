// Sessions that agents write: who may write to each (a lease with a number that only rises), what was appended and is not packed
// yet, the keys of requests that appended, and which session an output or a compaction belongs to. And the nodes, with the address
// under which the others reach them.
export const FLEET_SCHEMA_4 = `
CREATE TABLE nodes (
  id text PRIMARY KEY,
  address text NOT NULL,
  host text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE held_sessions (
  session text PRIMARY KEY,
  project text NOT NULL,
  fence bigint NOT NULL DEFAULT 0,
  holder text,
  until timestamptz NOT NULL DEFAULT 'epoch',
  last bigint NOT NULL DEFAULT 0,
  packed bigint NOT NULL DEFAULT 0,
  commit_id text,
  made_at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 50);
CREATE INDEX held_sessions_holder ON held_sessions (holder) WHERE holder IS NOT NULL;
CREATE TABLE live_log (
  session text NOT NULL,
  seq bigint NOT NULL,
  project text NOT NULL,
  fence bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  kept text,
  body text NOT NULL,
  PRIMARY KEY (session, seq)
);
CREATE TABLE held_keys (
  session text NOT NULL,
  principal text NOT NULL,
  key text NOT NULL,
  at timestamptz NOT NULL,
  kept text NOT NULL,
  PRIMARY KEY (session, principal, key)
);
CREATE TABLE held_names (
  name text PRIMARY KEY,
  session text NOT NULL,
  digest text
);
CREATE INDEX held_names_session ON held_names (session);
CREATE INDEX held_names_digest ON held_names (digest) WHERE digest IS NOT NULL;
INSERT INTO fleet_meta VALUES ('node_secret', replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''));
`;
