"use client";
/* oxlint-disable jsx-a11y/prefer-tag-over-role -- rows and columns off screen are not there: no table element can say so */
// Rows and columns on screen, and the cell that the keyboard is on. One stop of the Tab key: arrows go on from there.
import { useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import type { Choices, Choose } from "./column-choices.ts";
import { GridHead } from "./grid-head.tsx";
import { GridRow } from "./grid-row.tsx";
import { columnWindow, edgesOf, ROW_PX } from "./row-window.ts";
import type { TableClient, TableSnapshot } from "./table-client.ts";
import type { TableAsks, ColumnView } from "./table-words.ts";
import { useRowScroll } from "./use-row-scroll.ts";

/** Where the keyboard is: −1 is the head, columns are counted as they are shown, and −1 is the row's number. */
export type Cursor = { readonly row: number; readonly column: number };

type DataGridProps = {
  table: TableSnapshot;
  client: TableClient;
  /** Columns that are shown. */
  shown: readonly number[];
  choices: Choices;
  choose: Choose;
  widths: { readonly of: ReadonlyMap<number, number>; readonly set: (column: number, px: number) => void };
  asks: TableAsks | undefined;
};

export const HEAD_PX = 28;
/** What a gauge takes beside its number. */
const GAUGE_PX = 80;
const LEAST_PX = 48;
const MOST_PX = 900;
const STEP_PX = 24;
const NO_COLUMNS: readonly ColumnView[] = [];

export function DataGrid({ table, client, shown, choices, choose, widths, asks }: DataGridProps) {
  const box = useRef<HTMLDivElement>(null);
  const [cursor, setCursor] = useState<Cursor>({ row: -1, column: 0 });
  const columns = table.progress?.columns ?? NO_COLUMNS;
  const { sort } = choices;
  const numberPx = Math.max(44, String(table.progress?.rows ?? 0).length * 8 + 28);
  const edges = useMemo(
    () =>
      edgesOf(
        shown.map((at) => {
          const gauge = sort?.column === at && (columns[at]?.max ?? 0) > 0 ? GAUGE_PX : 0;
          return widths.of.get(at) ?? (columns[at]?.width ?? 100) + gauge;
        }),
      ),
    [shown, columns, widths.of, sort],
  );
  const view = useRowScroll(box, { count: table.count, px: ROW_PX, headPx: HEAD_PX });
  const { rows, show } = view;
  const seen = columnWindow(edges, view.left, view.left + view.width);
  const { from, to } = rows;
  useEffect(() => {
    client.look({ from, to, columns: shown.slice(seen.from, seen.to) });
  }, [client, from, to, shown, seen.from, seen.to]);
  // A row that the address names is scrolled to once, when it can be.
  const request = useRef(choices.row);
  const isDone = table.progress?.isDone === true && !table.isArranging;
  useEffect(() => {
    const row = request.current;
    if (row === null || !isDone) return;
    request.current = null;
    void client.row(row).then(({ index }) => {
      if (index < 0) return;
      setCursor({ row: index, column: 0 });
      show(index);
    });
  }, [client, isDone, show]);

  const goTo = (row: number, column: number) => {
    const next = {
      row: Math.min(Math.max(row, -1), table.count - 1),
      column: Math.min(Math.max(column, 0), shown.length - 1),
    };
    setCursor(next);
    if (next.row >= 0) show(next.row);
    const element = box.current;
    if (!element) return;
    const left = edges[next.column] ?? 0;
    const right = edges[next.column + 1] ?? left;
    const room = element.clientWidth - numberPx;
    if (left < element.scrollLeft) element.scrollLeft = left;
    else if (right > element.scrollLeft + room) element.scrollLeft = Math.min(left, right - room);
  };
  const sortBy = (at: number) => {
    // Three presses go back to how it is stored.
    const first = columns[at]?.type === "number" ? "desc" : "asc";
    const second = first === "asc" ? "desc" : "asc";
    if (sort?.column !== at) choose({ sort: { column: at, dir: first } });
    else choose({ sort: sort.dir === first ? { column: at, dir: second } : null });
  };
  const resize = (at: number, px: number) => widths.set(at, Math.min(MOST_PX, Math.max(LEAST_PX, Math.round(px))));
  const rowAt = (index: number) => table.window.rows[index - table.window.from]?.row ?? null;

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const { row, column } = cursor;
    const page = Math.max(1, Math.floor(view.height / ROW_PX) - 1);
    const isMod = event.metaKey || event.ctrlKey;
    const at = shown[column];
    const moves: Record<string, () => void> = {
      ArrowDown: () => goTo(isMod ? table.count - 1 : row + 1, column),
      ArrowUp: () => goTo(isMod ? 0 : row - 1, column),
      ArrowRight: () => goTo(row, isMod ? shown.length - 1 : column + 1),
      ArrowLeft: () => goTo(row, isMod ? 0 : column - 1),
      PageDown: () => goTo(row + page, column),
      PageUp: () => goTo(Math.max(0, row - page), column),
      Home: () => goTo(isMod ? 0 : row, isMod ? column : 0),
      End: () => goTo(isMod ? table.count - 1 : row, isMod ? column : shown.length - 1),
      Enter: () => (row < 0 ? at !== undefined && sortBy(at) : choose({ row: rowAt(row) })),
      " ": () => (row < 0 ? at !== undefined && sortBy(at) : choose({ row: rowAt(row) })),
      Escape: () => choose({ row: null }),
    };
    const isSide = event.key === "ArrowLeft" || event.key === "ArrowRight";
    if (event.shiftKey && isSide && at !== undefined) {
      const width = (edges[column + 1] ?? 0) - (edges[column] ?? 0);
      resize(at, width + (event.key === "ArrowRight" ? STEP_PX : -STEP_PX));
    } else if (event.altKey || !moves[event.key] || (event.key === "Escape" && choices.row === null)) return;
    else moves[event.key]?.();
    event.preventDefault();
  };

  const width = numberPx + (edges.at(-1) ?? 0);
  // The same while the same is on screen, so that rows are not drawn again for nothing.
  const layout = useMemo(
    () => ({ edges, from: seen.from, columns: shown.slice(seen.from, seen.to), numberPx, width }),
    [edges, seen.from, seen.to, shown, numberPx, width],
  );
  const chosen = useRef(choices.row);
  useEffect(() => {
    chosen.current = choices.row;
  }, [choices.row]);
  const onChoose = useCallback(
    (index: number, row: number | null, column: number) => {
      setCursor({ row: index, column });
      if (row !== null) choose({ row: row === chosen.current ? null : row });
    },
    [choose],
  );
  return (
    <div
      ref={box}
      role="grid"
      aria-label="Rows. Arrows move, Enter sorts or opens a row, Shift+arrow widens a column."
      aria-rowcount={table.count + 1}
      aria-colcount={shown.length + 1}
      aria-busy={!isDone}
      // Of the order in which the rows that are drawn stand.
      data-version={table.window.version}
      tabIndex={0}
      aria-activedescendant={
        cursor.row < 0 ? `head-${shown[cursor.column] ?? 0}` : `cell-${cursor.row}-${shown[cursor.column] ?? 0}`
      }
      className="group/grid relative min-h-0 flex-1 overflow-auto focus-visible:-outline-offset-2"
      onScroll={view.onScroll}
      onKeyDown={onKeyDown}
    >
      <GridHead
        layout={layout}
        columns={columns}
        sort={sort}
        cursor={cursor.row < 0 ? cursor.column : null}
        onSort={(at, index) => {
          setCursor({ row: -1, column: index });
          sortBy(at);
        }}
        onResize={resize}
      />
      <div role="rowgroup" className="relative" style={{ height: rows.height, width, minWidth: "100%" }}>
        <div className="absolute min-w-full" style={{ top: rows.top, width }}>
          {Array.from({ length: Math.max(0, to - from) }, (_, i) => {
            const index = from + i;
            const row = table.window.rows[index - table.window.from] ?? null;
            return (
              <GridRow
                key={index}
                index={index}
                row={row}
                cells={table.window.columns}
                layout={layout}
                columns={columns}
                gauge={sort?.column ?? null}
                cursor={cursor.row === index ? (shown[cursor.column] ?? null) : null}
                isChosen={row !== null && row.row === choices.row}
                onCell={asks?.onCell ?? null}
                onChoose={onChoose}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}
