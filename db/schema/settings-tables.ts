// What a person set or saved, and the sums that tell a damaged row.
import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const settings = sqliteTable("settings", {
  key: text().primaryKey(),
  value: text().notNull(),
});

export const tokens = sqliteTable("tokens", {
  id: text().primaryKey(),
  name: text().notNull(),
  hash: text().notNull(),
  scope: text().$type<"admin" | "read" | "telemetry" | "write">().notNull(),
  session: text(),
  created_at: integer().notNull(),
  expires_at: integer(),
  revoked_at: integer(),
  used_at: integer(),
});

/** Programs and patterns that people saved; without a name: one too long for an address. */
export const playgroundPrograms = sqliteTable("playground_programs", {
  pk: integer().primaryKey(),
  id: text().notNull(),
  kind: text().$type<"grep" | "jq">().notNull(),
  name: text(),
  program: text().notNull(),
  options: text().notNull(),
  fits: text().notNull(),
  created_at: integer().notNull(),
});

export const playgroundRuns = sqliteTable("playground_runs", {
  pk: integer().primaryKey(),
  id: text().notNull(),
  kind: text().$type<"grep" | "jq">().notNull(),
  program: text().notNull(),
  options: text().notNull(),
  artifacts: text().notNull(),
  pasted: integer().notNull(),
  results: integer(),
  ms: real(),
  failure: text().$type<
    "compile" | "runtime" | "timeout" | "memory" | "too_large" | "unsupported" | "busy" | "pattern" | "option"
  >(),
  at: integer().notNull(),
});

/** Answers to writes that were sent with an Idempotency-Key. */
export const idempotencyKeys = sqliteTable("idempotency_keys", {
  pk: integer().primaryKey(),
  principal: text().notNull(),
  key: text().notNull(),
  fingerprint: text().notNull(),
  status: integer().notNull(),
  answer: text(),
  at: integer().notNull(),
});

/** Addresses that a person chose to be told at. */
export const webhooks = sqliteTable("webhooks", {
  pk: integer().primaryKey(),
  id: text().notNull(),
  name: text().notNull(),
  url: text().notNull(),
  secret: text().notNull(),
  kinds: text().notNull(),
  titles: integer().notNull(),
  enabled: integer().notNull(),
  created_at: integer().notNull(),
});

/** Messages to webhooks: those that wait, and the last that were sent. */
export const webhookDeliveries = sqliteTable("webhook_deliveries", {
  pk: integer().primaryKey(),
  webhook_pk: integer().notNull(),
  message: text().notNull(),
  type: text().notNull(),
  session: text(),
  payload: text().notNull(),
  state: text().$type<"delivered" | "failed" | "waiting">().notNull(),
  attempts: integer().notNull(),
  next_at: integer().notNull(),
  status: integer(),
  error: text(),
  created_at: integer().notNull(),
  sent_at: integer(),
});

/** Sums of the rows of a table and session, kept by triggers (row-sums.ts). */
export const rowSums = sqliteTable("row_sums", {
  tbl: text().notNull(),
  grp: integer().notNull(),
  sum: integer().notNull(),
});

/** Labels, stars and notes on sessions and events. */
export const marks = sqliteTable("marks", {
  pk: integer().primaryKey(),
  session_pk: integer().notNull(),
  seq: integer().notNull(),
  kind: text().$type<"label" | "note" | "star">().notNull(),
  value: text().notNull(),
  anchor: text(),
  at: integer().notNull(),
});

export const savedSearches = sqliteTable("saved_searches", {
  pk: integer().primaryKey(),
  name: text().notNull(),
  query: text().notNull(),
  created_at: integer().notNull(),
});
