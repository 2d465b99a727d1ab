// Sessions that Plimsoll holds, and what an artifact needs to be trusted with the only copy of an output.
// A deleted or expired artifact keeps its row as a tombstone: it still says what was there.

export const ARTIFACTS = `
ALTER TABLE sessions ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN policy TEXT;
ALTER TABLE sessions ADD COLUMN closed_turns TEXT NOT NULL DEFAULT '[]';

ALTER TABLE blobs ADD COLUMN chars INTEGER;
ALTER TABLE blobs ADD COLUMN shape TEXT;
ALTER TABLE blobs ADD COLUMN removed_at INTEGER;

CREATE TABLE blob_lines (
  pk INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  line_index BLOB NOT NULL
) STRICT;

ALTER TABLE artifacts ADD COLUMN content_id TEXT;
ALTER TABLE artifacts ADD COLUMN turn INTEGER;
ALTER TABLE artifacts ADD COLUMN origin TEXT NOT NULL DEFAULT 'imported';
ALTER TABLE artifacts ADD COLUMN description TEXT;
ALTER TABLE artifacts ADD COLUMN preview TEXT;
ALTER TABLE artifacts ADD COLUMN is_error INTEGER NOT NULL DEFAULT 0;
ALTER TABLE artifacts ADD COLUMN deleted_at INTEGER;
ALTER TABLE artifacts ADD COLUMN deleted_why TEXT;
CREATE INDEX artifacts_expiry ON artifacts(expires_at) WHERE expires_at IS NOT NULL AND deleted_at IS NULL;
-- Lists by any column go through this one: it grows at its end, where five indexes of their own made each small put write
-- eight pages more. 100,000 entries are sorted by any of its columns in some 50 ms.
CREATE INDEX artifacts_list ON artifacts(created_at, size, tool_name, content_type, name, session_pk, deleted_at, expires_at);
CREATE INDEX artifacts_call ON artifacts(session_pk, tool_call_id) WHERE tool_call_id IS NOT NULL;

-- Pointers that a person deleted: an import of the same source does not bring them back.
CREATE TABLE deleted_pointers (pointer TEXT PRIMARY KEY, at INTEGER NOT NULL, why TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE artifact_names (
  pk INTEGER PRIMARY KEY,
  session_pk INTEGER NOT NULL REFERENCES sessions(pk) ON DELETE CASCADE,
  name TEXT NOT NULL,
  pointer TEXT NOT NULL,
  bound_at INTEGER NOT NULL
) STRICT;
CREATE INDEX artifact_names_name ON artifact_names(session_pk, name, pk);
CREATE INDEX artifact_names_pointer ON artifact_names(pointer);

CREATE TABLE artifact_reads (
  pk INTEGER PRIMARY KEY,
  pointer TEXT NOT NULL,
  at INTEGER NOT NULL,
  who TEXT NOT NULL,
  tool TEXT NOT NULL,
  request TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  is_error INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX artifact_reads_pointer ON artifact_reads(pointer, pk);

CREATE TABLE offload_decisions (
  pk INTEGER PRIMARY KEY,
  session_pk INTEGER NOT NULL REFERENCES sessions(pk) ON DELETE CASCADE,
  seq INTEGER,
  tool_call_id TEXT,
  tool_name TEXT NOT NULL,
  size INTEGER NOT NULL,
  chars INTEGER,
  threshold INTEGER,
  gate TEXT NOT NULL,
  action TEXT NOT NULL,
  status TEXT NOT NULL,
  pointer TEXT,
  preset TEXT,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX offload_decisions_session ON offload_decisions(session_pk, seq);
CREATE INDEX offload_decisions_pointer ON offload_decisions(pointer) WHERE pointer IS NOT NULL;

CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  scope TEXT NOT NULL,
  session TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  used_at INTEGER
) STRICT, WITHOUT ROWID;
`;
