// The sixteenth schema: what a text was written from, and which commits of a family wait. A session that goes on is handed in every
// minute, and each time all of its texts were written anew: 3.4 s of a session of 8 MB to which 50 kB had come.
export const FLEET_SCHEMA_16 = `
-- Null where an older node wrote the row: it is written once more.
ALTER TABLE session_texts ADD COLUMN print uuid;
-- A family that was read for weeks has thousands of others.
CREATE INDEX commits_open ON commits (project, family) WHERE state IN ('waiting', 'claimed');
`;
