// Answers of the compaction's door, for tests of what the page makes of them.
import type { LoadCall } from "#lib/wire/load-schema.ts";
import type { CompactAnswer } from "#lib/wire/memory-schema.ts";
import type { Part } from "./compact-view.ts";

export const partFixture = (seq: number, tokens: number, kind = "tool_result", label = `Read ${seq}.ts`): Part => ({
  seq,
  kind,
  label,
  tokens,
});

const none = { kept: 0, total: 0 };

export const compactFixture = (part: Partial<CompactAnswer> = {}): CompactAnswer => ({
  status: "planned",
  id: null,
  kind: "applied",
  unit: "turn",
  turns: [1, 2],
  events: [1, 20],
  at: 40,
  summarizer: "extractive",
  tokensBefore: 1000,
  tokensAfter: 400,
  origin: "counted",
  summary: "",
  lines: [],
  episodic: [],
  semantic: [],
  snapshot: [],
  kept: { files: none, commands: none, errors: none, userMessages: none, decisions: none },
  whole: [],
  summarised: [],
  dropped: [],
  reason: null,
  draft: null,
  ms: 12,
  ...part,
});

export const callFixture = (part: Partial<LoadCall> = {}): LoadCall => ({
  call: 3,
  seq: 30,
  ts: null,
  turn: 3,
  epoch: 1,
  model: null,
  prompt: 1500,
  origin: "reported",
  uncached: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  webSearches: 0,
  output: 0,
  outputLowerBound: false,
  inherited: false,
  stack: [0, 0, 0, 0, 0, 0, 0, 0],
  estimated: [0, 0, 0, 0, 0, 0, 0, 0],
  entered: [],
  cacheBreak: false,
  ...part,
});
