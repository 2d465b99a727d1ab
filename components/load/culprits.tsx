"use client";
// Who filled the context, by what could have been avoided; last, unranked, what no file can itemise.
import { Fragment, useEffect, useMemo, useRef } from "react";
import { estimatedUsd } from "#lib/kernel/load/load-labels.ts";
import type { LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import { useBoxWidth } from "../chart/use-canvas.ts";
import { useLoadState } from "../shared/url-state.ts";
import { formatCount, formatTokens } from "../ui/format.ts";
import { SortButton } from "../ui/sort-button.tsx";
import { CULPRIT_COLUMNS, type CulpritColumn, type Ranked } from "./culprit-columns.tsx";
import { CulpritDetail } from "./culprit-detail.tsx";
import { Heaviest } from "./heaviest.tsx";
import { culpritOrigin, itemsBySeq, keyOf, leftOvers, rankCulprits, type CulpritSort } from "../shared/ledger-view.ts";
import type { LoadCursor } from "../shared/load-cursor.ts";

type CulpritsProps = { ledger: LedgerAnswer; cursor: LoadCursor };

export function Culprits({ ledger, cursor }: CulpritsProps) {
  if (ledger.culprits.length === 0)
    return (
      <>
        <h2 className="mt-5 text-15 font-semibold">No culprit</h2>
        <p className="mt-1 text-ink-2">No known waste in this session. The heaviest items:</p>
        <Heaviest onOpen={cursor.openEvent} />
      </>
    );
  return <CulpritTable ledger={ledger} cursor={cursor} />;
}

function CulpritTable({ ledger, cursor }: CulpritsProps) {
  const [{ by, culprit: chosen }, choose] = useLoadState();
  const [width, box] = useBoxWidth();
  const columns = CULPRIT_COLUMNS.filter(({ from }) => width >= from);
  const bySeq = useMemo(() => itemsBySeq(ledger), [ledger]);
  const ranked = useMemo(() => rankCulprits(ledger.culprits, by), [ledger, by]);
  const rest = useMemo(() => leftOvers(ledger), [ledger]);
  const openKey = chosen ?? (ranked[0] ? keyOf(ranked[0]) : null);
  return (
    <div ref={box} className="mt-3.5">
      <table className="w-full table-fixed" aria-label="Culprits">
        <thead>
          <tr className="border-b border-line-strong text-12 text-ink-3">
            {columns.map((column) => (
              <Head key={column.name} column={column} by={by} onSort={(sort) => void choose({ by: sort })} />
            ))}
          </tr>
        </thead>
        <tbody>
          {ranked.map((culprit, i) => {
            const key = keyOf(culprit);
            const isOpen = key === openKey;
            const onPick = () => {
              void choose({ culprit: key });
              cursor.goToCall(culprit.fromCall);
            };
            const one = { culprit, rank: i + 1, origin: culpritOrigin(culprit, bySeq), isOpen, onPick };
            return (
              <Fragment key={key}>
                <CulpritLine ranked={one} columns={columns} cursor={cursor} />
                {isOpen && <CulpritDetail culprit={culprit} columns={columns.length} cursor={cursor} />}
              </Fragment>
            );
          })}
          {rest.map((left, i) => (
            <tr key={left.label} className={`h-7 border-t ${i === 0 ? "border-line-strong" : "border-line"}`}>
              {columns.map((column) => (
                <td key={column.name} className={cellClass(column)}>
                  {column.rest(left, cursor)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <AllTogether avoidable={ledger.avoidable} />
      {ledger.culpritsLeftOut > 0 && (
        <p className="mt-1 text-12 text-ink-3">
          {formatCount(ledger.culpritsLeftOut, "more culprit")} would have saved less than these.
        </p>
      )}
    </div>
  );
}

/** The figure that the list of sessions has beside the top culprit. */
function AllTogether({ avoidable: { usd, tokens, isPartial } }: Pick<LedgerAnswer, "avoidable">) {
  const all = estimatedUsd(usd, isPartial) ?? (tokens > 0 ? `~${formatTokens(tokens, true)} tokens` : null);
  if (all === null) return null;
  return (
    <p className="mt-1 text-12 text-ink-3">
      All culprits together: <b className="font-medium text-ink-2 tabular-nums">{all}</b> avoidable.
    </p>
  );
}

type LineProps = { ranked: Ranked; columns: readonly CulpritColumn[]; cursor: LoadCursor };

/** The row moves the cursor to where it came in; its name opens the event. */
function CulpritLine({ ranked, columns, cursor }: LineProps) {
  const line = useRef<HTMLTableRowElement>(null);
  const [{ culprit }] = useLoadState();
  const isNamed = culprit === keyOf(ranked.culprit);
  // A link may name one below the screen.
  useEffect(() => {
    if (isNamed) line.current?.scrollIntoView({ block: "nearest" });
  }, [isNamed]);
  return (
    <tr
      ref={line}
      className={`h-7 cursor-pointer border-b border-line ${ranked.isOpen ? "bg-select" : "hover:bg-sunk"}`}
      onClick={ranked.onPick}
    >
      {columns.map((column) => (
        <td key={column.name} className={`${cellClass(column)} ${column.sort === "cost" ? "font-medium" : ""}`}>
          {column.cell(ranked, cursor)}
        </td>
      ))}
    </tr>
  );
}

const cellClass = ({ className }: CulpritColumn): string => `px-2 ${className}`;

type HeadProps = { column: CulpritColumn; by: CulpritSort; onSort: (by: CulpritSort) => void };

function Head({ column: { name, title, className, sort }, by, onSort }: HeadProps) {
  const isSorted = sort === by;
  return (
    <th
      scope="col"
      title={title}
      aria-sort={isSorted ? "descending" : undefined}
      className={`h-6.5 ${sort === undefined ? "px-2" : "p-0"} font-medium whitespace-nowrap ${className.replace("text-ink-2", "")} ${isSorted ? "text-ink" : ""}`}
    >
      {sort === undefined ? (
        <span className={name === "Rank" ? "sr-only" : ""}>{name}</span>
      ) : (
        <SortButton
          name={name}
          dir={isSorted ? "desc" : null}
          number={className.includes("num")}
          onSort={() => onSort(sort)}
        />
      )}
    </th>
  );
}
