// The eleventh schema: searches that people save under a name, and what a project may spend. A node's own archive is a cache, and other
// nodes do not have it. And errors have an index by time.
export const FLEET_SCHEMA_11 = `
CREATE TABLE saved_searches (
  -- The person's address, or whose else they are: see lib/http/fleet-projects.ts.
  owner text NOT NULL,
  name text NOT NULL,
  query text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (owner, name)
);
CREATE TABLE budgets (
  -- * is all of them.
  project text NOT NULL,
  period text NOT NULL,
  limit_usd double precision NOT NULL,
  PRIMARY KEY (project, period)
);
-- Of a million texts 30,000 are errors. Those of one tool took 750 ms, when all texts were read for them, and take 28 ms.
CREATE INDEX session_texts_errors ON session_texts (at DESC NULLS LAST) WHERE is_error;
`;
