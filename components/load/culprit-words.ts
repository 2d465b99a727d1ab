// Detectors in a reader's words.
import type { CulpritRow } from "#lib/wire/ledger-schema.ts";

export const DETECTOR_WORDS: Record<CulpritRow["detector"], string> = {
  "oversized-output": "Oversized output",
  "stale-result": "Stale result",
  "re-read": "Read again",
  "fan-out": "Many of one tool",
  "unused-schemas": "Unused tool schemas",
  "memory-file": "Memory file",
  reasoning: "Reasoning kept",
  "cache-break": "Cache lost",
  "compaction-thrash": "Compacted over and over",
  "retry-loop": "Same failure again",
};

/** How sure it is that this was waste. */
export function confidenceWords(confidence: number): string {
  if (confidence >= 0.95) return "certain";
  if (confidence >= 0.75) return "likely";
  return confidence >= 0.5 ? "probable" : "possible";
}
