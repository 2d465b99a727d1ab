// When Gemini CLI deletes a chat: at its start, once the chat is older than `general.sessionRetention.maxAge`. Version 0.61.0 takes a number
// of hours, days, weeks or months of 30 days, at least one day; without a setting 30 days. A chat that is empty, or that was begun anew when it
// was resumed in a later minute, goes at once.
import type { CleanupBySetting } from "#lib/kernel/cleanup-rules.ts";
import { asObject, isObject } from "../json.ts";

const DEFAULT = { days: 30, isDefault: true } as const;
const DAYS: Readonly<Record<string, number>> = { h: 1 / 24, d: 1, w: 7, m: 30 };

export const geminiCleanup: CleanupBySetting = {
  setting: "general.sessionRetention.maxAge",
  folder: (path) => /^(.*[\\/]\.gemini[\\/]tmp)[\\/][^\\/]+[\\/]chats[\\/].+$/.exec(path)?.[1] ?? null,
  settings: (folder) => folder.replace(/tmp$/, "settings.json"),
  read(settings) {
    if (settings === null) return DEFAULT;
    let value: unknown;
    try {
      value = JSON.parse(settings);
    } catch {
      // It may have comments.
      return "unknown";
    }
    if (!isObject(value)) return "unknown";
    const { enabled = true, maxAge, maxCount } = asObject(asObject(value["general"])["sessionRetention"]);
    if (enabled === false) return "never";
    // The number of chats decides too.
    if (maxCount !== undefined) return "unknown";
    if (maxAge === undefined) return DEFAULT;
    const [, count, unit] = typeof maxAge === "string" ? (/^(\d{1,6})([hdwm])$/.exec(maxAge) ?? []) : [];
    const days = Number(count) * DAYS[unit ?? ""]!;
    return days >= 1 ? { days, isDefault: false } : "unknown";
  },
};
