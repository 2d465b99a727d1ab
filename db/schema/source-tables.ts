// The session files that were read: how they were, their bytes, and what belongs to them beside.
import { blob, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

type SourceStatus = "ok" | "older copy" | "earlier version" | "gone" | "failed" | "skipped";

const bytes = () => blob({ mode: "buffer" });

/** A session file, or an earlier version of one: what it held before it was truncated, rotated or rewritten. */
export const sources = sqliteTable("sources", {
  pk: integer().primaryKey(),
  path: text().notNull(),
  format: text(),
  status: text().$type<SourceStatus>().notNull(),
  reason: text(),
  dev: text(),
  ino: text(),
  size: integer().notNull(),
  mtime_ms: real().notNull(),
  offset: integer().notNull(),
  line: integer().notNull(),
  head: text(),
  head_bytes: integer().notNull(),
  tail: text(),
  state: text(),
  native_id: text(),
  older_of: integer(),
  records: integer().notNull(),
  events: integer().notNull(),
  problems: integer().notNull(),
  cut_tail: integer(),
  imported_at: integer(),
  changed_at: integer(),
  format_version: integer().notNull(),
  earlier: integer(),
  earlier_of: integer(),
  replaced_at: integer(),
  is_part: integer().notNull(),
  stopped: text(),
  gone_at: integer(),
  found: text(),
  beside: text(),
});

/** Folders that were searched by content, and the files in them that no format matches. */
export const unmatchedFolders = sqliteTable("unmatched_folders", {
  path: text().primaryKey(),
  files: integer().notNull(),
  size: integer().notNull(),
  /** JSON: files, bytes and first names by ending. */
  groups: text().notNull(),
  at: integer().notNull(),
});

/** Files of a session beside its own: their bytes, or the digest of the blob that holds them. */
export const besideFiles = sqliteTable("beside_files", {
  pk: integer().primaryKey(),
  source_pk: integer().notNull(),
  path: text().notNull(),
  size: integer().notNull(),
  mtime_ms: real().notNull(),
  digest: text().notNull(),
  bytes: bytes(),
});

/** Outputs of running sessions that their agent has not put into their files yet, or just has. */
export const awaitedOutputs = sqliteTable(
  "awaited_outputs",
  {
    source_pk: integer().notNull(),
    stored_path: text().notNull(),
    since: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.source_pk, table.stored_path] })],
);

/** The records of an earlier version in the order of the whole file, 16 bytes each. */
export const versionRecipes = sqliteTable("version_recipes", {
  source_pk: integer().primaryKey(),
  size: integer().notNull(),
  digest: text().notNull(),
  records: bytes().notNull(),
});

/** The bytes of a source, zstd. */
export const rawBlocks = sqliteTable("raw_blocks", {
  pk: integer().primaryKey(),
  source_pk: integer().notNull(),
  byte_start: integer().notNull(),
  byte_end: integer().notNull(),
  zstd: bytes().notNull(),
});

/** What a damaged line lost. */
export const importErrors = sqliteTable("import_errors", {
  source_pk: integer().notNull(),
  line: integer().notNull(),
  byte_start: integer().notNull(),
  byte_end: integer().notNull(),
  reason: text().notNull(),
});

/** 16 bytes for each record of an earlier version: a record that comes back to the file is found by them. */
export const earlierRecords = sqliteTable("earlier_records", {
  digest: bytes().notNull(),
  source_pk: integer().notNull(),
});
