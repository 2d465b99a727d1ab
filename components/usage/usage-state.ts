// What the reader chose on the usage page, as it stands in the URL.
import { createParser, parseAsString, parseAsStringLiteral, type inferParserType } from "nuqs/server";
import { PERIODS, readDay, type TablePeriod } from "#lib/kernel/load/usage-periods.ts";
import { FLEET_GROUPS, USAGE_GROUPS } from "#lib/wire/usage-schema.ts";
import { MEASURES } from "./usage-series.ts";

export const RANGES = ["7", "30", "90", "365", "all"] as const;
export type Range = (typeof RANGES)[number];
export const RANGE_WORDS: Readonly<Record<Range, string>> = {
  "7": "last 7 days",
  "30": "last 30 days",
  "90": "last 90 days",
  "365": "last year",
  all: "all time",
};
/** After "of". */
export const timeOf = (range: Range): string => (range === "all" ? RANGE_WORDS.all : `the ${RANGE_WORDS[range]}`);

/** The days of blocks and of what is unused, which end today: all time is ten years. */
const MOST_DAYS = 3650;
export const lastDays = (range: Range): number => (range === "all" ? MOST_DAYS : Number(range));

/** Tables of a period, and two of their own. */
export const VIEWS = [...PERIODS, "blocks", "unused"] as const;
export type View = (typeof VIEWS)[number];
export const tableOf = (view: View): TablePeriod | null => PERIODS.find((period) => period === view) ?? null;

/** What is no day is as if nothing was chosen. */
const parseAsDay = createParser({ parse: readDay, serialize: (day: string) => day });

export const usageParsers = {
  period: parseAsStringLiteral(VIEWS).withDefault("daily"),
  by: parseAsStringLiteral([...USAGE_GROUPS, ...FLEET_GROUPS]).withDefault("project"),
  measure: parseAsStringLiteral(MEASURES).withDefault("cost"),
  rows: parseAsStringLiteral(["periods", "groups"] as const).withDefault("periods"),
  /** The last so many days; a first or last day goes before it. */
  range: parseAsStringLiteral(RANGES).withDefault("30"),
  since: parseAsDay,
  until: parseAsDay,
  agent: parseAsString,
  project: parseAsString,
  model: parseAsString,
};
export type UsageChoices = inferParserType<typeof usageParsers>;

const DAY_MS = 86_400_000;

/** First and last day, where there are any. `today`: as the archive's clock has it. */
export function daysOf(
  { range, since, until }: Pick<UsageChoices, "range" | "since" | "until">,
  today: string,
): { first: string | null; last: string | null } {
  if (since !== null || until !== null) return { first: since, last: until };
  if (range === "all") return { first: null, last: null };
  const first = new Date(Date.parse(`${today}T00:00:00Z`) - (Number(range) - 1) * DAY_MS).toISOString().slice(0, 10);
  return { first, last: today };
}

/** Groups that have rows of their own on the page: the chart names some of them, and the table has the sums of all. */
const TOP_GROUPS = 20;
const TOP_SESSIONS = 1000;

/** What the server is asked; a file has all rows. */
export function usageQuestion(choices: UsageChoices, today: string) {
  const { first, last } = daysOf(choices, today);
  const { by, agent, project, model } = choices;
  const period = tableOf(choices.period) ?? "daily";
  return { period, by: period === "sessions" ? null : by, since: first, until: last, agent, project, model };
}

/** The same with as many rows as the page shows. */
export const pageQuestion = (choices: UsageChoices, today: string) => ({
  ...usageQuestion(choices, today),
  top: choices.period === "sessions" ? TOP_SESSIONS : TOP_GROUPS,
  facets: 1,
});

/** What `Clear` sets. */
export const NO_USAGE_FILTER = { agent: null, project: null, model: null, since: null, until: null } as const;

/** What `Clear` would change. */
export const isUsageFiltered = ({ agent, project, model, since, until }: UsageChoices): boolean =>
  [agent, project, model, since, until].some((one) => one !== null);
