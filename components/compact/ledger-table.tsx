"use client";
// What happens to each turn: kept, summarised or dropped, what it weighs before and after, and where it stays.
import { useState } from "react";
import type { LoadCall } from "#lib/wire/load-schema.ts";
import type { CompactAnswer } from "#lib/wire/memory-schema.ts";
import { EventLink } from "../shared/event-links.tsx";
import { Absent, Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { totalsOf, type Turn, type Fate } from "./compact-view.ts";
import "./ledger-table.css";
import { ledgerGroups, type LedgerGroup, type LedgerRow } from "./plan-ledger.ts";

type LedgerTableProps = {
  answer: CompactAnswer;
  turns: readonly Turn[];
  calls: readonly LoadCall[];
  onOpen: (seq: number) => void;
};

export function LedgerTable({ answer, turns, calls, onOpen }: LedgerTableProps) {
  const groups = ledgerGroups(answer, turns, calls);
  const totals = totalsOf(answer, calls);
  const events = answer.whole.length + answer.summarised.length + answer.dropped.length;
  return (
    <div className="@container">
      <table className="compact-ledger" aria-label="Ledger of the compaction">
        <colgroup>
          <col width={48} />
          <col />
          <col width={56} className="max-sm:hidden" />
          <col width={82} />
          <col width={82} />
          <col width={132} />
        </colgroup>
        <thead>
          <tr>
            <th scope="col">Turn</th>
            <th scope="col">Outcome</th>
            <th scope="col" className="num">
              Events
            </th>
            <th scope="col" className="num">
              Before
            </th>
            <th scope="col" className="num">
              After
            </th>
            <th scope="col" className="pl-4">
              Location
            </th>
          </tr>
        </thead>
        {groups.map((group) => (
          <Group key={group.fate} group={group} onOpen={onOpen} />
        ))}
        <tfoot>
          <tr>
            <th scope="row" colSpan={2}>
              All of the context
            </th>
            <td className="num text-ink-2">{events}</td>
            <td className="num font-semibold">
              <Num value={totals.before} origin={totals.beforeOrigin} />
            </td>
            <td className="num font-semibold">
              <Num value={totals.after} origin="estimated" />
            </td>
            <td className="pl-4 text-12 text-ink-2">
              <Num value={totals.freed} origin="estimated" /> freed
            </td>
          </tr>
        </tfoot>
      </table>
    </div>
  );
}

/** Rows of a group before the rest is asked for: 40 turns would push what is dropped out of sight. */
const SHOWN = 8;

function Group({ group, onOpen }: { group: LedgerGroup; onOpen: (seq: number) => void }) {
  const [isOpen, setOpen] = useState(false);
  const more = group.rows.length - SHOWN;
  const isFolded = more > 1 && !isOpen;
  return (
    <tbody>
      <tr className="ledger-group">
        <th scope="rowgroup" colSpan={6}>
          <span className="flex items-center gap-2">
            <FateGlyph fate={group.fate} />
            {FATE_NAMES[group.fate]}
            <span className="font-normal text-ink-3">{group.note}</span>
          </span>
        </th>
      </tr>
      {(isFolded ? group.rows.slice(0, SHOWN) : group.rows).map((row) => (
        <Row key={row.key} row={row} isDropped={group.fate === "dropped"} onOpen={onOpen} />
      ))}
      {more > 1 && (
        <tr>
          <td colSpan={6} className="ledger-more">
            <button type="button" className="link text-12" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? "Show fewer" : `${more} more`}
            </button>
            {isFolded && (
              <span className="text-12 text-ink-3">
                ,{" "}
                <Num
                  value={beforeOf(group.rows.slice(SHOWN))}
                  origin={group.rows[SHOWN]?.beforeOrigin ?? "estimated"}
                />{" "}
                tokens
              </span>
            )}
          </td>
        </tr>
      )}
    </tbody>
  );
}

const beforeOf = (rows: readonly LedgerRow[]): number => rows.reduce((sum, { before }) => sum + (before ?? 0), 0);

type RowProps = { row: LedgerRow; isDropped: boolean; onOpen: (seq: number) => void };

function Row({ row, isDropped, onOpen }: RowProps) {
  return (
    <tr>
      <td className="text-ink-3">{row.turn}</td>
      <td className={`truncate ${isDropped ? "text-ink-2" : ""}`}>
        {row.seq === null ? (
          row.label
        ) : (
          <EventLink seq={row.seq} onOpen={onOpen}>
            <SafeText text={row.label} />
          </EventLink>
        )}
      </td>
      <td className="num text-ink-2">{row.events ?? ""}</td>
      <td className="num text-ink-2">
        {row.before === null ? (
          <Absent why="Not available yet" />
        ) : (
          <Num value={row.before} origin={row.beforeOrigin} />
        )}
      </td>
      <td className="num font-medium">
        {row.after === null ? <Absent why="Not in the context" /> : <Num value={row.after} origin={row.afterOrigin} />}
      </td>
      <td className="truncate pl-4 text-12 text-ink-3">{row.where}</td>
    </tr>
  );
}

const FATE_NAMES: Record<Fate, string> = {
  kept: "Kept",
  summarised: "Summarised",
  dropped: "Dropped from the context",
};

/** Full square kept, half square summarised, dotted square dropped: shape, not colour. */
function FateGlyph({ fate }: { fate: Fate }) {
  return (
    <svg width="12" height="12" aria-hidden="true">
      {fate === "kept" && <rect x="1" y="1" width="10" height="10" rx="1.5" fill="var(--ink)" />}
      {fate === "summarised" && (
        <>
          <rect x="1" y="1" width="10" height="10" rx="1.5" fill="none" stroke="var(--ink)" />
          <path d="M1 6h10v4a1 1 0 01-1 1H2a1 1 0 01-1-1z" fill="var(--ink)" />
        </>
      )}
      {fate === "dropped" && (
        <rect x="1.5" y="1.5" width="9" height="9" rx="1" fill="none" stroke="var(--ink-3)" strokeDasharray="2 1.5" />
      )}
    </svg>
  );
}
