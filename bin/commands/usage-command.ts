import { usageReport } from "#lib/archive/load/usage-report.ts";
import { dollars } from "#lib/kernel/load/load-labels.ts";
import { usageQuery, type UsageAnswer, type UsageRow } from "#lib/wire/usage-schema.ts";
import { textOption, WrongWords, type Run } from "./args.ts";
import { reading } from "./open-archive.ts";
import { count, oneLine, printJson, table } from "./print.ts";
import { usageCsv } from "./usage-csv.ts";

const HEADS = { daily: "day", weekly: "week of", monthly: "month", sessions: "session" } as const;

export const run: Run = (words) => {
  if (words.options["json"] === true && words.options["csv"] === true)
    throw new WrongWords("--json and --csv are two answers: give one.");
  const read = usageQuery.safeParse({
    period: words.args[0],
    since: textOption(words, "since"),
    until: textOption(words, "until"),
    by: textOption(words, "by"),
    timezone: textOption(words, "timezone"),
    weekStart: textOption(words, "start-of-week"),
  });
  if (!read.success) throw new WrongWords(wrongOf(read.error.issues[0]!));
  const { period } = read.data;
  return reading(words, async (archive) => {
    const answer = await usageReport(archive, read.data);
    const rows = answer[period] ?? [];
    if (words.options["json"] === true) printJson(answer);
    else if (words.options["csv"] === true) process.stdout.write(usageCsv(rows));
    else if (rows.length === 0) console.log("No model calls in this time.");
    else printTable(HEADS[period], rows, answer);
  });
};

function wrongOf({ path, message }: { readonly path: readonly PropertyKey[]; readonly message: string }): string {
  const name = String(path[0]);
  return name === "period"
    ? "plimsoll usage takes daily, weekly, monthly or sessions."
    : `--${name === "weekStart" ? "start-of-week" : name}: ${message}`;
}

const cost = ({ isPartial, totalCost }: UsageAnswer["totals"]): string =>
  `${isPartial ? "≥ " : ""}${dollars(totalCost)}`;

const figures = (sums: UsageAnswer["totals"]): string[] => [
  count(sums.calls),
  count(sums.inputTokens),
  count(sums.cacheCreationTokens),
  count(sums.cacheReadTokens),
  count(sums.outputTokens),
  sums.cacheShare === null ? "–" : `${Math.round(100 * sums.cacheShare)} %`,
  cost(sums),
];

function printTable(head: string, rows: readonly UsageRow[], { totals, timezone }: UsageAnswer): void {
  const label = (row: UsageRow): string => row.date ?? row.week ?? row.month ?? row.sessionId ?? "";
  const last = rows.some(({ group }) => group !== undefined) ? "group" : head === "session" ? "title" : "models";
  const side = (row: UsageRow): string =>
    oneLine(
      last === "group" ? row.group || "no project" : last === "title" ? row.title! : row.modelsUsed.join(", "),
      60,
    );
  console.log(
    table(
      [head, "calls", "input", "cache write", "cache read", "output", "cached", "cost", last],
      [...rows.map((row) => [label(row), ...figures(row), side(row)]), ["total", ...figures(totals), ""]],
      new Set([0, 8]),
    ),
  );
  console.log(`\nList prices; ≥ where calls have no price or no full usage. Time zone: ${timezone}.`);
}
