"use client";
// What every prompt carried and no call used: MCP servers, lists of skills, memory files.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { UnusedAnswer } from "#lib/wire/usage-schema.ts";
import { NO_PRICE } from "#lib/kernel/load/load-labels.ts";
import { DataTable, type DataColumn } from "../ui/data-table.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatTokens, formatUsd } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { Absent, Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { listPages } from "../shared/list-pages.ts";
import { Below } from "./below.tsx";
import { NoRows, type OwnViewProps } from "./no-rows.tsx";
import { unusedQuery } from "./own-queries.ts";

type Row = UnusedAnswer["rows"][number];

export function UnusedView({ range, onAll }: OwnViewProps) {
  const { data, error } = useQuery(unusedQuery(range));
  const pages = useMemo(() => listPages(data?.rows ?? []), [data]);
  if (error !== null)
    return (
      <Below>
        <RequestFailure error={error} title="The list could not be read" />
      </Below>
    );
  if (data === undefined)
    return (
      <Below>
        <Loading rows={10} label="Looking for what is unused" />
      </Below>
    );
  if (data.rows.length === 0)
    return (
      <NoRows
        title="Nothing unused in this time"
        looked="Looked at the MCP servers, skills and memory files of all sessions."
        about="It lists MCP servers, skills and memory files that prompts carry unused."
        range={range}
        onAll={onAll}
      />
    );
  return <DataTable label="Unused" columns={COLUMNS} pages={pages} />;
}

const COLUMNS: readonly DataColumn<Row>[] = [
  {
    id: "name",
    name: "Carried",
    width: 0,
    cell: ({ name }) => (
      <span className="block truncate font-medium">
        <SafeText text={name} />
      </span>
    ),
  },
  {
    id: "sessions",
    name: "Sessions",
    width: 84,
    number: true,
    from: 520,
    cell: ({ sessions }) => formatTokens(sessions),
  },
  {
    id: "tokens",
    name: "Tokens a prompt",
    width: 124,
    number: true,
    from: 660,
    cell: ({ tokens }) => <Num value={tokens} origin="estimated" />,
  },
  {
    id: "sent",
    name: "Sent",
    width: 124,
    number: true,
    from: 760,
    cell: ({ sent }) => <Num value={sent} origin="estimated" />,
  },
  {
    id: "used",
    name: "Used",
    width: 108,
    from: 560,
    cell: ({ uses }) =>
      uses === null ? (
        <span className="text-ink-3" title="A log cannot tell whether it was followed">
          not recorded
        </span>
      ) : (
        "never"
      ),
  },
  {
    id: "usd",
    name: "A month",
    width: 92,
    number: true,
    cell: ({ monthlyUsd }) =>
      monthlyUsd === null ? <Absent why={NO_PRICE} /> : <span className="font-medium">~{formatUsd(monthlyUsd)}</span>,
  },
];
