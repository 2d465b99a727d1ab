import { usageOfFolder } from "#lib/archive/load/list-budgets.ts";
import type { TableRequest } from "#lib/archive/load/usage-report.ts";
import { leastUsd } from "#lib/kernel/load/load-labels.ts";
import { NO_GROUP } from "#lib/wire/no-group.ts";
import { usageCsv } from "#lib/wire/usage-columns.ts";
import { USAGE_GROUPS, usageQuery, type UsageAnswer, type UsageGroup, type UsageRow } from "#lib/wire/usage-schema.ts";
import { archiveDir } from "./archive-dir.ts";
import { textOption, WrongWords, type Run, type Words } from "./args.ts";
import { printBlocks } from "./blocks-table.ts";
import { printUnused } from "./unused-table.ts";
import { printStrained } from "./budget-table.ts";
import { issueWords } from "./issue-words.ts";
import { noteCache } from "./node-cache.ts";
import { count, oneLine, printJson, table } from "./print.ts";

const HEADS = { daily: "day", weekly: "week of", monthly: "month", sessions: "session" } as const;

/** A program of its own, like the status line: the whole archive is not opened for one question. */
export const run: Run = async (words) => {
  if (words.options["json"] === true && words.options["csv"] === true)
    throw new WrongWords("--json and --csv are two answers: give one.");
  requireKnown(words);
  noteCache(words);
  if (words.args[0] === "unused") return printUnused(words);
  if (words.args[0] === "blocks") return printBlocks(words);
  const request = requestOf(words);
  const { period, by } = request;
  const answer = await usageOfFolder(archiveDir(words), request, Date.now());
  const rows = answer[period] ?? [];
  if (words.options["json"] === true) printJson(answer);
  else if (words.options["csv"] === true) process.stdout.write(usageCsv(rows));
  else {
    if (rows.length === 0) console.log(unknownFilter(request, answer) ?? "No model calls in this time.");
    else printTable(HEADS[period], rows, answer, by);
    printStrained(answer.budgets ?? []);
  }
};

const FILTERS = [
  ["agent", "agents"],
  ["project", "projects"],
  ["model", "models"],
] as const;
/** Names that are listed of those that there are. */
const LISTED = 6;

/** A filter is a whole name: which one no session has, and what there is. */
function unknownFilter(request: TableRequest, { facets }: UsageAnswer): string | null {
  for (const [name, kind] of FILTERS) {
    const wanted = request[name];
    const known = (facets?.[kind] ?? []).map(({ value }) => value);
    if (wanted === undefined || known.includes(wanted)) continue;
    const like = known.filter((one) => one.toLowerCase().includes(wanted.toLowerCase()));
    const listed = (like.length > 0 ? like : known).slice(0, LISTED).map((one) => `"${oneLine(one, 60)}"`);
    return `No ${name} here is "${oneLine(wanted, 60)}". ${like.length > 0 ? "Like it" : "Used most"}: ${listed.join(", ")}.`;
  }
  return null;
}

/** Options that not every report knows. */
const OWN = ["since", "until", "by", "agent", "project", "model", "timezone", "start-of-week", "csv", "days"];

/** What a report does not know is refused: an answer that leaves a filter out would look like the filtered one. */
function requireKnown(words: Words): void {
  const [period = "daily"] = words.args;
  const own = { blocks: ["days", "agent", "csv"], unused: ["days", "csv"] }[period];
  const refused = OWN.find(
    (name) => words.options[name] !== undefined && (own === undefined ? name === "days" : !own.includes(name)),
  );
  if (refused === undefined) return;
  const others = own === undefined ? "blocks and unused" : `the other reports, not to ${period}`;
  throw new WrongWords(`--${refused} belongs to ${others}.`);
}

function requestOf(words: Words): TableRequest {
  const read = usageQuery.safeParse({
    period: words.args[0],
    ...(FILTERS.some(([name]) => words.options[name] !== undefined) &&
      words.options["json"] !== true && { facets: "1" }),
    since: textOption(words, "since"),
    until: textOption(words, "until"),
    by: textOption(words, "by"),
    agent: textOption(words, "agent"),
    project: textOption(words, "project"),
    model: textOption(words, "model"),
    timezone: textOption(words, "timezone"),
    weekStart: textOption(words, "start-of-week"),
  });
  if (read.success) return read.data;
  const issue = read.error.issues[0]!;
  const name = String(issue.path[0]);
  if (name === "period")
    throw new WrongWords("plimsoll usage takes daily, weekly, monthly, sessions, blocks or unused.");
  if (name === "by") throw new WrongWords(`--by is one of ${USAGE_GROUPS.join(", ")}.`);
  throw new WrongWords(issueWords(`--${name === "weekStart" ? "start-of-week" : name}`, issue));
}

const cost = ({ isPartial, totalCost }: UsageAnswer["totals"]): string => leastUsd(totalCost, isPartial) ?? "–";

const figures = (sums: UsageAnswer["totals"]): string[] => [
  count(sums.calls),
  count(sums.inputTokens),
  count(sums.cacheCreationTokens),
  count(sums.cacheReadTokens),
  count(sums.outputTokens),
  sums.cacheShare === null ? "–" : `${Math.round(100 * sums.cacheShare)} %`,
  count(sums.compactions),
  cost(sums),
];

function printTable(
  head: string,
  rows: readonly UsageRow[],
  { totals, timezone }: UsageAnswer,
  by: UsageGroup | undefined,
): void {
  const label = (row: UsageRow): string => row.date ?? row.week ?? row.month ?? row.sessionId ?? "";
  const last = by ?? (head === "session" ? "title" : "models");
  const side = (row: UsageRow): string => {
    if (by !== undefined) return oneLine(row.group || NO_GROUP[by], 60);
    return oneLine(last === "title" ? row.title! : row.modelsUsed.join(", "), 60);
  };
  console.log(
    table(
      [head, "calls", "input", "cache write", "cache read", "output", "cached", "compactions", "cost", last],
      [...rows.map((row) => [label(row), ...figures(row), side(row)]), ["total", ...figures(totals), ""]],
      new Set([0, 9]),
    ),
  );
  const parts =
    by === "tool" || by === "mcp-server" ? " A call that asked for several tools counts in equal parts." : "";
  console.log(
    `\nList prices; ≥ where some calls lack a price or usage, – where all do.${parts} Time zone: ${timezone}.`,
  );
}
