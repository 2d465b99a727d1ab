// What the tests of the ledger share: calls and events made by hand.
import type { ItemClass, LedgerCallInput, WeighedEvent } from "./ledger-types.ts";
import type { WeighingCategory } from "./weigh.ts";

/** A call whose provider reported this prompt, `cacheRead` of it from its cache; its output is a lower bound. */
export const answered = (
  call: number,
  firstSeq: number,
  prompt: number | null,
  cacheRead = 0,
  more: Partial<LedgerCallInput> = {},
): LedgerCallInput => ({
  call,
  firstSeq,
  model: "claude-opus-4-6",
  ts: call * 10_000,
  uncached: prompt === null ? 0 : Math.min(2, prompt - cacheRead),
  cacheRead: prompt === null ? 0 : cacheRead,
  cacheWrite: prompt === null ? 0 : Math.max(0, prompt - cacheRead - 2),
  cacheWrite1h: 0,
  output: 1,
  reasoning: 0,
  webSearches: 0,
  inherited: false,
  outputLowerBound: true,
  hasUsage: prompt !== null,
  ...more,
});

const CLASSES: Readonly<Record<WeighingCategory, ItemClass>> = {
  prefix: "listing",
  memory: "summary",
  result: "result",
  call: "call",
  reasoning: "reasoning",
  assistant: "assistant",
  user: "user",
};

/** An event of a category whose text has so many counted tokens. */
export const event = (
  seq: number,
  category: WeighingCategory,
  textTokens: number,
  more: Partial<WeighedEvent> = {},
): WeighedEvent => ({
  seq,
  category,
  itemClass: CLASSES[category],
  toolName: null,
  label: `item ${seq}`,
  textTokens,
  bytes: textTokens * 4,
  isCounted: true,
  signatureChars: 0,
  imageTokens: 0,
  call: null,
  startsTurn: category === "user",
  ...more,
});
