// When a finding was seen, and when its cure would have saved: an output that came on one day is sent for weeks. `partial`: some calls
// have no price, the true sum is more. `first_at`, `seen_at`, `times`: its occurrences. `saved_from`: the first call that would have
// been cheaper, `at` the last; `saved`: dollars by quarter of an hour, as JSON, [[start in milliseconds, dollars], …]; null: all in one.

export const FINDING_TIMES = `
ALTER TABLE session_findings ADD COLUMN partial INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session_findings ADD COLUMN first_at INTEGER;
ALTER TABLE session_findings ADD COLUMN seen_at INTEGER;
ALTER TABLE session_findings ADD COLUMN times INTEGER NOT NULL DEFAULT 1;
ALTER TABLE session_findings ADD COLUMN saved_from INTEGER;
ALTER TABLE session_findings ADD COLUMN saved TEXT;
-- Until they are judged anew, which happens in the background.
UPDATE session_findings SET first_at = at, seen_at = at, saved_from = at;
DROP INDEX session_findings_of;
CREATE INDEX session_findings_of ON session_findings(fingerprint, seen_at, first_at, times, usd, partial, tokens, session_pk);
`;
