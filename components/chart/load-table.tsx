"use client";
// The chart's numbers as a table, 200 calls at a time: a screen reader, or an eye for exact figures, needs no picture.
import { partsOf } from "#lib/wire/load-stack.ts";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { CATEGORY_NAMES, CATEGORIES } from "#lib/wire/common-schema.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Num } from "../ui/num.tsx";
import { type LoadView } from "../shared/load-view.ts";
import { useSession } from "../shared/session-context.tsx";
import { reportedCallsQuery } from "../shared/session-queries.ts";
import { ReportedCells, ReportedHeads, ReportedNotes } from "./reported-cells.tsx";

const ROWS = 200;

export function LoadTable({ view, index }: { view: LoadView; index: number }) {
  const [page, setPage] = useState<number | null>(null);
  const last = Math.max(0, Math.ceil(view.calls.length / ROWS) - 1);
  const from = (page ?? 0) * ROWS;
  const { id } = useSession();
  const reported = useQuery(reportedCallsQuery(id, page !== null)).data;
  const byCall = useMemo(() => new Map(reported?.calls.map((one) => [one.call, one])), [reported]);
  const isReported = byCall.size > 0;
  return (
    <>
      <button
        type="button"
        className="text-12 text-accent hover:underline"
        onClick={() => setPage(Math.floor(index / ROWS))}
      >
        Calls as a table
      </button>
      <Dialog open={page !== null} onClose={() => setPage(null)} title="Load by model call" width={1080}>
        <div className="mb-2 flex items-center gap-2 text-12 text-ink-3">
          Calls {from + 1} to {Math.min(from + ROWS, view.calls.length)} of {view.calls.length}
          <span className="flex-1" />
          <Button
            small
            disabled={page === 0}
            title={page === 0 ? "These are the first" : undefined}
            onClick={() => setPage((page ?? 0) - 1)}
          >
            Earlier
          </Button>
          <Button
            small
            disabled={page === last}
            title={page === last ? "These are the last" : undefined}
            onClick={() => setPage((page ?? 0) + 1)}
          >
            Later
          </Button>
        </div>
        {isReported && <ReportedNotes reported={reported!} />}
        <table className="w-full text-12">
          <thead>
            <tr className="border-b border-line-strong text-ink-3">
              <th className="text-left font-medium">Call</th>
              {CATEGORIES.toReversed().map((category) => (
                <th key={category} className="pl-3 text-right font-medium">
                  {CATEGORY_NAMES[category]}
                </th>
              ))}
              <th className="pl-3 text-right font-medium">Prompt</th>
              {isReported && <ReportedHeads />}
            </tr>
          </thead>
          <tbody>
            {view.calls.slice(from, from + ROWS).map((call) => (
              <tr key={call.call} className="h-6 border-b border-line">
                <th scope="row" className="text-left font-normal">
                  {call.call}
                </th>
                {partsOf(call)
                  .toReversed()
                  .map((part) => (
                    <td key={part.category} className="num pl-3">
                      <Num value={part.tokens} origin={part.origin} />
                    </td>
                  ))}
                <td className="num pl-3 font-medium">
                  <Num value={call.prompt} origin={call.origin} />
                </td>
                {isReported && <ReportedCells call={byCall.get(call.call)} />}
              </tr>
            ))}
          </tbody>
        </table>
      </Dialog>
    </>
  );
}
