// What a person set, by key; values are JSON.
import type { Connection } from "#db/connection.ts";
import { plucked } from "./statement-cache.ts";

/** The value of a setting, or null when it was never set. */
export function readSetting(archive: Connection, key: string): unknown {
  const text = plucked(archive.sqlite, "SELECT value FROM settings WHERE key = ?").get(key) as string | undefined;
  return text === undefined ? null : (JSON.parse(text) as unknown);
}

/** The write of a setting; null takes it back. */
export function putSetting(archive: Connection, key: string, value: unknown): void {
  if (value === null) archive.sqlite.prepare("DELETE FROM settings WHERE key = ?").run(key);
  else
    archive.sqlite
      .prepare("INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value")
      .run(key, JSON.stringify(value));
}
