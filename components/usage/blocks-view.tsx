"use client";
// Five-hour blocks, the newest first, with burn rate; the active one with its projection; limits of a plan where files state them.
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useMemo } from "react";
import { leastUsd, NO_PRICE } from "#lib/kernel/load/load-labels.ts";
import type { PlanLimit, UsageBlock } from "#lib/wire/blocks-schema.ts";
import { Badge } from "../ui/badge.tsx";
import { DataTable, type DataColumn } from "../ui/data-table.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatDuration, formatPercent, formatTokens, formatUsd } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { LeastUsd } from "../ui/least-usd.tsx";
import { Absent } from "../ui/num.tsx";
import { When } from "../ui/when.tsx";
import { listPages } from "../shared/list-pages.ts";
import { Below } from "./below.tsx";
import { NoRows, type OwnViewProps } from "./no-rows.tsx";
import { blocksQuery } from "./own-queries.ts";
import { PARTIAL } from "./usage-table.tsx";

export function BlocksView({ range, onAll }: OwnViewProps) {
  const { data, error } = useQuery(blocksQuery(range));
  const pages = useMemo(() => listPages(data?.blocks.toReversed() ?? []), [data]);
  if (error !== null)
    return (
      <Below>
        <RequestFailure error={error} title="The blocks could not be read" />
      </Below>
    );
  if (data === undefined)
    return (
      <Below>
        <Loading rows={10} label="Summing blocks" />
      </Below>
    );
  const active = data.blocks.find(({ isActive }) => isActive);
  // What was used of a window that ended since says nothing of now.
  const limits = data.limits.filter(({ isOver }) => !isOver);
  return (
    <>
      {(active !== undefined || limits.length > 0) && (
        <section aria-label="Now" className="flex flex-none flex-wrap gap-x-10 gap-y-2 px-6 pb-4 max-md:px-4">
          {active !== undefined && <Active block={active} />}
          {limits.map((limit) => (
            <Limit key={limit.windowMinutes} limit={limit} />
          ))}
        </section>
      )}
      {data.blocks.length === 0 ? (
        <NoRows
          title="No model calls in this time"
          looked="Looked at the calls of all sessions in the archive."
          about="Blocks are the model calls of all sessions, by five hours."
          range={range}
          onAll={onAll}
        />
      ) : (
        <DataTable label="Blocks" columns={COLUMNS} pages={pages} />
      )}
    </>
  );
}

function Active({ block: { totalTokens, costUSD, isPartial, burnRate, projection } }: { block: UsageBlock }) {
  const spent = leastUsd(costUSD, isPartial);
  if (spent === null)
    return (
      <p className="text-ink-2">
        {formatTokens(totalTokens, true)} tokens in this block, {NO_PRICE}.
      </p>
    );
  return (
    <p className="text-ink-2">
      <b className="font-semibold text-ink">{spent}</b> and {formatTokens(totalTokens, true)} tokens in this block
      {burnRate !== null && <>, {leastUsd(burnRate.costPerHour, isPartial)} an hour</>}.{" "}
      {projection !== null && (
        <>
          At this rate <b className="font-semibold text-ink">~{formatUsd(projection.totalCost)}</b> when it ends in{" "}
          {formatDuration(projection.remainingMinutes * 60_000)}.
        </>
      )}
    </p>
  );
}

function Limit({ limit }: { limit: PlanLimit }) {
  const { agent, windowMinutes, usedShare, minutesLeft, statedAt, session } = limit;
  const window = windowMinutes === null ? "window" : formatDuration(windowMinutes * 60_000);
  return (
    <p className="text-ink-2">
      {agent}, {window} limit: <b className="font-semibold text-ink">{formatPercent(usedShare)}</b> used
      {minutesLeft !== null && `, resets in ${formatDuration(minutesLeft * 60_000)}`}.{" "}
      <Link className="link" prefetch={false} href={`/sessions/${session}`}>
        Stated <When ts={statedAt} show="day" />
      </Link>
    </p>
  );
}

const COLUMNS: readonly DataColumn<UsageBlock>[] = [
  {
    id: "start",
    name: "Begins",
    width: 0,
    cell: ({ startTime, isActive }) => (
      <span className="flex items-center gap-2 font-medium">
        <When ts={startTime} />
        {isActive && <Badge tone="live">now</Badge>}
      </span>
    ),
  },
  { id: "calls", name: "Calls", width: 72, number: true, from: 560, cell: ({ entries }) => formatTokens(entries) },
  {
    id: "tokens",
    name: "Tokens",
    width: 120,
    number: true,
    from: 480,
    cell: ({ totalTokens }) => (totalTokens === 0 ? <Absent why="No tokens recorded" /> : formatTokens(totalTokens)),
  },
  {
    id: "burn",
    name: "Tokens a minute",
    width: 124,
    number: true,
    from: 760,
    cell: ({ burnRate }) =>
      burnRate === null ? <Absent why="Shorter than a minute" /> : formatTokens(Math.round(burnRate.tokensPerMinute)),
  },
  {
    id: "hour",
    name: "Cost an hour",
    width: 104,
    number: true,
    from: 660,
    cell: ({ burnRate, isPartial }) =>
      burnRate === null ? (
        <Absent why="Shorter than a minute" />
      ) : (
        <LeastUsd usd={burnRate.costPerHour} isPartial={isPartial} />
      ),
  },
  {
    id: "cost",
    name: "Cost",
    width: 92,
    number: true,
    cell: ({ costUSD, isPartial }) => (
      <span className="font-medium">
        <LeastUsd usd={costUSD} isPartial={isPartial} why={isPartial ? PARTIAL : "At list price"} />
      </span>
    ),
  },
];
