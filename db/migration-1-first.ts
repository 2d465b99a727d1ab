// The tables of the first release. events.id is `session_pk * 2^32 + seq`: the rows of a session lie together, the search
// index needs no second key, and the number stays exact in JavaScript up to two million sessions.

export const FIRST = `
CREATE TABLE sources (
  pk INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  format TEXT,
  status TEXT NOT NULL,
  reason TEXT,
  dev TEXT, ino TEXT,
  size INTEGER NOT NULL DEFAULT 0,
  mtime_ms REAL NOT NULL DEFAULT 0,
  offset INTEGER NOT NULL DEFAULT 0,
  line INTEGER NOT NULL DEFAULT 0,
  head TEXT, head_bytes INTEGER NOT NULL DEFAULT 0, tail TEXT,
  state TEXT,
  native_id TEXT,
  older_of INTEGER REFERENCES sources(pk) ON DELETE SET NULL,
  records INTEGER NOT NULL DEFAULT 0,
  events INTEGER NOT NULL DEFAULT 0,
  problems INTEGER NOT NULL DEFAULT 0,
  cut_tail INTEGER,
  imported_at INTEGER,
  changed_at INTEGER
) STRICT;

-- Not WITHOUT ROWID: a search in such a table reads each row that it compares to its end, 250 KB of zstd.
CREATE TABLE raw_blocks (
  pk INTEGER PRIMARY KEY,
  source_pk INTEGER NOT NULL REFERENCES sources(pk) ON DELETE CASCADE,
  byte_start INTEGER NOT NULL,
  byte_end INTEGER NOT NULL,
  zstd BLOB NOT NULL,
  UNIQUE (source_pk, byte_start)
) STRICT;

CREATE TABLE import_errors (
  source_pk INTEGER NOT NULL REFERENCES sources(pk) ON DELETE CASCADE,
  line INTEGER NOT NULL,
  byte_start INTEGER NOT NULL,
  byte_end INTEGER NOT NULL,
  reason TEXT NOT NULL
) STRICT;
CREATE INDEX import_errors_source ON import_errors(source_pk);

CREATE TABLE sessions (
  pk INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  native_id TEXT NOT NULL UNIQUE,
  format TEXT NOT NULL,
  source_pk INTEGER REFERENCES sources(pk) ON DELETE CASCADE,
  lane TEXT NOT NULL DEFAULT '',
  relation TEXT NOT NULL DEFAULT 'root',
  parent_native TEXT,
  parent_pk INTEGER,
  parent_tool_call_id TEXT,
  parent_tool_call_seq INTEGER,
  title TEXT NOT NULL DEFAULT '',
  title_rank INTEGER NOT NULL DEFAULT -1,
  agent_name TEXT,
  agent_version TEXT,
  model TEXT,
  cwd TEXT,
  branch TEXT,
  started_at INTEGER,
  ended_at INTEGER,
  written_at INTEGER,
  demo INTEGER NOT NULL DEFAULT 0,
  next_seq INTEGER NOT NULL DEFAULT 1,
  next_call INTEGER NOT NULL DEFAULT 1,
  turn INTEGER NOT NULL DEFAULT 0,
  records INTEGER NOT NULL DEFAULT 0,
  keyed_records INTEGER NOT NULL DEFAULT 0,
  calls INTEGER NOT NULL DEFAULT 0,
  compactions INTEGER NOT NULL DEFAULT 0,
  artifacts INTEGER NOT NULL DEFAULT 0,
  peak_tokens INTEGER,
  peak_call INTEGER,
  window INTEGER,
  load_line INTEGER,
  peak_share REAL,
  usd REAL,
  tally TEXT NOT NULL DEFAULT '{}',
  card TEXT,
  version INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX sessions_source ON sessions(source_pk);
CREATE INDEX sessions_parent ON sessions(parent_pk);
CREATE INDEX sessions_parent_native ON sessions(parent_native);
CREATE INDEX sessions_started ON sessions(started_at);

CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  type TEXT NOT NULL,
  ts INTEGER,
  turn INTEGER NOT NULL,
  call INTEGER,
  tool_call_id TEXT,
  tool_name TEXT,
  record_key BLOB,
  keyed INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL,
  digest BLOB,
  artifact TEXT,
  category TEXT,
  label TEXT NOT NULL DEFAULT '',
  extra_tokens INTEGER NOT NULL DEFAULT 0,
  starts_turn INTEGER NOT NULL DEFAULT 0,
  synthetic INTEGER NOT NULL DEFAULT 0,
  inherited INTEGER NOT NULL DEFAULT 0,
  byte_start INTEGER NOT NULL,
  byte_end INTEGER NOT NULL,
  body TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX events_record ON events(record_key) WHERE keyed = 1;
CREATE INDEX events_compaction ON events(id) WHERE type = 'compaction';

CREATE TABLE model_calls (
  session_pk INTEGER NOT NULL REFERENCES sessions(pk) ON DELETE CASCADE,
  call INTEGER NOT NULL,
  key TEXT NOT NULL,
  first_seq INTEGER NOT NULL,
  model TEXT,
  ts INTEGER,
  input_uncached INTEGER NOT NULL DEFAULT 0,
  cache_read INTEGER NOT NULL DEFAULT 0,
  cache_write INTEGER NOT NULL DEFAULT 0,
  output INTEGER NOT NULL DEFAULT 0,
  reasoning INTEGER NOT NULL DEFAULT 0,
  output_lower_bound INTEGER NOT NULL DEFAULT 0,
  has_usage INTEGER NOT NULL DEFAULT 0,
  window INTEGER,
  usd REAL,
  priced INTEGER NOT NULL DEFAULT 0,
  inherited INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (session_pk, call)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX model_calls_key ON model_calls(key, session_pk);

CREATE TABLE tool_interactions (
  pk INTEGER PRIMARY KEY,
  session_pk INTEGER NOT NULL REFERENCES sessions(pk) ON DELETE CASCADE,
  tool_call_id TEXT,
  tool_name TEXT NOT NULL,
  call_seq INTEGER,
  result_seq INTEGER,
  status TEXT NOT NULL,
  hosted INTEGER NOT NULL DEFAULT 0,
  input_digest BLOB,
  started_at INTEGER,
  ended_at INTEGER,
  duration_ms INTEGER,
  agent_id TEXT
) STRICT;
CREATE INDEX tool_interactions_id ON tool_interactions(session_pk, tool_call_id);
CREATE INDEX tool_interactions_call ON tool_interactions(session_pk, call_seq);
CREATE INDEX tool_interactions_result ON tool_interactions(session_pk, result_seq);

CREATE TABLE blobs (
  digest TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  line_count INTEGER,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE artifacts (
  pk INTEGER PRIMARY KEY,
  pointer TEXT NOT NULL UNIQUE,
  session_pk INTEGER NOT NULL REFERENCES sessions(pk) ON DELETE CASCADE,
  seq INTEGER,
  digest TEXT NOT NULL REFERENCES blobs(digest),
  name TEXT,
  tool_name TEXT,
  tool_call_id TEXT,
  content_type TEXT NOT NULL,
  size INTEGER NOT NULL,
  line_count INTEGER,
  width INTEGER,
  height INTEGER,
  saw TEXT NOT NULL DEFAULT 'full',
  offloaded_by TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX artifacts_session ON artifacts(session_pk);
CREATE INDEX artifacts_digest ON artifacts(digest);

CREATE TABLE token_counts (
  digest BLOB NOT NULL,
  tokenizer TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  PRIMARY KEY (digest, tokenizer)
) STRICT, WITHOUT ROWID;

CREATE TABLE lineage (
  session_pk INTEGER NOT NULL REFERENCES sessions(pk) ON DELETE CASCADE,
  other_pk INTEGER NOT NULL REFERENCES sessions(pk) ON DELETE CASCADE,
  records INTEGER NOT NULL,
  PRIMARY KEY (session_pk, other_pk)
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE search USING fts5(text, content='', contentless_delete=1, tokenize='unicode61');
`;
