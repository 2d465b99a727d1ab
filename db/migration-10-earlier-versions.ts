// Earlier versions of source files: what a file held before it was truncated, rotated or rewritten. Each is a source of its
// own with raw blocks and sessions, numbered from 1. `earlier_records` holds 16 bytes for each of its records, by which a
// record that comes back to the file is found. `is_part`: records that the file still holds were taken out of it. `stopped` says why a file was not read to its end.

export const EARLIER_VERSIONS = `
ALTER TABLE sources ADD COLUMN earlier INTEGER;
ALTER TABLE sources ADD COLUMN earlier_of INTEGER REFERENCES sources(pk) ON DELETE SET NULL;
ALTER TABLE sources ADD COLUMN replaced_at INTEGER;
ALTER TABLE sources ADD COLUMN is_part INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sources ADD COLUMN stopped TEXT;
ALTER TABLE sessions ADD COLUMN earlier INTEGER;
CREATE INDEX sources_earlier ON sources(earlier_of) WHERE earlier_of IS NOT NULL;
CREATE TABLE earlier_records (
  digest BLOB NOT NULL,
  source_pk INTEGER NOT NULL REFERENCES sources(pk) ON DELETE CASCADE,
  PRIMARY KEY (digest, source_pk)
) STRICT, WITHOUT ROWID;
CREATE INDEX earlier_records_source ON earlier_records(source_pk);
`;
