// Instructions that every call carries: CLAUDE.md, AGENTS.md, memory of a folder. Summaries of compactions are not meant.
import { memoryLabel } from "../base.ts";
import { frameOf } from "../prompt-frame.ts";
import type { LedgerItem } from "../ledger-types.ts";
import { NARROWED } from "./outputs.ts";
import type { Detector, Suspect } from "./culprit-types.ts";

/** Twice what the advice is to keep: 2,000 tokens are 150 lines of instructions. */
const LEAST_TOKENS = 2 * NARROWED;
const NAMES = /\b(?:AGENTS|CLAUDE|GEMINI|MEMORY)(?:\.local)?\.md\b/i;

export const memoryFile: Detector = (session) => {
  const items = frameOf(session).items.filter(
    (item) => item.seq !== null && item.tokens >= LEAST_TOKENS && isMemory(item),
  );
  // It comes again with each epoch: one file, one culprit.
  return [...Map.groupBy(items, nameOf)].map(([label, copies]): Suspect => {
    const seqs = copies.map(({ seq }) => seq!);
    const largest = copies.reduce((most, one) => (one.tokens > most.tokens ? one : most));
    return {
      detector: "memory-file",
      seq: largest.seq,
      seqs,
      label,
      toolName: null,
      from: copies[0]!.from,
      last: Math.max(...copies.map(({ to }) => to - 1)),
      tokens: largest.tokens,
      confidence: 0.6,
      lastUsed: null,
      fix: `Trim ${NAMES.exec(label)?.[0] ?? "this memory"} to what every turn needs`,
      cure: { do: "shrink", seqs, keep: NARROWED },
    };
  });
};

const nameOf = ({ label }: LedgerItem): string =>
  /^# /.test(label)
    ? (NAMES.exec(label)?.[0] ?? label)
    : /^(?:instructions|nested_memory) \S*\.md /.test(label)
      ? memoryLabel(label)
      : label;

/** Codex puts AGENTS.md before the model in the user's name: its label says so. */
const isMemory = ({ kind, itemClass, label }: LedgerItem): boolean =>
  (kind === "memory" && itemClass !== "summary") || (kind === "user" && /^# AGENTS\.md\b/.test(label));
