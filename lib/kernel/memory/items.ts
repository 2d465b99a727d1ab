// Names and records of what memory keeps. Ids begin as the design's do and are unique: a millisecond alone is not.
import type { EpisodicItem, MemoryHost, SemanticItem, SummarizedFact, SummarizerResult } from "./memory-types.ts";

/** `rt_<ms>_<8 hex>` */
export const traceId = (host: MemoryHost, ms: number): string => `rt_${ms}_${hex(host, 8)}`;

const hex = (host: MemoryHost, digits: number): string =>
  host
    .newId()
    .replace(/[^0-9a-f]/gi, "")
    .slice(0, digits);

export function episodicOf(
  made: Pick<SummarizerResult, "summary" | "salience" | "tags">,
  turnIds: readonly string[],
  runId: string,
  host: MemoryHost,
  before: readonly EpisodicItem[],
): EpisodicItem {
  const ms = host.now();
  const input = `ep_${ms}_${hex(host, 4)}`;
  const taken = new Set(before.map(({ id }) => id));
  return {
    id: taken.has(input) ? `ep_${ms}_${hex(host, 12)}` : input,
    ts: ms / 1000,
    turnIds: [...turnIds],
    summary: made.summary,
    salience: made.salience ?? 0,
    ...(made.tags !== undefined && made.tags.length > 0 && { tags: made.tags }),
    runId,
  };
}

export function semanticOf(
  facts: readonly SummarizedFact[],
  runId: string,
  host: MemoryHost,
  before: readonly SemanticItem[],
): SemanticItem[] {
  const ms = host.now();
  // Two compactions of one millisecond go on counting.
  const taken = new Set(before.map(({ id }) => id));
  let n = 0;
  return facts.map(({ fact, category, tags, confidence, salience }) => {
    let id = `sem_${ms}_${++n}`;
    while (taken.has(id)) id = `sem_${ms}_${++n}`;
    return {
      id,
      ts: ms / 1000,
      fact,
      salience: salience ?? 0,
      ...(category !== undefined && { category }),
      ...(tags !== undefined && tags.length > 0 && { tags }),
      ...(confidence !== undefined && { confidence }),
      runId,
    };
  });
}
