"use client";
import type { InteractionRow } from "#lib/wire/events-schema.ts";
import { rawArtifactPath } from "../shared/session-queries.ts";
import type { ToolSort } from "../shared/url-state.ts";
import { Badge } from "../ui/badge.tsx";
import type { DataColumn } from "../ui/data-table.tsx";
import { formatBytes, formatDuration } from "../ui/format.ts";
import { Absent, Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";

/** The interactions table. A row leads to both of its halves. */
export const toolColumns = (onOpen: (seq: number) => void): readonly DataColumn<InteractionRow, ToolSort>[] => [
  {
    id: "events",
    name: "Events",
    width: 104,
    from: 620,
    sort: "order",
    cell: (row) => (
      <span className="flex gap-2 tabular-nums">
        <Half seq={row.callSeq} what="call" onOpen={onOpen} />
        <Half seq={row.resultSeq} what="result" onOpen={onOpen} />
      </span>
    ),
  },
  {
    id: "tool",
    name: "Tool",
    width: 0,
    sort: "tool",
    cell: (row) => (
      <button
        type="button"
        data-opens=""
        className="flex max-w-full items-baseline gap-2 text-left hover:underline"
        title={`Open event ${row.callSeq ?? row.resultSeq} in the transcript`}
        onClick={() => onOpen(row.callSeq ?? row.resultSeq ?? 1)}
      >
        <span className="max-w-full flex-none truncate font-medium">
          <SafeText text={row.toolName} />
        </span>
        <span className="mono min-w-0 truncate text-ink-2">
          <SafeText
            text={row.label.startsWith(`${row.toolName} `) ? row.label.slice(row.toolName.length + 1) : row.label}
          />
        </span>
      </button>
    ),
  },
  {
    id: "status",
    name: "Status",
    width: 104,
    from: 600,
    cell: (row) => (
      <span className="flex items-center gap-1.5">
        {row.status === "success" ? (
          <span className="text-ink-2">done</span>
        ) : (
          <Badge tone={row.status === "error" ? "error" : "plain"}>
            {row.status === "orphan" ? "no call" : row.status}
          </Badge>
        )}
        {row.repeats > 1 && <Badge title={`Called ${row.repeats} times with the same input`}>{row.repeats}×</Badge>}
      </span>
    ),
  },
  {
    id: "started",
    name: "Started",
    width: 96,
    number: true,
    from: 1080,
    cell: (row) => <When ts={row.startedAt} show="time" />,
  },
  {
    id: "duration",
    name: "Took",
    width: 88,
    number: true,
    sort: "duration",
    from: 820,
    cell: (row) => (row.durationMs === null ? <Absent why="Not recorded" /> : formatDuration(row.durationMs)),
  },
  {
    id: "bytes",
    name: "Size",
    width: 84,
    number: true,
    sort: "bytes",
    cell: (row) =>
      row.artifact === null ? (
        formatBytes(row.bytes)
      ) : (
        <a className="link" href={rawArtifactPath(row.artifact)} download title="Download the output, byte for byte">
          {formatBytes(row.bytes)}
        </a>
      ),
  },
  {
    id: "tokens",
    name: "Tokens",
    width: 88,
    number: true,
    sort: "tokens",
    cell: (row) => (
      <span className="pr-1">
        <Num value={row.tokens} origin={row.origin} textTokens={row.textTokens} />
      </span>
    ),
  },
  {
    id: "resident",
    name: "Sent",
    width: 72,
    number: true,
    sort: "resident",
    from: 700,
    cell: (row) =>
      row.callsResident === null ? (
        <Absent why="Not in any prompt" />
      ) : (
        <span title={row.enteredAt === null ? undefined : `From call ${row.enteredAt} on`}>{row.callsResident}×</span>
      ),
  },
  {
    id: "lifetime",
    name: "Lifetime",
    width: 96,
    from: 460,
    number: true,
    sort: "lifetime",
    cell: (row) => (
      <span className="pr-1">
        <Num value={row.lifetimeTokens} origin={row.origin} short />
      </span>
    ),
  },
];

function Half({ seq, what, onOpen }: { seq: number | null; what: string; onOpen: (seq: number) => void }) {
  if (seq === null) return <Absent why={`No ${what} in this log`} />;
  return (
    <button type="button" className="link" aria-label={`Open the ${what}, event ${seq}`} onClick={() => onOpen(seq)}>
      {seq}
    </button>
  );
}
