// Automatic compaction of a session that Plimsoll holds: what was configured for it, and whether its next request is to be
// compacted first. A row outlives the process: each turn of an agent may be one of its own.

export const HELD_COMPACTION = `
CREATE TABLE held_compaction (
  session_pk INTEGER PRIMARY KEY REFERENCES sessions(pk) ON DELETE CASCADE,
  -- What its agent said when it made the session, as JSON; null: the environment alone.
  settings TEXT,
  -- budget or early: the next request is compacted first. Null: it is not due.
  required TEXT,
  requested_at INTEGER,
  -- Tokens of the last prompt of this epoch, as the provider counted them.
  prompt_tokens INTEGER,
  -- The automatic compaction that ran last, as JSON: its turn, the tokens before and after, why it failed.
  last TEXT
) STRICT;
`;
