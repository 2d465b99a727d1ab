// What is needed to give an agent its files back. `gone_at`: when a file was found to be deleted. `beside_files`: files of a
// session beside its own, with their bytes, or with the digest of the artifact that holds them. `version_recipes`: 16 bytes for
// each record of an earlier version, in the order in which the whole file had them, and the sha-256 of that file.

export const KEPT_FILES = `
ALTER TABLE sources ADD COLUMN gone_at INTEGER;
CREATE TABLE beside_files (
  pk INTEGER PRIMARY KEY,
  source_pk INTEGER NOT NULL REFERENCES sources(pk) ON DELETE CASCADE,
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime_ms REAL NOT NULL,
  digest TEXT NOT NULL,
  -- Null: a blob of this digest.
  bytes BLOB
) STRICT;
CREATE UNIQUE INDEX beside_files_path ON beside_files(source_pk, path);
CREATE TABLE version_recipes (
  source_pk INTEGER PRIMARY KEY REFERENCES sources(pk) ON DELETE CASCADE,
  size INTEGER NOT NULL,
  digest TEXT NOT NULL,
  records BLOB NOT NULL
) STRICT;
`;
