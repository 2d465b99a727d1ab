// Checksums of the rows that projections of a log have. Those of calls are written when they are priced, and null until then.

export const CALL_COLUMNS =
  "session_pk, call, key, first_seq, model, ts, input_uncached, cache_read, cache_write, output, reasoning, output_lower_bound, has_usage, window, usd, priced, inherited, cache_write_1h, web_searches";

/** Without `pk`, a row number that three indexes hold too: SQLite's own check compares them. */
export const INTERACTION_COLUMNS =
  "session_pk, tool_call_id, tool_name, call_seq, result_seq, status, hosted, input_digest, started_at, ended_at, duration_ms, agent_id";

export const ROW_CHECKSUMS = `
ALTER TABLE model_calls ADD COLUMN checksum INTEGER;
ALTER TABLE tool_interactions ADD COLUMN checksum INTEGER;
UPDATE model_calls SET checksum = row_hash(${CALL_COLUMNS}) WHERE priced = 1 OR has_usage = 0;
UPDATE tool_interactions SET checksum = row_hash(${INTERACTION_COLUMNS});
`;
