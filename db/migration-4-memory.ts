// What outlives an epoch, and every compaction with what it kept and cut. For imported sessions a compaction is a plan that
// stands beside them; in sessions that Plimsoll holds it is an event of the log, and can be undone.

export const MEMORY = `
CREATE TABLE compactions (
  pk INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  session_pk INTEGER NOT NULL REFERENCES sessions(pk) ON DELETE CASCADE,
  -- applied: the log has it. plan: it stands beside the log.
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  trigger TEXT NOT NULL,
  unit TEXT,
  at_seq INTEGER NOT NULL,
  from_seq INTEGER,
  to_seq INTEGER,
  turns TEXT NOT NULL DEFAULT '[]',
  seqs TEXT NOT NULL DEFAULT '[]',
  options TEXT NOT NULL DEFAULT '{}',
  summarizer TEXT NOT NULL,
  tokens_before INTEGER,
  tokens_after INTEGER,
  origin TEXT,
  epoch_before INTEGER NOT NULL DEFAULT 1,
  epoch_after INTEGER,
  summary TEXT NOT NULL DEFAULT '',
  lines TEXT NOT NULL DEFAULT '[]',
  kept TEXT NOT NULL DEFAULT '{}',
  dropped TEXT NOT NULL DEFAULT '[]',
  reason TEXT,
  -- Of an applied one: its event, and the event that undid it.
  event_seq INTEGER,
  undo_seq INTEGER,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  undone_at INTEGER
) STRICT;
CREATE INDEX compactions_session ON compactions(session_pk, at_seq);

CREATE TABLE episodic_items (
  pk INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  session_pk INTEGER NOT NULL REFERENCES sessions(pk) ON DELETE CASCADE,
  compaction_pk INTEGER REFERENCES compactions(pk) ON DELETE SET NULL,
  turns TEXT NOT NULL DEFAULT '[]',
  seqs TEXT NOT NULL DEFAULT '[]',
  summary TEXT NOT NULL,
  salience REAL NOT NULL DEFAULT 0,
  tags TEXT NOT NULL DEFAULT '[]',
  pinned INTEGER NOT NULL DEFAULT 0,
  -- compaction, person or agent
  made_by TEXT NOT NULL,
  -- Of one that came from an agent's own memory: the item as it was given, with the agent's names.
  given TEXT,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
CREATE INDEX episodic_items_session ON episodic_items(session_pk);

CREATE TABLE semantic_items (
  pk INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  session_pk INTEGER NOT NULL REFERENCES sessions(pk) ON DELETE CASCADE,
  compaction_pk INTEGER REFERENCES compactions(pk) ON DELETE SET NULL,
  turns TEXT NOT NULL DEFAULT '[]',
  seqs TEXT NOT NULL DEFAULT '[]',
  fact TEXT NOT NULL,
  category TEXT,
  salience REAL NOT NULL DEFAULT 0,
  confidence REAL,
  tags TEXT NOT NULL DEFAULT '[]',
  pinned INTEGER NOT NULL DEFAULT 0,
  made_by TEXT NOT NULL,
  given TEXT,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
CREATE INDEX semantic_items_session ON semantic_items(session_pk);

-- What an item was before each change: nothing that a person edits or deletes is gone.
CREATE TABLE memory_changes (
  pk INTEGER PRIMARY KEY,
  item_id TEXT NOT NULL,
  session_pk INTEGER NOT NULL REFERENCES sessions(pk) ON DELETE CASCADE,
  did TEXT NOT NULL,
  before TEXT,
  changed_by TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX memory_changes_item ON memory_changes(item_id);

-- The context that each epoch began with.
CREATE TABLE snapshots (
  session_pk INTEGER NOT NULL REFERENCES sessions(pk) ON DELETE CASCADE,
  epoch INTEGER NOT NULL,
  compaction_pk INTEGER REFERENCES compactions(pk) ON DELETE SET NULL,
  messages TEXT NOT NULL,
  -- Of one that an agent keeps: its epoch and names; messages are then whole. Null: made for people, long texts cut.
  about TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (session_pk, epoch)
) STRICT, WITHOUT ROWID;

-- Of events that came as raw traces: what the event does not say, so that the trace can be given back as it was.
CREATE TABLE event_traces (
  session_pk INTEGER NOT NULL REFERENCES sessions(pk) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  key TEXT NOT NULL,
  turn_id TEXT,
  -- Which field of the trace stands in the event alone.
  part TEXT,
  trace TEXT NOT NULL,
  PRIMARY KEY (session_pk, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_traces_turn ON event_traces(session_pk, turn_id);

-- Memory folders of agents that a person attached: read as sessions, and compacted for real by their own protocol.
CREATE TABLE attached (
  session_pk INTEGER PRIMARY KEY REFERENCES sessions(pk) ON DELETE CASCADE,
  path TEXT NOT NULL UNIQUE,
  -- Null: nothing tells which one wrote it.
  generation INTEGER,
  -- How its files were when they were last read.
  fingerprint TEXT NOT NULL,
  -- Why it is only read; null when it may be compacted.
  refuses TEXT,
  attached_at INTEGER NOT NULL,
  read_at INTEGER NOT NULL
) STRICT;

CREATE TABLE recall_runs (
  pk INTEGER PRIMARY KEY,
  session_pk INTEGER NOT NULL REFERENCES sessions(pk) ON DELETE CASCADE,
  turn INTEGER,
  at_seq INTEGER,
  query TEXT NOT NULL,
  budget TEXT NOT NULL,
  items TEXT NOT NULL,
  chars INTEGER NOT NULL,
  omitted INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX recall_runs_session ON recall_runs(session_pk, at_seq);
`;
