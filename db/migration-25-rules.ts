// Which rules the counts and the verdict of a session are of: what older ones said is worked out anew in the background. 0: unknown.

export const RULES = `
ALTER TABLE sessions ADD COLUMN rules_version INTEGER NOT NULL DEFAULT 0;
`;
