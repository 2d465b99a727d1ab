// The seventeenth schema: when a finding was seen, and when its cure would have saved, as archives have it since their migration 27.
// Rows of older nodes have none of it: there `at`, the last call that carried it, stands for each time.
export const FLEET_SCHEMA_17 = `
ALTER TABLE session_findings ADD COLUMN partial boolean NOT NULL DEFAULT false;
ALTER TABLE session_findings ADD COLUMN first_at bigint;
ALTER TABLE session_findings ADD COLUMN seen_at bigint;
ALTER TABLE session_findings ADD COLUMN times integer NOT NULL DEFAULT 1;
ALTER TABLE session_findings ADD COLUMN saved_from bigint;
ALTER TABLE session_findings ADD COLUMN saved jsonb;
`;
