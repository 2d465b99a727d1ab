// What a person set, by key; values are JSON.
import { command, scalar } from "#db/statement.ts";
import type { Connection } from "#db/connection.ts";

/** Share of the load line from which a person wants to be warned; 0.1 to 1. */
export const WARN_SETTING = "load.warnAt";

/** The value of a setting, or null when it was never set. */
export function readSetting(archive: Connection, key: string): unknown {
  const text = settingText(archive, key);
  return text === null ? null : (JSON.parse(text) as unknown);
}

/** The same as it is stored. */
export const settingText = ({ sqlite }: Connection, key: string): string | null =>
  scalar(sqlite, "settings.value", "FROM settings WHERE key = ?").get(key) ?? null;

/** The write of a setting; null takes it back. */
export function putSetting(archive: Connection, key: string, value: unknown): void {
  if (value === null) command(archive.sqlite, "DELETE FROM settings WHERE key = ?").run(key);
  else
    command(
      archive.sqlite,
      "INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    ).run(key, JSON.stringify(value));
}
