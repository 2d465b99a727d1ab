"use client";
/* oxlint-disable jsx-a11y/prefer-tag-over-role -- rows and columns off screen are not there: no table element can say so */
import { memo } from "react";
import { SafeText } from "../ui/safe-text.tsx";
import type { GridLayout } from "./grid-head.tsx";
import { KIND } from "./table-store.ts";
import type { Cell, ColumnView, RowView, TableAsks } from "./table-words.ts";

type GridRowProps = {
  index: number;
  /** Null while it is on its way. */
  row: RowView | null;
  /** Columns of the row's cells. */
  cells: readonly number[];
  layout: GridLayout;
  columns: readonly ColumnView[];
  /** The column whose numbers have a gauge. */
  gauge: number | null;
  /** The column of this row that the keyboard is on. */
  cursor: number | null;
  isChosen: boolean;
  /** Where pressing a cell does something else, the number of the row opens it. */
  onCell: TableAsks["onCell"] | null;
  onChoose: (index: number, row: number | null, column: number) => void;
};

export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { index, row, cells, layout, columns, gauge, cursor, isChosen, onCell, onChoose } = props;
  const { edges, from, numberPx, width } = layout;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isChosen}
      className={`group/row relative flex h-7 min-w-full border-b border-line ${isChosen ? "bg-select" : "hover:bg-sunk"}`}
      style={{ width }}
    >
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the grid has the keyboard: Enter opens the row */}
      <span
        role="rowheader"
        onClick={onCell === null ? undefined : () => onChoose(index, row?.row ?? null, from)}
        aria-colindex={1}
        className={`num sticky left-0 z-10 block h-full pt-1 pr-3 text-ink-3 ${onCell === null ? "" : "cursor-pointer hover:text-ink"} ${isChosen ? "bg-select" : "bg-bg group-hover/row:bg-sunk"}`}
        style={{ width: numberPx }}
      >
        {row === null ? "" : (row.row + 1).toLocaleString("en-US")}
      </span>
      {layout.columns.map((at, i) => {
        const left = edges[from + i] ?? 0;
        const cell = row?.cells[cells.indexOf(at)];
        const column = columns[at];
        return (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the grid has the keyboard: Enter is the click
          <div
            key={at}
            id={`cell-${index}-${at}`}
            role="gridcell"
            tabIndex={-1}
            aria-colindex={from + i + 2}
            data-cursor={cursor === at || undefined}
            className={`grid-cell absolute flex h-7 items-center gap-2 px-2 ${column?.type === "number" ? "num justify-end" : ""}`}
            style={{ left: numberPx + left, width: (edges[from + i + 1] ?? left) - left }}
            onClick={() =>
              onCell !== null && cell && column
                ? onCell(column.name, cell)
                : onChoose(index, row?.row ?? null, from + i)
            }
          >
            {cell ? <CellText cell={cell} /> : <span className="bar w-3/5" />}
            {gauge === at && column && column.max > 0 && <Bar cell={cell} max={column.max} />}
          </div>
        );
      })}
    </div>
  );
});

function CellText({ cell: { text, kind, isCut } }: { cell: Cell }) {
  if (kind === KIND.missing) return <span className="text-ink-3">–</span>;
  if (kind === KIND.null) return <span className="text-ink-3">null</span>;
  const look = kind === KIND.nested ? "mono text-ink-2" : kind === KIND.broken ? "mono text-ink-3" : "";
  return (
    <span className={`truncate ${look}`} title={kind === KIND.broken ? "This line is not JSON" : undefined}>
      <SafeText text={text} />
      {isCut && "…"}
    </span>
  );
}

function Bar({ cell, max }: { cell: Cell | undefined; max: number }) {
  const share = cell?.kind === KIND.number ? Math.min(1, Math.max(0, Number(cell.text) / max)) : 0;
  return (
    <span className="w-18 flex-none" aria-hidden="true">
      <i className="block h-1.5 bg-control" style={{ width: `${share * 100}%` }} />
    </span>
  );
}
