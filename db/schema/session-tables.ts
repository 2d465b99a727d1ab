// What is read from session files: the log of each session, and the views of it that are stored.
import type { EventType } from "#lib/kernel/event.ts";
import type { SessionState } from "#lib/kernel/load/compaction-state.ts";
import type { WeighingCategory } from "#lib/kernel/load/weigh.ts";
import { blob, integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

const bytes = () => blob({ mode: "buffer" });

export const sessions = sqliteTable("sessions", {
  pk: integer().primaryKey(),
  id: text().notNull(),
  native_id: text().notNull(),
  format: text().notNull(),
  source_pk: integer(),
  lane: text().notNull(),
  relation: text().notNull(),
  parent_native: text(),
  parent_pk: integer(),
  parent_tool_call_id: text(),
  parent_tool_call_seq: integer(),
  title: text().notNull(),
  title_rank: integer().notNull(),
  agent_name: text(),
  agent_version: text(),
  model: text(),
  cwd: text(),
  branch: text(),
  started_at: integer(),
  ended_at: integer(),
  written_at: integer(),
  demo: integer().notNull(),
  next_seq: integer().notNull(),
  next_call: integer().notNull(),
  turn: integer().notNull(),
  records: integer().notNull(),
  keyed_records: integer().notNull(),
  calls: integer().notNull(),
  compactions: integer().notNull(),
  artifacts: integer().notNull(),
  peak_tokens: integer(),
  peak_call: integer(),
  window: integer(),
  load_line: integer(),
  peak_share: real(),
  usd: real(),
  tally: text().notNull(),
  card: text(),
  version: integer().notNull(),
  held: integer().notNull(),
  policy: text(),
  closed_turns: text().notNull(),
  culprit: text(),
  avoidable_usd: real(),
  avoidable_tokens: integer(),
  judged_version: integer(),
  earlier: integer(),
  automatic: integer().notNull(),
  state: text().$type<SessionState>(),
  findings_version: integer(),
  rules_version: integer().notNull(),
});

/** Culprits with the fingerprint that they share with those of other sessions. */
export const sessionFindings = sqliteTable("session_findings", {
  session_pk: integer().notNull(),
  n: integer().notNull(),
  fingerprint: text().notNull(),
  detector: text().notNull(),
  label: text().notNull(),
  fix: text().notNull(),
  seq: integer(),
  at: integer(),
  tokens: integer().notNull(),
  usd: real(),
  /** 1: the true sum is more. */
  partial: integer().notNull(),
  first_at: integer(),
  seen_at: integer(),
  times: integer().notNull(),
  saved_from: integer(),
  /** JSON: dollars by quarter of an hour, where it is more than one. */
  saved: text(),
});

/** Parts of the base that can be turned off, and how often each was used. */
export const sessionCarried = sqliteTable("session_carried", {
  session_pk: integer().notNull(),
  kind: text().notNull(),
  name: text().notNull(),
  tokens: integer().notNull(),
  sent: integer().notNull(),
  usd: real(),
  uses: integer(),
  at: integer(),
});

/** What a person did about a finding. */
export const findingMarks = sqliteTable("finding_marks", {
  fingerprint: text().primaryKey(),
  muted_at: integer(),
  done_at: integer(),
});

/** The log. `id` is `session_pk * 2^32 + seq`; `body` is the event's JSON. */
export const events = sqliteTable("events", {
  id: integer().primaryKey(),
  type: text().$type<EventType>().notNull(),
  ts: integer(),
  turn: integer().notNull(),
  call: integer(),
  tool_call_id: text(),
  tool_name: text(),
  record_key: bytes(),
  keyed: integer().notNull(),
  bytes: integer().notNull(),
  digest: bytes(),
  artifact: text(),
  category: text().$type<WeighingCategory>(),
  label: text().notNull(),
  extra_tokens: integer().notNull(),
  starts_turn: integer().notNull(),
  synthetic: integer().notNull(),
  inherited: integer().notNull(),
  byte_start: integer().notNull(),
  byte_end: integer().notNull(),
  body: text().notNull(),
  checksum: integer().notNull(),
});

/** Checksums are written when a call is priced, and null until then. */
export const modelCalls = sqliteTable("model_calls", {
  session_pk: integer().notNull(),
  call: integer().notNull(),
  key: text().notNull(),
  first_seq: integer().notNull(),
  model: text(),
  ts: integer(),
  input_uncached: integer().notNull(),
  cache_read: integer().notNull(),
  cache_write: integer().notNull(),
  output: integer().notNull(),
  reasoning: integer().notNull(),
  output_lower_bound: integer().notNull(),
  has_usage: integer().notNull(),
  window: integer(),
  usd: real(),
  priced: integer().notNull(),
  inherited: integer().notNull(),
  cache_write_1h: integer().notNull(),
  web_searches: integer().notNull(),
  checksum: integer(),
});

/** A tool call with its result. */
export const toolInteractions = sqliteTable("tool_interactions", {
  pk: integer().primaryKey(),
  session_pk: integer().notNull(),
  tool_call_id: text(),
  tool_name: text().notNull(),
  call_seq: integer(),
  result_seq: integer(),
  status: text().$type<"error" | "orphan" | "pending" | "success">().notNull(),
  hosted: integer().notNull(),
  input_digest: bytes(),
  started_at: integer(),
  ended_at: integer(),
  duration_ms: integer(),
  agent_id: text(),
  checksum: integer(),
});

/** Counts by digest: the same text is counted once, in whatever session it is. */
export const tokenCounts = sqliteTable("token_counts", {
  digest: bytes().notNull(),
  tokenizer: text().notNull(),
  tokens: integer().notNull(),
});

/** How many records a session shares with another. */
export const lineage = sqliteTable("lineage", {
  session_pk: integer().notNull(),
  other_pk: integer().notNull(),
  records: integer().notNull(),
});

/** Sessions that go on in a file that Plimsoll wrote: the old one and the new one by format and native id. */
export const continuations = sqliteTable("continuations", {
  pk: integer().primaryKey(),
  id: text().notNull(),
  origin: text().notNull(),
  native_id: text().notNull(),
  path: text().notNull(),
  size: integer().notNull(),
  digest: text().notNull(),
  mode: text().$type<"fork" | "summary">().notNull(),
  at_seq: integer().notNull(),
  tokens_now: integer().notNull(),
  tokens_next: integer().notNull(),
  resume: text().notNull(),
  written_at: integer().notNull(),
  taken_back_at: integer(),
});
