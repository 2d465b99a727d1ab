"use client";
// Tokens and dollars of all sessions: a chart over time, the figures under it, and both as files.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useMemo } from "react";
import { isAppError } from "#lib/kernel/errors.ts";
import { leastUsd, NO_PRICE } from "#lib/kernel/load/load-labels.ts";
import { readDay, type TablePeriod } from "#lib/kernel/load/usage-periods.ts";
import { usageAnswer, type UsageAnswer, type UsageRow } from "#lib/wire/usage-schema.ts";
import { useHasSessions } from "../shared/server-status.ts";
import { useIsNode } from "../ui/access-context.ts";
import { api, withQuery } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatCount, formatPercent, formatTokens } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { blocksQuery, unusedQuery } from "./own-queries.ts";
import { NoSessionsYet } from "../shared/no-sessions-yet.tsx";
import { Below } from "./below.tsx";
import { BudgetLines } from "./budget-lines.tsx";
import { BlocksView } from "./blocks-view.tsx";
import { StackedBars } from "./stacked-bars.tsx";
import { UsageFilters } from "./usage-filters.tsx";
import { barsName, groupName, leftOut, periodName, periodOfRow, periodsBetween, stackOf } from "./usage-series.ts";
import { UnusedView } from "./unused-view.tsx";
import { UsageFiles } from "./usage-files.tsx";
import {
  daysOf,
  isUsageFiltered,
  NO_USAGE_FILTER,
  tableOf,
  timeOf,
  pageQuestion,
  usageParsers,
} from "./usage-state.ts";
import type { UsageChoices } from "./usage-state.ts";
import { GROUP_HEADS, sumPeriods, UsageTable, type FigureRow } from "./usage-table.tsx";

const CHART_PX = 230;

/** `today`: by the clock of the server, whose days these are. */
export function UsagePage({ today }: { today: string }) {
  const [choices, choose] = useQueryStates(usageParsers, { history: "push" });
  const question = pageQuestion(choices, today);
  const period = tableOf(choices.period);
  const { data, error, refetch } = useQuery({
    queryKey: ["sessions", "usage", question],
    queryFn: ({ signal }) => api(withQuery("/api/usage", question), usageAnswer, { signal }),
    placeholderData: keepPreviousData,
    enabled: period !== null,
  });
  const blocks = useQuery({ ...blocksQuery(choices.range), enabled: choices.period === "blocks" });
  const unused = useQuery({ ...unusedQuery(choices.range), enabled: choices.period === "unused" });
  const hasSessions = useHasSessions();
  // A link to what a node refuses says so here, and is taken back.
  const hasFilters = useIsNode() || hasSessions;
  const rows = (period === null ? undefined : data?.[period]) ?? NO_ROWS;
  const own = choices.period === "blocks" ? blocks.data?.blocks : unused.data?.rows;
  const listed = period === null ? own?.length : rows.length;
  return (
    <>
      <PageHead
        title="Usage"
        aside={hasSessions && <UsageFiles choices={choices} today={today} isEmpty={(listed ?? 0) === 0} />}
      >
        <output>
          {period === null ? (
            aboutOf(choices)
          ) : data === undefined ? (
            <span className="inline-block max-md:h-10">&nbsp;</span>
          ) : (
            <Verdict totals={data.totals} />
          )}
        </output>
      </PageHead>
      {hasFilters && <UsageFilters choices={choices} choose={choose} facets={data?.facets} today={today} />}
      {period !== null && <BudgetLines budgets={data?.budgets ?? []} className="px-6 pb-3 max-md:px-4" />}
      {choices.period === "blocks" ? (
        <BlocksView range={choices.range} onAll={() => void choose({ range: "all" })} />
      ) : choices.period === "unused" ? (
        <UnusedView range={choices.range} onAll={() => void choose({ range: "all" })} />
      ) : error !== null ? (
        <Below>
          <RequestFailure
            error={error}
            title="The usage could not be read"
            action={
              isAppError(error) ? (
                <Button onClick={() => void choose(NO_USAGE_FILTER)}>Clear the filters</Button>
              ) : (
                <Button onClick={() => void refetch()}>Try again</Button>
              )
            }
          />
        </Below>
      ) : data === undefined ? (
        <Below>
          <Loading rows={12} label="Summing calls" />
        </Below>
      ) : rows.length === 0 ? (
        <Below>
          <div className="mx-auto max-w-140 pt-10">
            {data.facets?.agents.length === 0 ? (
              <NoSessionsYet>Usage is the sum of the model calls of all sessions in the archive.</NoSessionsYet>
            ) : (
              <Empty
                title="No model calls in this time"
                actions={
                  <>
                    {isUsageFiltered(choices) && (
                      <Button onClick={() => void choose(NO_USAGE_FILTER)}>Clear the filters</Button>
                    )}
                    <Button onClick={() => void choose({ ...NO_USAGE_FILTER, range: "all" })}>Show all time</Button>
                  </>
                }
              >
                Looked at the calls of all sessions in the archive.
              </Empty>
            )}
          </div>
        </Below>
      ) : (
        <Shown answer={data} rows={rows} choices={{ ...choices, period: period ?? "daily" }} today={today} />
      )}
    </>
  );
}

/** What stands in the place of sums. */
const aboutOf = ({ period, range }: UsageChoices): string =>
  period === "blocks"
    ? `Calls of ${timeOf(range)} in blocks of five hours, as plans count them.`
    : `What every prompt of ${timeOf(range)} carried and no call used.`;

