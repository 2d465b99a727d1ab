// Instructions that every call carries: CLAUDE.md, AGENTS.md, memory of a folder. Summaries of compactions are not meant.
import { frameOf } from "../frame.ts";
import type { LedgerItem } from "../types.ts";
import { NARROWED } from "./outputs.ts";
import type { Detector, Suspect } from "./types.ts";

/** Twice what the advice is to keep: 2,000 tokens are 150 lines of instructions. */
const LEAST_TOKENS = 2 * NARROWED;
const NAMES = /\b(?:AGENTS|CLAUDE|GEMINI|MEMORY)(?:\.local)?\.md\b/i;

export const memoryFile: Detector = (session) =>
  frameOf(session).items.flatMap((item): Suspect[] => {
    if (item.seq === null || item.tokens < LEAST_TOKENS || !isMemory(item)) return [];
    return [
      {
        detector: "memory-file",
        seq: item.seq,
        seqs: [item.seq],
        label: item.label,
        toolName: null,
        from: item.from,
        last: item.to - 1,
        tokens: item.tokens,
        confidence: 0.6,
        lastUsed: null,
        fix: `Trim ${NAMES.exec(item.label)?.[0] ?? "this memory"} to what every turn needs`,
        cure: { do: "shrink", seqs: [item.seq], keep: NARROWED },
      },
    ];
  });

/** Codex puts AGENTS.md before the model in the user's name: its label says so. */
const isMemory = ({ kind, itemClass, label }: LedgerItem): boolean =>
  (kind === "memory" && itemClass !== "summary") || (kind === "user" && /^# AGENTS\.md\b/.test(label));
