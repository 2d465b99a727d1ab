// One recall, from question to block, and its record: which items an agent was reminded of, at which turn.
import { RECALL_DEFAULTS, type RecallConfig, type RecallEntry } from "../../artifacts/recall.ts";
import { recallBlock, type RecallBlock } from "./recall-block.ts";
import type { KnownDoc, RankedDoc, RecallIndex } from "./recall-index.ts";

export type RecallInput = {
  /** What the agent is about to do, in its own words and its user's. */
  readonly query: string;
  readonly turn: number | null;
  /** The event that it is asked at; null: now. */
  readonly at: number | null;
  /** Only what came before this position is recalled; absent: before `at`. */
  readonly before?: number;
  readonly budget?: Partial<RecallConfig>;
  /** Words that no beginning has, and the artifacts whose text has them further on. */
  readonly deep?: ReadonlyMap<string, readonly string[]>;
  /** True for artifacts that the context shows already. */
  readonly isShown?: (doc: KnownDoc) => boolean;
};

export type RecallItem = {
  readonly artifactId: string;
  readonly pointer: string;
  readonly score: number;
  /** Its name and what it says, in one line; absent in runs that an older version kept. */
  readonly summary?: string;
};

/** What is kept of every recall, one that found nothing too. */
export type RecallRun = {
  readonly turn: number | null;
  readonly at: number | null;
  readonly query: string;
  readonly budget: Omit<RecallConfig, "enabled">;
  readonly items: readonly RecallItem[];
  readonly chars: number;
  readonly omitted: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
};

export type Recalled = {
  readonly block: RecallBlock | null;
  readonly entries: readonly (RecallEntry & { readonly score: number })[];
  readonly run: RecallRun;
};

/** Candidates that are looked at beyond those that fit: some may be gone. */
const SPARE = 200;

/** Characters of a question that are kept. */
const QUERY_CHARS = 4000;

/**
 * Ranks, takes as many as the budget allows, and writes the block. `entryOf` tells what is shown of an artifact, or null
 * when it is not there any more: the next one takes its place.
 */
export function recall(
  index: RecallIndex,
  input: RecallInput,
  entryOf: (doc: KnownDoc) => RecallEntry | null,
  now: number,
): Recalled {
  const { enabled, ...budget } = { ...RECALL_DEFAULTS, ...input.budget };
  const { ranked, candidates: known } = enabled
    ? index.rank({
        query: input.query,
        before: input.before ?? input.at ?? Infinity,
        ...(input.isShown !== undefined && { skip: input.isShown }),
        ...(input.deep !== undefined && { deep: input.deep }),
        limit: budget.maxItems * 2 + SPARE,
      })
    : { ranked: [], candidates: 0 };
  const { entries, gone } = firstEntries(ranked, budget.maxItems, entryOf);
  const candidates = known - gone;
  const block = recallBlock(entries, budget, candidates);
  const items = entries.slice(0, block?.items.length ?? 0);
  return {
    block,
    entries: items,
    run: {
      turn: input.turn,
      at: input.at,
      query: input.query.slice(0, QUERY_CHARS).toWellFormed(),
      budget,
      items: items.map(({ artifactId, pointer, score, summary }) => ({ artifactId, pointer, score, summary })),
      chars: block?.chars ?? 0,
      omitted: candidates - items.length,
      createdAt: now,
    },
  };
}

function firstEntries(
  ranked: readonly RankedDoc[],
  count: number,
  entryOf: (doc: KnownDoc) => RecallEntry | null,
): { entries: (RecallEntry & { score: number })[]; gone: number } {
  const entries: (RecallEntry & { score: number })[] = [];
  const seen = new Set<string>();
  let gone = 0;
  for (const { doc, score } of ranked) {
    if (entries.length >= count) break;
    // The same bytes stored twice have one id: they are told once.
    const entry = seen.has(doc.artifactId) ? null : entryOf(doc);
    if (entry === null) gone++;
    else {
      seen.add(doc.artifactId);
      entries.push({ ...entry, score: Number(score.toFixed(5)) });
    }
  }
  return { entries, gone };
}