const NO_ROWS: readonly UsageRow[] = [];

/** What it comes to, in a sentence. */
function Verdict({ totals }: { totals: UsageAnswer["totals"] }) {
  const { totalCost, isPartial, totalTokens, cacheShare, calls, compactions } = totals;
  if (calls === 0) return "No model calls in this time.";
  const least = leastUsd(totalCost, isPartial);
  const strong = (text: string) => <b className="font-semibold text-ink">{text}</b>;
  return (
    <>
      {least !== null && <>{strong(least)} at list price for </>}
      {strong(formatTokens(totalTokens, true))} tokens in {formatCount(calls, "call")}
      {least === null && `, ${NO_PRICE}`}
      {cacheShare !== null && <>, {strong(formatPercent(cacheShare))} of prompts from the cache</>}
      {compactions !== null && <>, {formatCount(compactions, "compaction")}</>}.
    </>
  );
}

type TableChoices = UsageChoices & { readonly period: TablePeriod };
type ShownProps = { answer: UsageAnswer; rows: readonly UsageRow[]; choices: TableChoices; today: string };

function Shown({ answer, rows, choices, today }: ShownProps) {
  const { period, by, measure, range, since, until } = choices;
  const stack = useMemo(() => {
    if (period === "sessions") return null;
    const days = daysOf({ range, since, until }, today);
    const left = leftOut(answer.groups ?? [], rows, measure);
    return stackOf(rows, measure, periodsBetween(rows.map(periodOfRow), period, days), left);
  }, [answer, rows, period, measure, range, since, until, today]);
  const figures = useMemo(() => figuresOf(answer, rows, choices), [answer, rows, choices]);
  const head = period === "sessions" ? "Session" : choices.rows === "groups" ? GROUP_HEADS[by] : HEADS[period];
  const name = `${period} ${choices.rows} ${by}`;
  return (
    // On a phone, or at 200 %, chart and table have no room side by side: they scroll as one.
    <div className="flex min-h-0 flex-1 flex-col max-md:overflow-y-auto">
      {stack !== null && (
        <section aria-label="Chart" className="flex-none px-6 pt-1 pb-4 max-md:px-4">
          <StackedBars
            stack={stack}
            measure={measure}
            by={by}
            height={CHART_PX}
            whole={barsName(stack.bars, rows)}
            hrefOf={period === "daily" ? (day) => sessionsOf(day, choices) : undefined}
          />
        </section>
      )}
      <div className="flex min-h-0 flex-1 flex-col max-md:min-h-90">
        <UsageTable
          key={name}
          label="Usage"
          name={name}
          head={head}
          rows={figures}
          hasReported={figures.some(({ reportedCost }) => reportedCost != null)}
        />
      </div>
      <p className="flex min-h-8 flex-none flex-wrap items-center gap-x-4 border-t border-line px-6 py-1 text-12 text-ink-3 max-md:px-4">
        <span>List prices; ≥ where some calls lack a price or usage, – where all do.</span>
        {(by === "tool" || by === "mcp-server") && period !== "sessions" && (
          <span>A call that asked for several tools counts in equal parts.</span>
        )}
        <span>Days of {answer.timezone}.</span>
      </p>
    </div>
  );
}

const isDay = (key: string): boolean => readDay(key) !== null;
const isUndated = ({ key }: FigureRow): boolean => !/^\d/u.test(key);

const HEADS = { daily: "Day", weekly: "Week of", monthly: "Month", sessions: "Session" } as const;

/** The sessions of a day. */
function sessionsOf(day: string, { agent, project, model }: UsageChoices): string {
  const rest = Object.entries({ agent, project, model }).filter(([, value]) => value !== null) as [string, string][];
  return `/usage?${new URLSearchParams([["period", "sessions"], ["since", day], ["until", day], ...rest])}`;
}

const sessionRow = (row: UsageRow): FigureRow => ({
  ...row,
  key: row.sessionId!,
  name: row.title || "Untitled session",
  detail: row.projectPath === null ? undefined : groupName(row.projectPath ?? "", "project"),
  href: `/sessions/${row.sessionId}`,
});

const othersRow = (row: UsageRow, others: number): FigureRow => ({
  ...row,
  key: "",
  name: formatCount(others, "other session"),
  detail: "all are in the files",
  href: null,
});

function figuresOf({ groups = [] }: UsageAnswer, rows: readonly UsageRow[], choices: TableChoices): FigureRow[] {
  const { period, by } = choices;
  if (period === "sessions")
    return rows
      .map((row) => (row.others === undefined ? sessionRow(row) : othersRow(row, row.others)))
      .toSorted((a, b) => Number(a.href === null) - Number(b.href === null) || b.totalCost - a.totalCost);
  if (choices.rows === "groups")
    return groups.map(({ group: key, ...sums }) => {
      const name = groupName(key, by);
      return { ...sums, key, name, detail: name === key || key === "" ? undefined : key, href: null };
    });
  return (
    [...sumPeriods(rows)]
      .map(([key, sums]) => ({
        ...sums,
        key,
        name: periodName(key),
        detail: period === "daily" && isDay(key) ? key.slice(0, 4) : undefined,
        href: period === "daily" && isDay(key) ? sessionsOf(key, choices) : null,
      }))
      // What has no day stands below all that have one.
      .toSorted((a, b) => Number(isUndated(a)) - Number(isUndated(b)) || (a.key < b.key ? 1 : -1))
  );
}
