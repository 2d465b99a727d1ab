// The eleventh schema: searches that people save under a name, and what a project may spend. A node's own archive is a cache, and other
// nodes do not have it.
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
`;
