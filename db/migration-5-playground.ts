// Programs and patterns that people kept, and the runs that they ended on. Agents' runs are in artifact_reads and in the
// logs of their sessions; the index finds the latter among all tool interactions without reading them.

export const PLAYGROUND = `
CREATE TABLE playground_programs (
  pk INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  -- jq or grep
  kind TEXT NOT NULL,
  -- Null: kept because it was too long for an address.
  name TEXT,
  program TEXT NOT NULL,
  options TEXT NOT NULL,
  fits TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX playground_programs_name ON playground_programs(kind, name) WHERE name IS NOT NULL;

CREATE TABLE playground_runs (
  pk INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  program TEXT NOT NULL,
  options TEXT NOT NULL,
  artifacts TEXT NOT NULL DEFAULT '[]',
  pasted INTEGER NOT NULL DEFAULT 0,
  results INTEGER,
  ms REAL,
  failure TEXT,
  at INTEGER NOT NULL
) STRICT;

CREATE INDEX tool_interactions_queries ON tool_interactions(started_at)
  WHERE instr(tool_name, 'artifact_jq') > 0 OR instr(tool_name, 'artifact_grep') > 0;
`;
