// A source was read to its end, and the observed windows were not worked out since: an import may be killed between the
// two, and the next finds no file that changed.
import { command } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import { putSetting, readSetting } from "../base/setting-rows.ts";

const STALE = "windows.stale";

/** For the transaction in which the end of a source is reached. */
export function markObservedStale(archive: Archive): void {
  command(archive.sqlite, "INSERT OR IGNORE INTO settings (key, value) VALUES (?, 'true')").run(STALE);
}

export const isObservedStale = (archive: Archive): boolean => readSetting(archive, STALE) === true;

export const clearObservedStale = (archive: Archive): void => putSetting(archive, STALE, null);
