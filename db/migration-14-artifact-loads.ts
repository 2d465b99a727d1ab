// What each artifact weighs in its session: worked out with the session's verdict, in the thread that counts, so that a list of
// 100,000 artifacts only reads it and sorts by it. Null until the session was counted once.

export const ARTIFACT_LOADS = `
ALTER TABLE artifacts ADD COLUMN load_tokens INTEGER;
ALTER TABLE artifacts ADD COLUMN load_origin TEXT;
ALTER TABLE artifacts ADD COLUMN load_calls INTEGER;
ALTER TABLE artifacts ADD COLUMN load_usd REAL;
-- The version of the session that these are of.
ALTER TABLE artifacts ADD COLUMN load_version INTEGER;
CREATE INDEX artifacts_loads ON artifacts(load_usd, load_tokens, load_calls, session_pk, tool_name, content_type, deleted_at, expires_at, size);
`;
