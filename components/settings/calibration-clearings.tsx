"use client";
import Link from "next/link";
import type { CalibrationAnswer } from "#lib/wire/calibration.ts";
import { Absent, Num } from "../ui/num.tsx";
import { HEAD, ROW, TABLE } from "./calibration-tables.tsx";

/** Reality's own test: agents that cleared old results by themselves. Nothing where none did. */
export function Clearings({ clearings }: Pick<CalibrationAnswer, "clearings">) {
  if (clearings.length === 0) return null;
  return (
    <section className="mt-6">
      <h2 className="text-15 font-semibold">Held against reality</h2>
      <p className="mt-0.5 text-12 text-ink-3">
        Here agents cleared old tool results by themselves: what the ledger had for them, what the prompt fell by, and
        what the agent said.
      </p>
      <div className="overflow-x-auto">
        <table className={`${TABLE} min-w-160`} aria-label="Clearings by agents">
          <thead>
            <tr className={HEAD}>
              <th scope="col" className="pl-0! text-left!">
                Before call
              </th>
              <th scope="col">The ledger</th>
              <th scope="col">The prompt fell by</th>
              <th scope="col">The agent said</th>
            </tr>
          </thead>
          <tbody>
            {clearings.map(({ sessionId, seq, call, predicted, reported, agentSaid }) => (
              <tr key={`${sessionId} ${seq}`} className={ROW}>
                <td className="pl-0! text-left!">
                  <Link prefetch={false} className="link" href={`/sessions/${sessionId}?tab=load&event=${seq}`}>
                    {call ?? "–"} of {sessionId}
                  </Link>
                </td>
                <td className="text-right">
                  <Num value={predicted} origin="estimated" />
                </td>
                <td className="text-right">
                  {reported === null ? (
                    <Absent why="Another compaction came in the same interval" />
                  ) : (
                    <Num value={reported} origin="reported" />
                  )}
                </td>
                <td className="text-right">
                  {agentSaid === null ? (
                    <Absent why="The file does not say" />
                  ) : (
                    <Num value={agentSaid} origin="reported" />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
