"use client";
// The figures under the chart: a row for each period, group or session.
import Link from "next/link";
import { useMemo } from "react";
import type { UsageAnswer, UsageGroup, UsageRow } from "#lib/wire/usage-schema.ts";
import { listPages } from "../shared/list-pages.ts";
import { DataTable, type DataColumn } from "../ui/data-table.tsx";
import { formatPercent, formatTokens, formatUsd } from "../ui/format.ts";
import { LeastUsd } from "../ui/least-usd.tsx";
import { Absent } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { periodOfRow } from "./usage-series.ts";

/** A row with its name, and where it leads. */
export type FigureRow = UsageAnswer["totals"] & {
  readonly key: string;
  readonly name: string;
  readonly detail?: string | undefined;
  readonly href: string | null;
  readonly reportedCost?: number | null | undefined;
  /** How many rows it is the sum of, which the page does not have. */
  readonly others?: number | undefined;
};

type UsageTableProps = { label: string; name: string; head: string; rows: readonly FigureRow[]; hasReported: boolean };

const tokens = (value: number) => formatTokens(value);

/** No call is without a prompt: one of no tokens was not recorded, which is no zero. */
const ofPrompt = (row: FigureRow, value: number) =>
  row.cacheShare === null ? <Absent why="No prompt recorded" /> : tokens(value);

export function UsageTable({ label, name, head, rows, hasReported }: UsageTableProps) {
  const most = Math.max(0, ...rows.map(({ totalCost, others }) => (others === undefined ? totalCost : 0)));
  const columns = useMemo(() => columnsOf(head, most, hasReported), [head, most, hasReported]);
  const pages = useMemo(() => listPages(rows, name), [rows, name]);
  return <DataTable label={label} columns={columns} pages={pages} />;
}

const columnsOf = (head: string, most: number, hasReported: boolean): DataColumn<FigureRow>[] => [
  {
    id: "name",
    name: head,
    width: 0,
    cell: ({ name, detail, href }) => (
      <span className="flex min-w-0 items-center gap-2">
        {href === null ? (
          <span className="truncate font-medium">
            <SafeText text={name} />
          </span>
        ) : (
          <Link prefetch={false} href={href} data-opens="" className="truncate font-medium hover:underline">
            <SafeText text={name} />
          </Link>
        )}
        {detail !== undefined && (
          <span className="max-w-2/5 flex-none truncate text-ink-3">
            <SafeText text={detail} />
          </span>
        )}
      </span>
    ),
  },
  { id: "calls", name: "Calls", width: 68, number: true, from: 560, cell: ({ calls }) => tokens(calls) },
  { id: "input", name: "Input", width: 96, number: true, from: 900, cell: (row) => ofPrompt(row, row.inputTokens) },
  {
    id: "write",
    name: "Cache write",
    width: 104,
    number: true,
    from: 900,
    cell: (row) => ofPrompt(row, row.cacheCreationTokens),
  },
  {
    id: "read",
    name: "Cache read",
    width: 112,
    number: true,
    from: 760,
    cell: (row) => ofPrompt(row, row.cacheReadTokens),
  },
  {
    id: "output",
    name: "Output",
    width: 92,
    number: true,
    from: 760,
    cell: (row) => (row.totalTokens === 0 ? <Absent why="No tokens recorded" /> : tokens(row.outputTokens)),
  },
  {
    id: "cached",
    name: "Cached",
    width: 72,
    number: true,
    from: 660,
    cell: ({ cacheShare }) => (cacheShare === null ? <Absent why="No prompt recorded" /> : formatPercent(cacheShare)),
  },
  {
    id: "compactions",
    name: "Compactions",
    width: 96,
    number: true,
    from: 1000,
    cell: ({ compactions }) =>
      compactions === null ? <Absent why="A compaction is of no tool" /> : formatTokens(compactions),
  },
  ...(hasReported
    ? [
        {
          id: "reported",
          name: "Reported",
          width: 88,
          number: true,
          from: 760,
          cell: ({ reportedCost, others }: FigureRow) =>
            reportedCost == null ? (
              <Absent why={others === undefined ? "Its agent reports no cost" : "Not summed over sessions"} />
            ) : (
              formatUsd(reportedCost)
            ),
        },
      ]
    : []),
  {
    id: "cost",
    name: "Cost",
    width: 92,
    number: true,
    cell: ({ totalCost, isPartial }) => (
      <span className="font-medium">
        <LeastUsd usd={totalCost} isPartial={isPartial} why={isPartial ? PARTIAL : "At list price"} />
      </span>
    ),
  },
  {
    id: "share",
    name: "Share",
    quiet: true,
    width: 120,
    from: 820,
    cell: ({ totalCost }) => (
      <span className="block h-1.5 w-full bg-sunk" aria-hidden="true">
        <span
          className="block h-full bg-ink-2"
          style={{ width: `${most === 0 ? 0 : Math.min(100, (100 * totalCost) / most)}%` }}
        />
      </span>
    ),
  },
];

export const PARTIAL = "The true cost is more: calls without a price or without full usage are in it.";

const SUMMED = [
  ...(["calls", "inputTokens", "cacheCreationTokens", "cacheReadTokens", "outputTokens", "reasoningTokens"] as const),
  ...(["totalTokens", "totalCost"] as const),
];

/** The groups of a period as one row. */
export function sumPeriods(rows: readonly UsageRow[]): ReadonlyMap<string, UsageAnswer["totals"]> {
  return new Map(
    [...Map.groupBy(rows, periodOfRow)].map(([key, of]) => {
      const [first] = of;
      const sums = { ...first!, compactions: first!.compactions };
      for (const name of SUMMED) sums[name] = of.reduce((all, row) => all + row[name], 0);
      if (sums.compactions !== null) sums.compactions = of.reduce((all, row) => all + (row.compactions ?? 0), 0);
      sums.isPartial = of.some(({ isPartial }) => isPartial);
      const prompt = sums.inputTokens + sums.cacheCreationTokens + sums.cacheReadTokens;
      sums.cacheShare = prompt === 0 ? null : sums.cacheReadTokens / prompt;
      return [key, sums];
    }),
  );
}

export const GROUP_HEADS: Readonly<Record<UsageGroup, string>> = {
  agent: "Agent",
  project: "Project",
  model: "Model",
  tool: "Tool",
  "mcp-server": "MCP server",
  person: "Person",
  sender: "Sender",
  "fleet-project": "Fleet project",
};
