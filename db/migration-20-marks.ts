// What a person marks sessions and events with, and searches that are saved under a name.

export const MARKS = `
CREATE TABLE marks (
  pk INTEGER PRIMARY KEY,
  session_pk INTEGER NOT NULL REFERENCES sessions(pk) ON DELETE CASCADE,
  -- The event; 0 is the session itself.
  seq INTEGER NOT NULL,
  -- label, star or note.
  kind TEXT NOT NULL,
  -- A label's name, a note's text; empty for a star.
  value TEXT NOT NULL,
  -- What the event says, as a digest: an event that has another number after its file was read again is found by it.
  anchor TEXT,
  at INTEGER NOT NULL
);
CREATE UNIQUE INDEX marks_place ON marks(session_pk, seq, kind, value);
CREATE INDEX marks_value ON marks(kind, value);
CREATE TABLE saved_searches (
  pk INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  query TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
`;
