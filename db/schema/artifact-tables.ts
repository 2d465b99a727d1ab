// Tool outputs: their bytes by digest, the artifacts that name them, and who read them.
import { blob, integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

const bytes = () => blob({ mode: "buffer" });

export const blobs = sqliteTable("blobs", {
  digest: text().primaryKey(),
  size: integer().notNull(),
  line_count: integer(),
  created_at: integer().notNull(),
  chars: integer(),
  shape: text(),
  removed_at: integer(),
});

/** Where the lines of a long text begin. */
export const blobLines = sqliteTable("blob_lines", {
  pk: integer().primaryKey(),
  digest: text().notNull(),
  line_index: bytes().notNull(),
});

/** A deleted or expired artifact keeps its row as a tombstone. */
export const artifacts = sqliteTable("artifacts", {
  pk: integer().primaryKey(),
  pointer: text().notNull(),
  session_pk: integer().notNull(),
  seq: integer(),
  digest: text().notNull(),
  name: text(),
  tool_name: text(),
  tool_call_id: text(),
  content_type: text().notNull(),
  size: integer().notNull(),
  line_count: integer(),
  width: integer(),
  height: integer(),
  saw: text().$type<"full" | "preview">().notNull(),
  offloaded_by: text(),
  created_at: integer().notNull(),
  expires_at: integer(),
  checksum: integer().notNull(),
  content_id: text(),
  turn: integer(),
  origin: text().$type<"imported" | "auto" | "manual" | "upload" | "migrated">().notNull(),
  description: text(),
  preview: text(),
  is_error: integer().notNull(),
  deleted_at: integer(),
  deleted_why: text(),
  load_tokens: integer(),
  load_origin: text().$type<"reported" | "counted" | "estimated">(),
  load_calls: integer(),
  load_usd: real(),
  load_version: integer(),
});

/** Names that a session bound to pointers; the last one holds. */
export const artifactNames = sqliteTable("artifact_names", {
  pk: integer().primaryKey(),
  session_pk: integer().notNull(),
  name: text().notNull(),
  pointer: text().notNull(),
  bound_at: integer().notNull(),
});

export const artifactReads = sqliteTable("artifact_reads", {
  pk: integer().primaryKey(),
  pointer: text().notNull(),
  at: integer().notNull(),
  who: text().notNull(),
  tool: text().notNull(),
  request: text().notNull(),
  bytes: integer().notNull(),
  is_error: integer().notNull(),
});

/** Pointers that a person deleted: an import of the same source does not bring them back. */
export const deletedPointers = sqliteTable("deleted_pointers", {
  pointer: text().primaryKey(),
  at: integer().notNull(),
  why: text().notNull(),
});

export const offloadDecisions = sqliteTable("offload_decisions", {
  pk: integer().primaryKey(),
  session_pk: integer().notNull(),
  seq: integer(),
  tool_call_id: text(),
  tool_name: text().notNull(),
  size: integer().notNull(),
  chars: integer(),
  threshold: integer(),
  gate: text().notNull(),
  action: text().$type<"artifact" | "drop" | "inline" | "truncate">().notNull(),
  status: text().$type<"failed" | "ok">().notNull(),
  pointer: text(),
  preset: text(),
  reason: text().notNull(),
  at: integer().notNull(),
});

/** Small blobs and registry lines whose files are not synced yet. */
export const journal = sqliteTable("journal", {
  n: integer().primaryKey(),
  lines: text().notNull(),
  blobs: text().notNull(),
  bytes: bytes().notNull(),
});
