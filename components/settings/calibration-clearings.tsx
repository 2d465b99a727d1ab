"use client";
import Link from "next/link";
import type { CalibrationAnswer } from "#lib/wire/calibration-schema.ts";
import { Absent, Num } from "../ui/num.tsx";
import { PlainTable, ROW, type Column } from "./plain-table.tsx";

const COLUMNS: readonly Column[] = [
  { name: "Before call" },
  { name: "The ledger" },
  { name: "The prompt fell by" },
  { name: "The agent said" },
];

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
      <PlainTable label="Clearings by agents" width="min-w-160" columns={COLUMNS}>
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
      </PlainTable>
    </section>
  );
}
