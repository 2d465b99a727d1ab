// The usage of a model call as its row holds it.

type UsageRow = {
  readonly input_uncached: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly cache_write_1h: number;
  readonly output: number;
  readonly reasoning: number;
  readonly web_searches: number;
};

export const usageOfRow = (row: UsageRow) => ({
  inputUncached: row.input_uncached,
  cacheRead: row.cache_read,
  cacheWrite: row.cache_write,
  cacheWrite1h: row.cache_write_1h,
  output: row.output,
  reasoning: row.reasoning,
  webSearches: row.web_searches,
});
