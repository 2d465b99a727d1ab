// Answers of the memory's door, for tests of what the pages make of them.
import type { CompactionRow, MemoryAnswer, MemoryItemRow } from "#lib/wire/memory-schema.ts";

export const itemFixture = (part: Partial<MemoryItemRow> = {}): MemoryItemRow => ({
  id: "i1",
  kind: "episodic",
  text: "The pump was mended",
  category: null,
  salience: 1,
  confidence: null,
  tags: [],
  turns: [1],
  seqs: [2],
  pinned: false,
  madeBy: "compaction",
  compactionId: "c1",
  createdAt: "2026-01-15T10:00:00.000Z",
  changedAt: "2026-01-15T10:00:00.000Z",
  deletedAt: null,
  ...part,
});

export const compactionFixture = (part: Partial<CompactionRow> = {}): CompactionRow => ({
  id: "c1",
  kind: "applied",
  status: "complete",
  trigger: "manual",
  at: 60,
  events: [1, 40],
  turns: [1, 2],
  tokensBefore: 1000,
  tokensAfter: 400,
  summary: "Pumps.",
  summarizer: "extractive",
  reason: null,
  startedAt: "2026-01-15T10:00:00.000Z",
  undoneAt: null,
  ...part,
});

export const memoryFixture = (part: Partial<MemoryAnswer> = {}): MemoryAnswer => ({
  sessionId: "s_1",
  held: true,
  epochs: [],
  compactions: [],
  items: [],
  recalls: [],
  version: "1",
  ...part,
});
