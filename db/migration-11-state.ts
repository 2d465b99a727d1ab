// How a session fared: refused, compacted by its agent, near its load line, fine. Kept beside it, so that a list of 10,000 is
// filtered and counted without a look at their events.

const AUTOMATIC = `SELECT count(*) FROM events e WHERE e.id BETWEEN sessions.pk * 4294967296 AND sessions.pk * 4294967296 + 4294967295
  AND e.type = 'compaction' AND e.body ->> 'kind' = 'full'
  AND NOT (lower(coalesce(e.body ->> 'trigger', '')) LIKE '%manual%' OR lower(coalesce(e.body ->> 'trigger', '')) LIKE '%user%'
    OR lower(coalesce(e.body ->> 'trigger', '')) LIKE '%command%')`;

export const STATE = `
ALTER TABLE sessions ADD COLUMN automatic INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN state TEXT;
UPDATE sessions SET automatic = min(compactions, (${AUTOMATIC})) WHERE compactions > 0;
UPDATE sessions SET state = CASE WHEN tally ->> 'overflow' = 1 THEN 'refused' WHEN automatic > 0 THEN 'compacted'
  WHEN peak_share >= 0.8 THEN 'near' WHEN peak_tokens IS NOT NULL THEN 'fine' END;
`;
