// What a session's load came to, worked out in the background, so that a list of 10,000 sessions can be sorted by it.

export const LOAD = `
ALTER TABLE sessions ADD COLUMN culprit TEXT;
ALTER TABLE sessions ADD COLUMN avoidable_usd REAL;
ALTER TABLE sessions ADD COLUMN avoidable_tokens INTEGER;
-- The session's version that the three were worked out for; null: never.
ALTER TABLE sessions ADD COLUMN judged_version INTEGER;
-- Every import asks at which load sessions were compacted: few of 10,000 were.
CREATE INDEX sessions_compacted ON sessions(model) WHERE compactions > 0;
`;
