// What is deleted can be put back as it was: from whom it came, and under which commit. And which objects a sweep is taking out of
// the bucket: until it is done nobody may name them.
export const FLEET_SCHEMA_5 = `
ALTER TABLE deleted_families ADD COLUMN commit_id text, ADD COLUMN sender text, ADD COLUMN title text NOT NULL DEFAULT '',
  ADD COLUMN sessions integer NOT NULL DEFAULT 0;
CREATE INDEX deleted_families_at ON deleted_families (deleted_at);
CREATE INDEX deleted_sessions_session ON deleted_sessions (session);
CREATE INDEX deleted_sessions_family ON deleted_sessions (project, family);
CREATE INDEX commits_family ON commits (project, family);
ALTER TABLE objects ADD COLUMN going_at timestamptz;
CREATE INDEX objects_going ON objects (going_at) WHERE going_at IS NOT NULL;
`;
