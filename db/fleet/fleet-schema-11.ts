// The eleventh schema: searches that people save under a name. A node's own archive is a cache, and other nodes do not have it.
export const FLEET_SCHEMA_11 = `
CREATE TABLE saved_searches (
  -- The person's address, or whose else they are: see lib/http/fleet-projects.ts.
  owner text NOT NULL,
  name text NOT NULL,
  query text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (owner, name)
);
`;
