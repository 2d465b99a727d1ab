// The local day, week, month of a moment. Clocks of all zones differ from UTC by whole quarters of an hour.
import { fail } from "../errors.ts";
import { DAY_MS } from "./zone-days.ts";

export const QUARTER_MS = 900_000;
export const PERIODS = ["daily", "weekly", "monthly", "sessions"] as const;
export type TablePeriod = (typeof PERIODS)[number];
export const WEEK_STARTS = ["monday", "sunday"] as const;
export type WeekStart = (typeof WEEK_STARTS)[number];

/** Today, as this system's zone has it. */
export const localDay = (ms: number, timezone = Intl.DateTimeFormat().resolvedOptions().timeZone): string =>
  formatOf(timezone).format(ms);

function formatOf(timeZone: string): Intl.DateTimeFormat {
  try {
    // Canada's English writes dates as ISO does.
    return new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    fail("invalid", `"${timeZone}" is not a time zone. Write one like Europe/Berlin or UTC.`);
  }
}

/** The first day of a day's week, or the month of it. */
export function periodOf(day: string, period: Exclude<TablePeriod, "sessions">, weekStart: WeekStart): string {
  if (period === "daily") return day;
  if (period === "monthly") return day.slice(0, 7);
  const at = Date.parse(`${day}T00:00:00Z`);
  const past = (new Date(at).getUTCDay() - (weekStart === "monday" ? 1 : 0) + 7) % 7;
  return new Date(at - past * DAY_MS).toISOString().slice(0, 10);
}

/** `20260309` and `2026-03-09` alike; null for anything else, and for a day that no month has. */
export function readDay(text: string): string | null {
  const parts = /^(\d{4})-?(\d{2})-?(\d{2})$/u.exec(text);
  if (parts === null) return null;
  const day = parts.slice(1).join("-");
  const at = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== day ? null : day;
}
