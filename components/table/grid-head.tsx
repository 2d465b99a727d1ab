"use client";
/* oxlint-disable jsx-a11y/prefer-tag-over-role -- rows and columns off screen are not there: no table element can say so */
import { ArrowDown, ArrowUp } from "lucide-react";
import { useRef } from "react";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { SafeText } from "../ui/safe-text.tsx";
import type { Sort } from "./arrange.ts";
import type { ColumnView } from "./table-words.ts";

export type GridLayout = {
  /** Left edges of the columns that are shown, and the right edge of the last. */
  readonly edges: readonly number[];
  /** Position of the first column that is on screen, and those that are. */
  readonly from: number;
  readonly columns: readonly number[];
  readonly numberPx: number;
  readonly width: number;
};

type GridHeadProps = {
  layout: GridLayout;
  columns: readonly ColumnView[];
  sort: Sort;
  /** The column that the keyboard is on. */
  cursor: number | null;
  onSort: (column: number, index: number) => void;
  onResize: (column: number, px: number) => void;
};

const TITLE_CHARS = 400;

export function GridHead({ layout, columns, sort, cursor, onSort, onResize }: GridHeadProps) {
  const { edges, from, numberPx, width } = layout;
  return (
    <div role="rowgroup" className="sticky top-0 z-20 min-w-full bg-bg" style={{ width }}>
      <div role="row" aria-rowindex={1} className="relative flex h-7 border-b border-line-strong text-12">
        <span
          role="columnheader"
          aria-colindex={1}
          className="num sticky left-0 z-10 block h-full bg-bg pt-1.5 pr-3 font-medium text-ink-3"
          style={{ width: numberPx }}
        >
          #
        </span>
        {layout.columns.map((at, i) => {
          const index = from + i;
          const column = columns[at];
          if (!column) return null;
          const isSorted = sort?.column === at;
          const Icon = sort?.dir === "asc" ? ArrowUp : ArrowDown;
          const left = edges[index] ?? 0;
          const px = (edges[index + 1] ?? left) - left;
          return (
            <div
              key={at}
              id={`head-${at}`}
              role="columnheader"
              aria-colindex={index + 2}
              aria-sort={isSorted ? (sort.dir === "asc" ? "ascending" : "descending") : "none"}
              data-cursor={cursor === index || undefined}
              className={`grid-cell absolute flex h-7 items-center ${column.type === "number" ? "justify-end" : ""} ${isSorted ? "text-ink" : "text-ink-3"}`}
              style={{ left: numberPx + left, width: px }}
            >
              <button
                type="button"
                tabIndex={-1}
                title={shownText(column.name.slice(0, TITLE_CHARS))}
                onClick={() => onSort(at, index)}
                className={`flex h-full w-full min-w-0 items-center gap-1 px-2 font-medium hover:text-ink ${column.type === "number" ? "justify-end" : ""}`}
              >
                <span className="truncate">
                  <SafeText text={column.name} />
                </span>
                {isSorted && <Icon size={11} aria-hidden="true" />}
                <span className="flex-none font-normal text-ink-3">{column.type}</span>
              </button>
              <Grip px={px} onResize={(next) => onResize(at, next)} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** The edge of a column, to be drawn. By keyboard: Shift and an arrow. */
function Grip({ px, onResize }: { px: number; onResize: (px: number) => void }) {
  const start = useRef<{ x: number; px: number } | null>(null);
  return (
    <span
      aria-hidden="true"
      className="absolute top-0 right-0 z-10 h-full w-1.5 cursor-col-resize touch-none border-r border-transparent hover:border-control"
      onPointerDown={(event) => {
        start.current = { x: event.clientX, px };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (start.current) onResize(start.current.px + event.clientX - start.current.x);
      }}
      onPointerUp={() => {
        start.current = null;
      }}
    />
  );
}
