// What outlives an epoch, and every compaction with what it kept and cut.
import type { CompactionTrigger } from "#lib/kernel/memory/memory-types.ts";
import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

type MadeBy = "agent" | "compaction" | "person" | "summary";

/** `kind` applied: the log has it. plan: it is kept beside the log. */
export const compactions = sqliteTable("compactions", {
  pk: integer().primaryKey(),
  id: text().notNull(),
  session_pk: integer().notNull(),
  kind: text().$type<"applied" | "plan">().notNull(),
  status: text().$type<"complete" | "failed" | "nothing_to_compact" | "planned" | "undone">().notNull(),
  trigger: text().notNull(),
  unit: text().$type<"block" | "turn">(),
  at_seq: integer().notNull(),
  from_seq: integer(),
  to_seq: integer(),
  turns: text().notNull(),
  seqs: text().notNull(),
  options: text().notNull(),
  summarizer: text().notNull(),
  tokens_before: integer(),
  tokens_after: integer(),
  origin: text().$type<"counted" | "estimated" | "reported">(),
  epoch_before: integer().notNull(),
  epoch_after: integer(),
  summary: text().notNull(),
  lines: text().notNull(),
  kept: text().notNull(),
  dropped: text().notNull(),
  reason: text(),
  event_seq: integer(),
  undo_seq: integer(),
  started_at: integer().notNull(),
  ended_at: integer(),
  undone_at: integer(),
});

/** Automatic compaction of a session that Plimsoll holds: a row outlives the process of an agent's turn. */
export const heldCompaction = sqliteTable("held_compaction", {
  session_pk: integer().primaryKey(),
  settings: text(),
  required: text().$type<CompactionTrigger>(),
  requested_at: integer(),
  prompt_tokens: integer(),
  last: text(),
});

/** What every item has; `given`: as its agent gave it. */
const item = {
  pk: integer().primaryKey(),
  id: text().notNull(),
  session_pk: integer().notNull(),
  compaction_pk: integer(),
  turns: text().notNull(),
  seqs: text().notNull(),
  salience: real().notNull(),
  tags: text().notNull(),
  pinned: integer().notNull(),
  made_by: text().$type<MadeBy>().notNull(),
  given: text(),
  created_at: integer().notNull(),
  changed_at: integer().notNull(),
  deleted_at: integer(),
};

export const episodicItems = sqliteTable("episodic_items", { ...item, summary: text().notNull() });

export const semanticItems = sqliteTable("semantic_items", {
  ...item,
  fact: text().notNull(),
  category: text(),
  confidence: real(),
});

/** What an item was before each change. */
export const memoryChanges = sqliteTable("memory_changes", {
  pk: integer().primaryKey(),
  item_id: text().notNull(),
  session_pk: integer().notNull(),
  did: text().notNull(),
  before: text(),
  changed_by: text().notNull(),
  at: integer().notNull(),
});

/** The context that each epoch began with. */
export const snapshots = sqliteTable("snapshots", {
  session_pk: integer().notNull(),
  epoch: integer().notNull(),
  compaction_pk: integer(),
  messages: text().notNull(),
  about: text(),
  created_at: integer().notNull(),
});

/** What the event of a raw trace does not say, so that the trace can be given back as it was. */
export const eventTraces = sqliteTable("event_traces", {
  session_pk: integer().notNull(),
  seq: integer().notNull(),
  key: text().notNull(),
  turn_id: text(),
  part: text(),
  trace: text().notNull(),
});

/** Memory folders of agents that a person attached. */
export const attached = sqliteTable("attached", {
  session_pk: integer().primaryKey(),
  path: text().notNull(),
  generation: integer().$type<1 | 2>(),
  fingerprint: text().notNull(),
  refuses: text(),
  attached_at: integer().notNull(),
  read_at: integer().notNull(),
});

export const recallRuns = sqliteTable("recall_runs", {
  pk: integer().primaryKey(),
  session_pk: integer().notNull(),
  turn: integer(),
  at_seq: integer(),
  query: text().notNull(),
  budget: text().notNull(),
  items: text().notNull(),
  chars: integer().notNull(),
  omitted: integer().notNull(),
  created_at: integer().notNull(),
});
