// The count of changes that a new session begins with. Answers are remembered by a session's row and this count, in this process and
// in browsers; the row of a session that was taken out may be given to another one, whose count must be one that it never had.
import { command, scalar } from "#db/statement.ts";
import type { Connection } from "#db/connection.ts";

const SETTING = "sessions.lastVersion";

/** SQL: above the counts of all sessions that were taken out. */
export const FIRST_VERSION = `coalesce((SELECT CAST(value AS INTEGER) + 1 FROM settings WHERE key = '${SETTING}'), 0)`;

/** Part of taking out a session. */
export function keepVersion({ sqlite }: Connection, pk: number): void {
  const version = scalar(sqlite, "sessions.version", "FROM sessions WHERE pk = ?").get(pk);
  if (version !== undefined)
    command(
      sqlite,
      `INSERT INTO settings (key, value) VALUES ('${SETTING}', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value
         WHERE CAST(value AS INTEGER) < CAST(excluded.value AS INTEGER)`,
    ).run(String(version));
}
