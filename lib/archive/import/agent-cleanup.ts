// What agents delete by themselves, and when: read from their own settings, each time it is asked for.
import { existsSync, readFileSync, statSync } from "node:fs";
import { query } from "#db/statement.ts";
import { FORMATS } from "#lib/formats/index.ts";
import type { CleanupBySetting, CleanupDays } from "#lib/kernel/cleanup-rules.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Deletion } from "#lib/wire/sources-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { iso } from "../base/iso.ts";

export const DAY_MS = 86_400_000;

type File = {
  readonly path: string;
  readonly format: string | null;
  readonly status: string | null;
  readonly mtimeMs: number | null;
};

/** Says when its agent deletes a file; null for one that no agent deletes, or that is gone. Settings are read once. */
export function deletions(): (file: File) => Deletion | null {
  const rules = new Map<string, CleanupDays | "never" | "unknown">();
  return ({ path, format, status, mtimeMs }) => {
    if (status !== "ok" && status !== "older copy") return null;
    const cleanup = FORMATS.find(({ id }) => id === format)?.cleanup;
    if (cleanup === undefined) return null;
    if (typeof cleanup === "string") return { when: cleanup, at: null, days: null, setting: null, settingsFile: null };
    const folder = cleanup.folder(path);
    if (folder === null) return null;
    const rule = rules.get(folder) ?? readRule(cleanup, folder);
    rules.set(folder, rule);
    const { setting } = cleanup;
    const settingsFile = cleanup.settings(folder);
    if (typeof rule === "string") return { when: rule, at: null, days: null, setting, settingsFile };
    const at = iso(Math.round((mtimeMs ?? 0) + rule.days * DAY_MS));
    return { when: rule.isDefault ? "default" : "setting", at, days: rule.days, setting, settingsFile };
  };
}

/** Folders in which agents delete, and after how many milliseconds: for `deletedAtSql`. */
export function cleanupFolders(archive: Archive): string {
  const rows: { format: string; prefix: string; ms: number }[] = [];
  for (const { id, cleanup } of FORMATS) {
    if (cleanup === undefined || typeof cleanup === "string") continue;
    const paths = query(
      archive.sqlite,
      { path: "sources.path" },
      "FROM sources WHERE format = ? AND status IN ('ok', 'older copy')",
    ).all(id);
    const folders = new Set(paths.flatMap(({ path }) => cleanup.folder(path) ?? []));
    for (const folder of folders) {
      const rule = readRule(cleanup, folder);
      // A path goes on behind its folder with a separator of either kind.
      if (typeof rule !== "string") rows.push({ format: id, prefix: folder, ms: rule.days * DAY_MS });
    }
  }
  return JSON.stringify(rows);
}

/** SQL for the time at which a source's file is deleted, null where it is not; `folders` is an SQL value of `cleanupFolders`. */
export const deletedAtSql = (source: string, folders: string): string =>
  `(SELECT ${source}.mtime_ms + (r.value ->> 'ms') FROM json_each(${folders}) r
     WHERE ${source}.status IN ('ok', 'older copy') AND ${source}.format = r.value ->> 'format'
       AND substr(${source}.path, 1, length(r.value ->> 'prefix')) = r.value ->> 'prefix'
       AND substr(${source}.path, length(r.value ->> 'prefix') + 1, 1) IN ('/', '\\') ORDER BY 1 LIMIT 1)`;

function readRule(cleanup: CleanupBySetting, folder: string): CleanupDays | "never" | "unknown" {
  const path = cleanup.settings(folder);
  try {
    if (!existsSync(path)) return cleanup.read(null);
    const stat = statSync(path);
    if (!stat.isFile() || stat.size > LIMITS.sidecarBytes) return "unknown";
    return cleanup.read(readFileSync(path, "utf8"));
  } catch {
    // It may not be read, or went away between the two.
    return "unknown";
  }
}
