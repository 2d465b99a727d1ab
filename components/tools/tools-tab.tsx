"use client";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { InteractionRow, ToolsAnswer } from "#lib/wire/events-schema.ts";
import { toolsQuery } from "../shared/session-queries.ts";
import { useSession } from "../shared/session-context.tsx";
import { TOOL_FILTERS, useToolsState } from "../shared/url-state.ts";
import { Chip } from "../ui/chip.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Empty } from "../ui/empty.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatBytes, formatCount, formatDuration } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { chosenRows, countsOf, directionOf, rankedTotals } from "./interactions.ts";
import { listPages } from "../shared/list-pages.ts";
import { toolColumns } from "./tool-columns.tsx";

const NAMES = { all: "All", pending: "Pending", error: "Errors", orphan: "Without a call", repeated: "Repeated" };

/** Every tool call with its result: what came back, and what it came to over the calls that were sent it. */
export function ToolsTab({ onOpen }: { onOpen: (seq: number) => void }) {
  const { id } = useSession();
  const tools = useQuery(toolsQuery(id));
  if (tools.error) {
    return (
      <div className="p-6">
        <RequestFailure error={tools.error} title="The tool calls could not be read" />
      </div>
    );
  }
  if (!tools.data)
    return (
      <div className="px-6 py-3">
        <Loading rows={10} label="Loading the tool calls" />
      </div>
    );
  if (tools.data.interactions.length === 0)
    return (
      <div className="p-6">
        <Empty title="No tool calls">The agent of this session asked for no tool.</Empty>
      </div>
    );
  return <Tools answer={tools.data} onOpen={onOpen} />;
}

function Tools({ answer, onOpen }: { answer: ToolsAnswer; onOpen: (seq: number) => void }) {
  const [state, setState] = useToolsState();
  const name = JSON.stringify(state);
  const rows = useMemo(() => chosenRows(answer.interactions, state), [answer, state]);
  const counts = useMemo(() => countsOf(answer.interactions, state.tool), [answer, state.tool]);
  const totals = useMemo(() => rankedTotals(answer.interactions, state.show), [answer, state.show]);
  const columns = useMemo(() => toolColumns(onOpen), [onOpen]);
  const pages = useMemo(() => listPages<InteractionRow>(rows, name), [rows, name]);
  return (
    <div className="grid min-h-0 flex-1 grid-cols-[280px_minmax(0,1fr)] max-[900px]:grid-cols-[minmax(0,1fr)]">
      <Totals totals={totals} tool={state.tool} onTool={(tool) => void setState({ tool })} />
      <div className="flex min-h-0 min-w-0 flex-col">
        <div className="flex flex-none flex-wrap items-center gap-1 px-6 py-2">
          {TOOL_FILTERS.map((show) => (
            <Chip
              key={show}
              on={state.show === show}
              hint={counts[show].toLocaleString("en-US")}
              onClick={() => void setState({ show })}
            >
              {NAMES[show]}
            </Chip>
          ))}
          {state.tool !== null && (
            <Chip on onClear={() => void setState({ tool: null })} onClick={() => void setState({ tool: null })}>
              <SafeText text={state.tool} />
            </Chip>
          )}
        </div>
        {rows.length === 0 ? (
          <p className="px-6 text-ink-3">None of {formatCount(answer.interactions.length, "interaction")} fits.</p>
        ) : (
          <DataTable
            key={name}
            label="Tool interactions"
            columns={columns}
            pages={pages}
            order={{
              sort: state.sort,
              dir: directionOf(state),
              onSort: (sort, dir) => void setState({ sort, reverse: dir !== directionOf({ sort, reverse: false }) }),
            }}
          />
        )}
      </div>
    </div>
  );
}

type TotalsProps = { totals: ToolsAnswer["totals"]; tool: string | null; onTool: (tool: string | null) => void };

function Totals({ totals, tool, onTool }: TotalsProps) {
  const most = Math.max(1, ...totals.map((total) => total.lifetimeTokens));
  return (
    <aside className="overflow-y-auto border-r border-line pt-2.5 max-[900px]:hidden" aria-label="Totals by tool">
      <h2 className="px-6 pb-1 text-12 font-medium text-ink-3">By tool, lifetime tokens</h2>
      <ul>
        {totals.map((total) => (
          <li key={total.toolName}>
            <button
              type="button"
              aria-pressed={total.toolName === tool}
              onClick={() => onTool(total.toolName === tool ? null : total.toolName)}
              className="block w-full px-6 py-1.5 text-left hover:bg-sunk aria-pressed:bg-select"
            >
              <span className="flex items-baseline gap-2">
                <span className="min-w-0 flex-1 truncate font-medium">
                  <SafeText text={total.toolName} />
                </span>
                <span className="num pr-1">
                  <Num value={total.lifetimeTokens} origin={total.origin} short />
                </span>
              </span>
              <i
                className="mt-0.5 block h-[3px] rounded-[1px] bg-c-result"
                style={{ width: `${(total.lifetimeTokens / most) * 100}%` }}
              />
              <span className="mt-0.5 block truncate text-12 text-ink-3">
                {formatCount(total.calls, "call")}, {formatBytes(total.bytes)}
                {total.durationMs > 0 && `, ${formatDuration(total.durationMs)}`}
                {total.errors > 0 && `, ${formatCount(total.errors, "error")}`}
                {total.pending > 0 && `, ${total.pending} pending`}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </aside>
  );
}
