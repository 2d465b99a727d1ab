// What a person set, by key; values are JSON.
import type { Archive } from "./archive.ts";
import { plucked } from "./import/prepared.ts";

/** The value of a setting, or null when it was never set. */
export function readSetting(archive: Archive, key: string): unknown {
  const text = settingText(archive, key);
  return text === null ? null : (JSON.parse(text) as unknown);
}

/** The same as it is kept, in JSON. */
export const settingText = (archive: Archive, key: string): string | null =>
  (plucked(archive.sqlite, "SELECT value FROM settings WHERE key = ?").get(key) as string | undefined) ?? null;

/** The write of a setting; null takes it back. */
export function putSetting(archive: Archive, key: string, value: unknown): void {
  if (value === null) archive.sqlite.prepare("DELETE FROM settings WHERE key = ?").run(key);
  else
    archive.sqlite
      .prepare("INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value")
      .run(key, JSON.stringify(value));
}
