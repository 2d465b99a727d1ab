"use client";
import { Fragment, useEffect, type ReactNode } from "react";
import { belowPx, BelowRow, NARROW_PX } from "./below-row.tsx";
import { linesBelow, shownColumns } from "./shown-columns.ts";
import { SortButton } from "./sort-button.tsx";
import type { Pages } from "./use-pages.ts";
import { openRow, useCursor } from "./use-cursor.ts";
import { useRowSelection, type Selection } from "./use-selection.ts";
import { useKeptScroll } from "./use-kept-scroll.ts";
import { useRows } from "./use-rows.ts";
import { useWidth } from "./use-width.ts";

export type DataColumn<Row, Sort extends string = string> = {
  readonly id: string;
  readonly name: string;
  /** The name is for those who do not see the cells; an icon needs none above it. */
  readonly quiet?: boolean;
  /** Pixels; 0 shares what is left. */
  readonly width: number;
  readonly number?: boolean;
  readonly sort?: Sort;
  /** Gives way when the table is narrower than this. */
  readonly from?: number;
  /** A figure that is higher than a line: a narrow screen leaves it out. */
  readonly isNeverBelow?: boolean;
  /** Below a row on a narrow screen it stands before the others. */
  readonly isFirstBelow?: boolean;
  readonly cell: (row: Row) => ReactNode;
};

type Order<Sort extends string> = {
  readonly sort: Sort;
  readonly dir: "asc" | "desc";
  readonly onSort: (sort: Sort, dir: "asc" | "desc") => void;
};

/** Left and right of the table, and of the boxes that select its rows. */
const GUTTERS = 48;
const SELECT_PX = 24;

type DataTableProps<Row, Sort extends string> = {
  label: string;
  columns: readonly DataColumn<Row, Sort>[];
  pages: Pages<unknown, Row>;
  order?: Order<Sort>;
  rowHeight?: number;
  /** `Delete` on the row that the keyboard is on. */
  onDelete?: (row: Row) => void;
  /** Rows can be selected; `nameOf` is what the box of a row is called. */
  selection?: Selection<Row> & { readonly nameOf: (row: Row) => string };
  /** Its cells may hold nothing that takes the focus: it can be scrolled by key all the same. */
  isPlain?: boolean;
};

