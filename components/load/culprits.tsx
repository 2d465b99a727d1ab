"use client";
// Who filled the context, by what could have been avoided; last, unranked, what no file can itemise.
import { ArrowDown } from "lucide-react";
import { Fragment, useMemo } from "react";
import type { LedgerAnswer } from "#lib/wire/ledger.ts";
import { useLoadState } from "../session/url-state.ts";
import { MIDDLE, WIDE } from "./columns.ts";
import { CulpritDetail } from "./culprit-detail.tsx";
import { CulpritCells } from "./culprit-row.tsx";
import { Heaviest } from "./heaviest.tsx";
import { LeftOverRow } from "./left-over-row.tsx";
import { itemsBySeq, keyOf, leftOvers, rankCulprits, type CulpritSort } from "./ledger-view.ts";
import type { LoadPlace } from "./load-place.ts";

type Column = {
  readonly name: string;
  readonly title?: string;
  readonly className: string;
  readonly sort?: CulpritSort;
};

const COLUMNS: readonly Column[] = [
  { name: "Rank", className: "w-7 quiet" },
  { name: "Culprit", className: "text-left" },
  { name: "At call", title: "The first model call that was sent it", className: `w-17 num ${MIDDLE}` },
  { name: "Tokens", title: "What it weighs in one prompt", className: "w-21 num" },
  { name: "Sent", title: "How many model calls were sent it", className: `w-15 num ${MIDDLE}` },
  { name: "Lifetime", title: "Tokens × calls, until a compaction took it out", className: `w-21 num ${WIDE}` },
  {
    name: "Cost",
    title: "What could have been avoided; on hover, what it came to in all",
    className: "w-17 num",
    sort: "cost",
  },
  {
    name: "Last used",
    title: "The last call whose own words named what it says",
    className: `w-21 num ${WIDE}`,
  },
  { name: "What to do", className: `w-54 text-left ${MIDDLE}` },
  { name: "Off peak", title: "Tokens off the fullest prompt, without it", className: "w-19 num", sort: "peak" },
];

type CulpritsProps = { ledger: LedgerAnswer; place: LoadPlace };

export function Culprits({ ledger, place }: CulpritsProps) {
  const [{ by, culprit: chosen }, choose] = useLoadState();
  const bySeq = useMemo(() => itemsBySeq(ledger), [ledger]);
  const ranked = useMemo(() => rankCulprits(ledger.culprits, by), [ledger, by]);
  const rest = useMemo(() => leftOvers(ledger), [ledger]);
  const openKey = chosen ?? (ranked[0] ? keyOf(ranked[0]) : null);
  if (ranked.length === 0)
    return (
      <>
        <h2 className="mt-5 text-15 font-semibold">No culprit</h2>
        <p className="mt-1 text-ink-2">
          Nothing in this session was waste that a detector knows. What weighed most is still worth a look:
        </p>
        <Heaviest onOpen={place.openEvent} />
      </>
    );
  return (
    <div className="@container mt-3.5 overflow-x-auto">
      <table className="w-full min-w-100 table-fixed" aria-label="Culprits">
        <thead>
          <tr className="border-b border-line-strong text-12 text-ink-3">
            {COLUMNS.map((column) => (
              <Head key={column.name} column={column} by={by} onSort={(sort) => void choose({ by: sort })} />
            ))}
          </tr>
        </thead>
        <tbody>
          {ranked.map((culprit, i) => {
            const key = keyOf(culprit);
            const isOpen = key === openKey;
            return (
              <Fragment key={key}>
                <CulpritCells
                  culprit={culprit}
                  rank={i + 1}
                  bySeq={bySeq}
                  isOpen={isOpen}
                  place={place}
                  onPick={() => {
                    void choose({ culprit: key });
                    place.goToCall(culprit.fromCall);
                  }}
                />
                {isOpen && <CulpritDetail culprit={culprit} columns={COLUMNS.length} place={place} />}
              </Fragment>
            );
          })}
          {rest.map((left, i) => (
            <LeftOverRow key={left.label} left={left} first={i === 0} place={place} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type HeadProps = { column: Column; by: CulpritSort; onSort: (by: CulpritSort) => void };

function Head({ column: { name, title, className, sort }, by, onSort }: HeadProps) {
  const isSorted = sort === by;
  const isQuiet = className.includes("quiet");
  return (
    <th
      scope="col"
      title={title}
      aria-sort={isSorted ? "descending" : undefined}
      className={`h-6.5 px-2 font-medium whitespace-nowrap ${className} ${isSorted ? "text-ink" : ""}`}
    >
      {sort === undefined ? (
        <span className={isQuiet ? "sr-only" : ""}>{name}</span>
      ) : (
        <button
          type="button"
          className="inline-flex items-center gap-0.5 font-medium hover:text-ink"
          onClick={() => onSort(sort)}
        >
          {name}
          {isSorted && <ArrowDown size={11} aria-hidden="true" />}
        </button>
      )}
    </th>
  );
}
