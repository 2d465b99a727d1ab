// Numbers and times as a person reads them. Pure, and the same on the server and in the browser: no
// default locale and no default time zone, since a difference between the two breaks hydration.
import { exactly } from "#lib/kernel/exactly.ts";
import { dollars, shortly } from "#lib/kernel/load/load-labels.ts";

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
export const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `155,023`; short: `940`, `9.2k`, `24.4k`, `1.17M`. */
export const formatTokens = (tokens: number, short = false): string => (short ? shortly(tokens) : exactly(tokens));

/** Beside an event's weight, on hover: `; 940 by the tokenizer alone`. Nothing of what has no text. */
export const tokenizerWords = (textTokens: number | null): string =>
  textTokens === null ? "" : `; ${formatTokens(textTokens)} by the tokenizer alone`;

/** Decimal units: `812 B`, `4.1 kB`, `369 kB`, `3.1 MB`, `4.1 GB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 999.5) return `${whole.format(bytes)} B`;
  const units = ["kB", "MB", "GB", "TB", "PB"];
  let size = bytes / 1000;
  let unit = 0;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${size < 9.95 ? size.toFixed(1) : whole.format(size)} ${units[unit]}`;
}

/** `340 ms`, `1.2 s`, `14 s`, `2 min 5 s`, `1 h 4 min`, `3 d 2 h`. */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return pair(seconds, 60, "min", "s");
  const minutes = Math.round(ms / MINUTE);
  if (minutes < 24 * 60) return pair(minutes, 60, "h", "min");
  return pair(Math.round(ms / HOUR), 24, "d", "h");
}

function pair(amount: number, per: number, large: string, small: string): string {
  const rest = amount % per;
  return rest === 0 ? `${amount / per} ${large}` : `${Math.floor(amount / per)} ${large} ${rest} ${small}`;
}

export const formatUsd = dollars;

/** `99 %` with a thin space; a share that is not nothing never reads 0. */
export function formatPercent(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.5) return "<1\u2009%";
  // What is just under or just over a limit must not read as the limit.
  if (percent !== 100 && Math.round(percent) === 100) return `${nearHundred(percent)}\u2009%`;
  return `${whole.format(percent)}\u2009%`;
}

function nearHundred(percent: number): string {
  return (percent < 100 ? Math.floor(percent * 10) / 10 : Math.ceil(percent * 10) / 10).toFixed(1);
}

/** `1 file`, `412 files`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${whole.format(count)} ${count === 1 ? one : many}`;
}

export type When = { readonly day: string; readonly time: string; readonly full: string };

/** A moment in a named time zone: `23 Jan` (with its year when that is not this one) and `14:21`. */
export function formatWhen(ts: string, zone: string, now: number): When | null {
  const moment = Date.parse(ts);
  if (Number.isNaN(moment)) return null;
  const at = fields(moment, zone);
  const month = MONTHS[at.month - 1] ?? "";
  const year = at.year === fields(now, zone).year ? "" : ` ${at.year}`;
  const time = `${two(at.hour)}:${two(at.minute)}`;
  return {
    day: `${at.day} ${month}${year}`,
    time,
    full: `${at.day} ${month} ${at.year}, ${time}:${two(at.second)} (${zone})`,
  };
}

/** How long ago, in its largest unit: `now`, `4 min`, `3 h`, `12 d`. */
export function formatAgo(ts: string, now: number): string {
  const ms = now - Date.parse(ts);
  if (Number.isNaN(ms)) return "–";
  if (ms < MINUTE) return "now";
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

const zones = new Map<string, Intl.DateTimeFormat>();

type Fields = { year: number; month: number; day: number; hour: number; minute: number; second: number };

// Month names come from our own table: ICU says "Sept" in one version and "Sep" in another.
function fields(moment: number, zone: string): Fields {
  let format = zones.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    zones.set(zone, format);
  }
  const parts: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(moment)) parts[type] = Number(value);
  return parts as Fields;
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
