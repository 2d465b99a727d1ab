import { command } from "#db/statement.ts";
import type { Archive } from "./archive-type.ts";
import { SEARCH_RANGE } from "./row-keys.ts";

/** Deletes the events between two rows, and their words from the search index. */
export function dropEvents({ sqlite }: Archive, range: readonly [first: number, last: number]): void {
  const { changes } = command(sqlite, "DELETE FROM events WHERE id BETWEEN ? AND ?").run(...range);
  // Of events that are gone the index has nothing: to ask it writes what it holds back, 2 ms.
  if (changes > 0) command(sqlite, `DELETE FROM search WHERE ${SEARCH_RANGE}`).run(...range);
}
