// From rows of usage to stacked bars: the groups that weigh most have a colour each, the others share a hatched one.
import { NO_GROUP } from "#lib/wire/no-group.ts";
import type { UsageAnswer, UsageGroup, UsageRow } from "#lib/wire/usage-schema.ts";
import { formatCount, MONTHS } from "../ui/format.ts";

export const MEASURES = ["cost", "tokens"] as const;
export type Measure = (typeof MEASURES)[number];

/** As many as there are colours that colour-blind readers tell apart, without the load line's red. */
export const SERIES = 7;

export type Series = { readonly name: string; readonly color: string | null; readonly total: number };
export type Bar = { readonly period: string; readonly values: readonly number[]; readonly total: number };
export type Stack = {
  readonly series: readonly Series[];
  readonly bars: readonly Bar[];
  readonly total: number;
  /** Whether the true cost is more: of a period, of a series, of one in the other, or of all. */
  readonly isPartial: (period?: string, series?: number) => boolean;
};

/** What a bar needs of a row. */
type StackRow = Pick<
  UsageRow,
  "date" | "week" | "month" | "sessionId" | "group" | "others" | "totalCost" | "totalTokens" | "isPartial"
>;

export const periodOfRow = (row: StackRow): string => row.date ?? row.week ?? row.month ?? row.sessionId ?? "";

const valueOf = (row: Pick<StackRow, "totalCost" | "totalTokens">, measure: Measure): number =>
  measure === "cost" ? row.totalCost : row.totalTokens;

/** How many groups with a value have no rows of their own. */
export function leftOut(
  groups: NonNullable<UsageAnswer["groups"]>,
  rows: readonly StackRow[],
  measure: Measure,
): number {
  const named = new Set(rows.map(({ group }) => group));
  return groups.filter((one) => valueOf(one, measure) > 0 && !named.has(one.group)).length;
}

/**
 * `periods`: all of the time shown, so that a day without use is a gap and not left out. Other rows are no part of it. `left`: how many
 * groups the rows of others are of.
 */
export function stackOf(all: readonly StackRow[], measure: Measure, periods: readonly string[], left = 0): Stack {
  const known = new Set(periods);
  const rows = all.filter((row) => known.has(periodOfRow(row)));
  const totals = new Map<string, number>();
  let ofOthers = 0;
  for (const row of rows)
    if (row.others !== undefined) ofOthers += valueOf(row, measure);
    else totals.set(row.group ?? "", (totals.get(row.group ?? "") ?? 0) + valueOf(row, measure));
  const ranked = [...totals].filter(([, total]) => total > 0).toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  // Groups of other periods alone are none of this chart's.
  const leftHere = ofOthers > 0 ? left : 0;
  // One more than there are colours is no reason for "other": a hatch serves it as well.
  const named = ranked.length + leftHere > SERIES + 1 ? ranked.slice(0, SERIES) : ranked;
  const rest = ranked.slice(named.length);
  const others = rest.length + leftHere;
  const series: Series[] = named.map(([name, total], i) => ({
    name,
    color: i < SERIES ? `var(--s-${i + 1})` : null,
    total,
  }));
  if (others > 0)
    series.push({
      name: formatCount(others, "other"),
      color: null,
      total: sum(rest.map(([, of]) => of)) + ofOthers,
    });
  const indexOf = new Map(named.map(([name], i) => [name, i]));
  // A group without a price is in no series.
  const seriesOf = (row: StackRow): number =>
    (row.others === undefined ? indexOf.get(row.group ?? "") : undefined) ??
    (valueOf(row, measure) > 0 ? series.length - 1 : -1);
  const byPeriod = new Map(periods.map((period) => [period, series.map(() => 0)]));
  for (const row of rows) {
    const values = byPeriod.get(periodOfRow(row));
    const at = seriesOf(row);
    if (values?.[at] !== undefined) values[at] += valueOf(row, measure);
  }
  const isPartial: Stack["isPartial"] = (period, at) =>
    measure === "cost" &&
    rows.some(
      (row) =>
        row.isPartial && [undefined, periodOfRow(row)].includes(period) && [undefined, seriesOf(row)].includes(at),
    );
  const bars = [...byPeriod].map(([period, values]) => ({ period, values, total: sum(values) }));
  return { series, bars, total: sum(series.map(({ total }) => total)), isPartial };
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

const DAY_MS = 86_400_000;
const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
/** A bar is at least some pixels wide: what is older is in the table. */
export const MOST_BARS = 92;

/** What all bars together are called: a call without a date has none. */
export function barsName(bars: readonly Bar[], rows: readonly StackRow[]): string {
  if (bars.length === MOST_BARS) return `Newest ${MOST_BARS} shown`;
  const shown = new Set(bars.map(({ period }) => period));
  return rows.every((row) => shown.has(periodOfRow(row))) ? "All shown" : "With a date";
}

/** All days, weeks or months from the first to the last of some, the newest of them; `first` and `last`: the days asked for. */
export function periodsBetween(
  found: readonly string[],
  kind: "daily" | "weekly" | "monthly",
  { first, last }: { readonly first: string | null; readonly last: string | null },
): string[] {
  const dated = found.filter((period) => /^\d{4}-/u.test(period)).toSorted();
  const from = kind === "daily" ? (first ?? dated[0]) : dated[0];
  const to = kind === "daily" ? (last ?? dated.at(-1)) : dated.at(-1);
  if (from === undefined || to === undefined) return [];
  const periods: string[] = [];
  for (let at = from; at <= to; at = nextOf(at, kind)) periods.push(at);
  return periods.slice(-MOST_BARS);
}

function nextOf(period: string, kind: "daily" | "weekly" | "monthly"): string {
  if (kind !== "monthly") return iso(Date.parse(`${period}T00:00:00Z`) + (kind === "daily" ? 1 : 7) * DAY_MS);
  const [year, month] = period.split("-").map(Number) as [number, number];
  return month === 12 ? `${year + 1}-01` : `${year}-${String(month + 1).padStart(2, "0")}`;
}

/** A group as a person reads it: of a folder its name, with as much before it as tells it from others of that name. */
export function groupName(name: string, by: UsageGroup, among: readonly { readonly name: string }[] = []): string {
  if (name === "") return NO_GROUP[by];
  if (by !== "project") return name;
  const end = (path: string, parts: number): string => path.split(/[\\/]/u).filter(Boolean).slice(-parts).join("/");
  let parts = 1;
  // Some differ in a slash alone.
  while (parts < 99 && among.some((other) => other.name !== name && end(other.name, parts) === end(name, parts)))
    parts++;
  return end(name, parts) || name;
}

/** `23 Jan`, `Jan 2026`; what is no date as it is. */
export function periodName(period: string): string {
  const [, year, month, day] = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/u.exec(period) ?? [];
  if (month === undefined) return period;
  const name = MONTHS[Number(month) - 1]!;
  return day === undefined ? `${name} ${year}` : `${Number(day)} ${name}`;
}

/** Steps of an axis: 1, 2 or 5 times a power of ten, about four of them. */
export function axisTicks(most: number): number[] {
  if (!(most > 0)) return [0];
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough)!;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}
