import { command, select } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import { rowRange } from "../base/row-keys.ts";

/** True while the background pass has texts of this session to count. */
export function isCounting(archive: Archive, pk: number): boolean {
  const tokenizer = select(archive.sqlite, "sessions", ["model", "format"], "WHERE pk = ?").get(pk)!;
  const id = archive.host.tokenizers.idFor(tokenizer.model, tokenizer.format);
  if (id === null) return false;
  const waiting = command(
    archive.sqlite,
    `SELECT 1 FROM events e WHERE e.id BETWEEN ? AND ? AND e.digest IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM token_counts t WHERE t.digest = e.digest AND t.tokenizer = ?) LIMIT 1`,
  ).get(...rowRange(pk), id);
  return waiting !== undefined;
}
