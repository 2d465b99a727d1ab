// What decided which format a file has: `found` is the shape of its first record, in words. `unmatched_folders`: folders that were
// searched by content, with the number and size of the files that no format matches, counted by their endings.

export const UNMATCHED = `
ALTER TABLE sources ADD COLUMN found TEXT;
CREATE TABLE unmatched_folders (
  path TEXT PRIMARY KEY,
  files INTEGER NOT NULL,
  size INTEGER NOT NULL,
  groups TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
`;
