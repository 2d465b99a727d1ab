// `plimsoll usage daily` beside `ccusage daily`: every day equal to the cent and the token, or each difference by its cause, worked
// out from the calls of the files as they are read apart from the import.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { usageReport, type TableRequest } from "#lib/archive/load/usage-report.ts";
import { usageQuery } from "#lib/wire/usage-schema.ts";
import { systemHost } from "#bin/system-host.ts";
import { billedCalls, type BilledCall } from "./billed-calls.ts";
import { askCcusage, CAUSES, CENT, callsOnce, causesOf, copyToCcusage, DATA, sum, type Cause } from "./ccusage.ts";

type Day = {
  readonly date: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheCreationTokens: number;
  readonly cacheReadTokens: number;
  readonly totalCost: number;
  readonly modelBreakdowns: readonly { readonly modelName: string; readonly cost: number }[];
};

export type DayRow = {
  readonly date: string;
  readonly ours: number;
  readonly theirs: number;
  readonly causes: ReadonlyMap<Cause, number>;
  /** Dollars of ours, less theirs and all causes. */
  readonly left: number;
  /** Tokens of ours that the files do not have, or the other way. */
  readonly tokensLeft: number;
  /** Output tokens that ccusage counts as the first line of an answer says. */
  readonly firstLineOutput: number;
};

export async function compareDays(data = DATA): Promise<DayRow[]> {
  const dir = mkdtempSync(join(tmpdir(), "plimsoll-ccusage-days-"));
  try {
    const files = readdirSync(data, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jsonl"))
      .toSorted();
    copyToCcusage(join(dir, "home"), data, files);
    const theirs = new Map(
      askCcusage<{ daily: Day[] }>(join(dir, "home"), "daily").daily.map((day) => [day.date, day]),
    );
    const archive = await openArchive({ dir: join(dir, "archive"), host: systemHost() });
    try {
      await importPaths(archive, [data]);
      const request = usageQuery.parse({ period: "daily", timezone: "UTC" }) as TableRequest;
      const ours = ((await usageReport(archive, request)).daily ?? []) as readonly Day[];
      const calls = callsOnce(files.map((file) => billedCalls(join(data, file))));
      const byDay = Map.groupBy(calls.values(), ({ at }) => new Date(at ?? 0).toISOString().slice(0, 10));
      return ours.map((day) => compareDay(day, theirs.get(day.date), byDay.get(day.date) ?? [], archive.host.prices));
    } finally {
      await closeArchive(archive);
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function compareDay(
  day: Day,
  theirs: Day | undefined,
  calls: readonly BilledCall[],
  prices: Parameters<typeof causesOf>[2],
): DayRow {
  const priced = new Set(theirs?.modelBreakdowns.filter(({ cost }) => cost > 0).map(({ modelName }) => modelName));
  const causes = causesOf(calls, priced, prices);
  const usage = (key: keyof BilledCall["usage"]): number => sum(calls.map((call) => call.usage[key]));
  const own = calls.filter(({ from }) => from === null);
  const first = sum(own.map(({ firstOutput }) => firstOutput));
  const tokens = [
    [day.inputTokens, usage("inputUncached")],
    [day.cacheReadTokens, usage("cacheRead")],
    [day.cacheCreationTokens, usage("cacheWrite")],
    [day.outputTokens, usage("output")],
    [theirs?.outputTokens ?? 0, first],
    [theirs?.cacheReadTokens ?? 0, sum(own.map(({ usage: of }) => of.cacheRead))],
  ] as const;
  const { date, totalCost: ours } = day;
  const cost = theirs?.totalCost ?? 0;
  return {
    ...{ date, ours, theirs: cost, causes },
    left: ours - cost - sum([...causes.values()]),
    tokensLeft: sum(tokens.map(([a, b]) => Math.abs(a - b))),
    firstLineOutput: sum(own.map((call) => call.usage.output)) - first,
  };
}

export const isDayExplained = ({ left, tokensLeft }: DayRow): boolean => Math.abs(left) < CENT && tokensLeft === 0;

/** The table, and how many days of it are not explained. */
export async function dayLines(): Promise<{ lines: string[]; unexplained: number }> {
  const rows = await compareDays();
  const usd = (value: number): string => value.toFixed(2).padStart(8);
  return {
    lines: [
      "    ours  ccusage  day, and why the two differ",
      ...rows.map((row) => {
        const causes = [...row.causes].filter(([, dollars]) => Math.abs(dollars) >= CENT);
        const words = causes.map(([cause, dollars]) => `$${dollars.toFixed(2)} ${cause}`).join(", ");
        const rest = isDayExplained(row) ? "" : `  NOT EXPLAINED: $${row.left.toFixed(4)}, ${row.tokensLeft} tokens`;
        return `${usd(row.ours)} ${usd(row.theirs)}  ${row.date}  ${words}${rest}`;
      }),
      `${usd(sum(rows.map(({ ours }) => ours)))} ${usd(sum(rows.map(({ theirs }) => theirs)))}  all days`,
      ...Object.entries(CAUSES).map(([cause, words]) => `  ${cause}: ${words}`),
    ],
    unexplained: rows.filter((row) => !isDayExplained(row)).length,
  };
}
