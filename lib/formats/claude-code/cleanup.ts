// When Claude Code deletes a transcript: at its start, once the file was not written for `cleanupPeriodDays`. Version 2.1.330
// takes whole numbers from 1; with any other value it says that its settings are wrong, and what it does then is not known.
import type { CleanupBySetting } from "#lib/kernel/cleanup-rules.ts";
import { isObject } from "../json.ts";

const SETTING = "cleanupPeriodDays";
const DEFAULT = { days: 30, isDefault: true } as const;

export const claudeCleanup: CleanupBySetting = {
  setting: SETTING,
  folder: (path) => /^(.*[\\/]projects)[\\/][^\\/]+[\\/].+$/.exec(path)?.[1] ?? null,
  settings: (folder) => folder.replace(/projects$/, "settings.json"),
  read(settings) {
    if (settings === null) return DEFAULT;
    let value: unknown;
    try {
      value = JSON.parse(settings);
    } catch {
      return "unknown";
    }
    if (!isObject(value)) return "unknown";
    const days = value[SETTING];
    if (days === undefined) return DEFAULT;
    return typeof days === "number" && Number.isSafeInteger(days) && days > 0 ? { days, isDefault: false } : "unknown";
  },
};
