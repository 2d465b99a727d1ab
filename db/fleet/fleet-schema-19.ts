// The nineteenth schema: windows and prices that somebody set, for all nodes. They were in the archive of one node, which is a cache.
export const FLEET_SCHEMA_19 = `
-- One row.
CREATE TABLE model_settings (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  -- What is set, as JSON, and its digest: nodes compare that.
  overrides text NOT NULL DEFAULT '[]',
  digest text NOT NULL DEFAULT '',
  -- Lists that views may still be of, and the first family that was not looked at; null where all were.
  was text NOT NULL DEFAULT '[]',
  next_project text,
  next_family text
);
INSERT INTO model_settings DEFAULT VALUES;
`;