/** A table of any length: only the rows on screen are drawn, only their pages are asked for. */
export function DataTable<Row, Sort extends string = string>({
  label,
  columns,
  pages,
  order,
  rowHeight = 32,
  onDelete,
  selection,
  isPlain = false,
}: DataTableProps<Row, Sort>) {
  const [scroller, width] = useWidth<HTMLDivElement>();
  const shown = shownColumns(columns, width, GUTTERS + (selection ? SELECT_PX : 0));
  // On a narrow screen what has no column stands below its row, with its name.
  const below =
    width > 0 && width < NARROW_PX
      ? belowOf(columns.filter((column) => !column.quiet && !column.isNeverBelow && !shown.includes(column)))
      : [];
  const lines = linesBelow(below, width - GUTTERS);
  const itemHeight = rowHeight + (below.length > 0 ? belowPx(lines) : 0);
  const virtual = useRows({
    count: pages.total,
    getScrollElement: () => scroller.current,
    estimateSize: () => itemHeight,
    getItemKey: (row) => `${itemHeight} ${row}`,
    overscan: 10,
  });
  const items = virtual.getVirtualItems();
  const from = items[0]?.index ?? 0;
  const to = items.at(-1)?.index ?? 0;
  useKeptScroll(scroller, `${label} ${pages.name}`, pages.total > 0);
  const { look } = pages;
  useEffect(() => look(from, to), [look, from, to]);
  const [cursor, setCursor] = useCursor({
    rows: pages.total,
    scroller,
    scrollTo: (row) => virtual.scrollToIndex(row),
    group: label,
    onDelete:
      onDelete &&
      ((index) => {
        const row = pages.rowAt(index);
        if (row !== null) onDelete(row);
      }),
  });
  const select = useRowSelection(selection ?? null, { cursor, group: label, rowAt: pages.rowAt });
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);

  return (
    <div
      ref={scroller}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
      tabIndex={isPlain ? 0 : undefined}
      className="relative min-h-0 flex-1 overflow-auto px-6 max-md:px-4"
    >
      <table
        aria-label={label}
        aria-rowcount={pages.total + 1}
        className={`w-full table-fixed border-separate border-spacing-0 ${pages.isOld ? "opacity-60" : ""}`}
      >
        <colgroup>
          {selection && <col style={{ width: SELECT_PX }} />}
          {shown.map((column) => (
            <col key={column.id} style={column.width === 0 ? undefined : { width: column.width }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {selection && (
              <th scope="col" className="sticky top-0 z-10 h-7 border-b border-line-strong bg-bg p-0">
                <span className="sr-only">Selected</span>
              </th>
            )}
            {shown.map((column) => (
              <HeadCell key={column.id} column={column} order={order} />
            ))}
          </tr>
        </thead>
        <tbody>
          {from > 0 && <tr aria-hidden="true" style={{ height: items[0]?.start }} />}
          {items.map((item) => {
            const row = pages.rowAt(item.index);
            return (
              <Fragment key={item.index}>
                <tr
                  data-row={item.index}
                  aria-rowindex={item.index + 2}
                  onFocus={() => setCursor(item.index)}
                  onClick={(event) => {
                    setCursor(item.index);
                    openRow(event);
                  }}
                  className="group has-[[data-opens]]:cursor-pointer"
                >
                  {selection && (
                    <SelectCell
                      name={row === null ? null : selection.nameOf(row)}
                      isChosen={row !== null && selection.chosen.has(selection.keyOf(row))}
                      isChoosing={selection.chosen.size > 0}
                      onChoose={(isRange) => select(item.index, isRange)}
                      className={cellClass(item.index === cursor, below.length > 0)}
                    />
                  )}
                  {shown.map((column) => (
                    <td
                      key={column.id}
                      style={{ height: rowHeight }}
                      className={`truncate px-2 first:pl-0 last:pr-0 ${column.number ? "num" : ""} ${cellClass(item.index === cursor, below.length > 0)}`}
                    >
                      {row === null ? <div className="bar w-3/5" /> : column.cell(row)}
                    </td>
                  ))}
                </tr>
                {below.length > 0 && (
                  <BelowRow columns={below} lines={lines} span={shown.length + (selection ? 1 : 0)} row={row} />
                )}
              </Fragment>
            );
          })}
          {after > 0 && <tr aria-hidden="true" style={{ height: after }} />}
        </tbody>
      </table>
    </div>
  );
}

const belowOf = <Column extends { readonly isFirstBelow?: boolean }>(columns: readonly Column[]): Column[] =>
  columns.toSorted((a, b) => Number(b.isFirstBelow ?? false) - Number(a.isFirstBelow ?? false));

const cellClass = (isCurrent: boolean, hasBelow: boolean): string =>
  `border-line group-hover:bg-sunk ${isCurrent ? "bg-select" : ""} ${hasBelow ? "" : "border-b"}`;

type SelectCellProps = {
  /** Null while its row is on its way. */
  name: string | null;
  isChosen: boolean;
  /** Another row is selected: where to select this one is shown too. */
  isChoosing: boolean;
  onChoose: (isRange: boolean) => void;
  className: string;
};

function SelectCell({ name, isChosen, isChoosing, onChoose, className }: SelectCellProps) {
  return (
    <td className={`p-0 ${className}`}>
      {name !== null && (
        <label className="grid h-full w-6 place-items-center">
          <input
            type="checkbox"
            aria-label={`Select ${name}`}
            checked={isChosen}
            onChange={({ nativeEvent }) => onChoose(nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
            className={`size-3.5 accent-ink group-focus-within:opacity-100 group-hover:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100 ${isChosen || isChoosing ? "" : "opacity-0"}`}
          />
        </label>
      )}
    </td>
  );
}

type HeadCellProps<Row, Sort extends string> = {
  column: DataColumn<Row, Sort>;
  order: Order<Sort> | undefined;
};

function HeadCell<Row, Sort extends string>({ column, order }: HeadCellProps<Row, Sort>) {
  const sorted = order !== undefined && order.sort === column.sort;
  const { sort } = column;
  const canSort = order !== undefined && sort !== undefined;
  return (
    <th
      scope="col"
      aria-sort={sorted ? (order.dir === "asc" ? "ascending" : "descending") : undefined}
      className={`sticky top-0 z-10 h-7 border-b border-line-strong bg-bg text-12 font-medium whitespace-nowrap ${
        canSort ? "p-0 [&:first-child>button]:pl-0 [&:last-child>button]:pr-0" : "px-2 first:pl-0 last:pr-0"
      } ${column.number ? "text-right" : "text-left"} ${sorted ? "text-ink" : "text-ink-3"}`}
    >
      {canSort ? (
        <SortButton
          name={column.name}
          dir={sorted ? order.dir : null}
          number={column.number}
          onSort={() => order.onSort(sort, nextDir(order, column))}
        />
      ) : (
        <span className={column.quiet ? "sr-only" : ""}>{column.name}</span>
      )}
    </th>
  );
}

/** The other way round where it is sorted already; else numbers begin with the most, names with A. */
function nextDir<Row, Sort extends string>(order: Order<Sort>, { sort, number }: DataColumn<Row, Sort>) {
  if (order.sort === sort) return order.dir === "asc" ? "desc" : "asc";
  return number ? "desc" : "asc";
}
