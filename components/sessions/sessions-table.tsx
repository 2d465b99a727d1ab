"use client";
import { Fragment, useCallback, useEffect, useMemo, type MouseEvent } from "react";
import type { SessionRow, SessionsQuery } from "#lib/wire/sessions-schema.ts";
import { PAGE } from "../ui/page-size.ts";
import { useCursor, openRow } from "../ui/use-cursor.ts";
import { useKeptScroll } from "../ui/use-kept-scroll.ts";
import { useRows } from "../ui/use-rows.ts";
import { useWidth } from "../ui/use-width.ts";
import { belowPx, BelowRow, NARROW_PX } from "../ui/below-row.tsx";
import { COLUMNS, columnWidth, headName, padding, visibleColumns, type Column } from "./columns.ts";
import type { Choices } from "./session-filters.ts";
import type { Choose } from "./use-choices.ts";
import { positionOf, type RowPosition } from "./table-layout.ts";
import { useRowSelection, type Selection } from "../ui/use-selection.ts";
import { CELLS } from "./session-cells.tsx";
import type { RowView } from "./row-view.ts";
import type { Sessions } from "./use-sessions.ts";
import { SortButton } from "../ui/sort-button.tsx";
import { fetched } from "../ui/fetched.tsx";

// The first page is not grouped, and has no room for it.
const GroupRow = fetched(() => import("./group-row.tsx").then((module) => module.GroupRow));

/** Of a row, and of a dense one. */
const HEIGHTS = { session: [48, 32], child: [36, 28] } as const;
/** Room for two lines of a title, and for the sparkline under the peak. */
const NARROW_HEIGHTS = { session: [68, 52], child: [52, 52] } as const;
const GROUP_PX = 36;
const GUTTERS = 48;
/** Two for the figures of a row and two for its most expensive item, where the page is as narrow as a phone. */
const linesBelow = (tableWidth: number): number => (tableWidth < 480 ? 4 : tableWidth < 660 ? 3 : 2);

type SessionsTableProps = { sessions: Sessions; choices: Choices; choose: Choose; selection: Selection<SessionRow> };

export function SessionsTable({ sessions, choices, choose, selection }: SessionsTableProps) {
  const [scroller, width] = useWidth<HTMLDivElement>();
  const tableWidth = width - GUTTERS;
  const columns = visibleColumns(tableWidth, choices.hide);
  // Below a narrow row stands what it has no column for; the sparkline is under its peak.
  const below =
    width > 0 && tableWidth < NARROW_PX
      ? COLUMNS.filter(({ id, from }) => tableWidth < from && id !== "load" && !choices.hide.includes(id))
      : [];
  const lines = linesBelow(tableWidth);
  const more = below.length > 0 ? belowPx(lines) : 0;
  const heights = more > 0 ? NARROW_HEIGHTS : HEIGHTS;
  const { dense, open, fold } = choices;
  const { layout, lookAt } = sessions;

  // Rows change height with the density and with what is unfolded: other keys make the list measure anew.
  const shape = `${dense} ${more} ${layout.map(({ kind, row }) => `${kind[0]}${row}`).join(" ")}`;
  const getItemKey = useMemo(() => keysOf(shape), [shape]);
  const virtual = useRows({
    count: sessions.rows,
    getScrollElement: () => scroller.current,
    estimateSize: (row) => {
      const { kind } = positionOf(row, layout);
      return kind === "group" ? GROUP_PX : more + heights[kind][dense ? 1 : 0];
    },
    getItemKey,
    overscan: 8,
  });
  useKeptScroll(scroller, sessions.name, sessions.rows > 0);
  const items = virtual.getVirtualItems();
  const positions = items.map((item) => ({ item, position: positionOf(item.index, layout) }));
  // Between two rows on screen may stand a folded project of thousands: only what is seen is asked for.
  const pages = positions.flatMap(({ position }) =>
    position.kind === "session" ? [Math.floor(position.index / PAGE)] : [],
  );
  const inSight = [...new Set(pages)].join(" ");
  useEffect(() => {
    if (inSight !== "") lookAt(inSight.split(" ").map(Number));
  }, [lookAt, inSight]);
  const onUnfold = useCallback(
    (id: string) => void choose({ open: open.includes(id) ? open.filter((other) => other !== id) : [...open, id] }),
    [choose, open],
  );
  const onFold = useCallback(
    (project: string) =>
      void choose({ fold: fold.includes(project) ? fold.filter((other) => other !== project) : [...fold, project] }),
    [choose, fold],
  );
  const [cursor, setCursor] = useCursor({
    rows: sessions.rows,
    scroller,
    scrollTo: (row) => virtual.scrollToIndex(row),
    group: "Sessions",
    folds: true,
  });
  const select = useRowSelection(selection, {
    cursor,
    group: "Sessions",
    rowAt: (row) => sessionOf(sessions, positionOf(row, layout)),
  });

  return (
    <div ref={scroller} className="relative min-h-0 flex-1 overflow-auto px-6 max-md:px-4" data-testid="sessions">
      <table
        aria-label="Sessions"
        aria-rowcount={sessions.rows + 1}
        className={`w-full table-fixed border-separate border-spacing-0 ${sessions.isOld ? "opacity-60" : ""}`}
      >
        <colgroup>
          {columns.map((column) => (
            <col key={column.id} style={column.width === 0 ? undefined : { width: columnWidth(column, tableWidth) }} />
          ))}
        </colgroup>
        <TableHead columns={columns} tableWidth={tableWidth} choices={choices} choose={choose} />
        <tbody>
          <Spacer height={items[0]?.start ?? 0} />
          {positions.map(({ item, position }) => {
            if (position.kind === "group") {
              const group = sessions.groupAt(position.nth);
              return (
                group !== null && (
                  <GroupRow
                    key={`group ${group.project}`}
                    row={item.index}
                    group={group}
                    span={columns.length}
                    height={item.size}
                    current={item.index === cursor}
                    onFold={onFold}
                  />
                )
              );
            }
            const session = sessionOf(sessions, position);
            const view: RowView = {
              q: choices.q.trim(),
              marked: sessions.answer?.marked ?? "",
              dense,
              child: position.kind === "session" ? "no" : position.last ? "last" : "middle",
              loadWidth: columnWidth(LOAD, tableWidth),
              height: item.size - more,
              isNarrow: more > 0,
              hasLoad: !choices.hide.includes("load"),
              forks: position.kind === "child" ? sessions.forksAt(position.parent, position.nth) : 1,
              open: session !== null && open.includes(session.id),
              onUnfold,
              isChosen: session !== null && selection.chosen.has(session.id),
              isChoosing: selection.chosen.size > 0,
              onChoose: (isRange) => select(item.index, isRange),
            };
            return (
              <Fragment key={session?.id ?? `row ${item.index}`}>
                <Row
                  row={item.index}
                  session={session}
                  columns={columns}
                  view={view}
                  current={item.index === cursor}
                  onFocus={setCursor}
                />
                {below.length > 0 && (
                  <BelowRow
                    columns={cellsBelow(below, { ...view, dense: true })}
                    lines={lines}
                    span={columns.length}
                    row={session}
                  />
                )}
              </Fragment>
            );
          })}
          <Spacer height={Math.max(0, virtual.getTotalSize() - (items.at(-1)?.end ?? 0))} />
        </tbody>
      </table>
    </div>
  );
}

let shapes = 0;
/** Keys of a shape's rows, which are no other's. That of 5,000 projects has 100 kB, and would be hashed for each row. */
function keysOf(_shape: string): (row: number) => string {
  const nth = ++shapes;
  return (row) => `${nth} ${row}`;
}

const sessionOf = (sessions: Sessions, position: RowPosition): SessionRow | null =>
  position.kind === "session"
    ? sessions.rowAt(position.index)
    : position.kind === "child"
      ? sessions.childAt(position.parent, position.nth)
      : null;

const cellsBelow = (columns: readonly Column[], view: RowView) =>
  columns.map(({ id, name, short = name }) => {
    const Cell = CELLS[id];
    return { id, name: short, cell: (session: SessionRow) => <Cell session={session} view={view} /> };
  });

const LOAD = COLUMNS.find(({ id }) => id === "load")!;

function Spacer({ height }: { height: number }) {
  return height === 0 ? null : <tr aria-hidden="true" style={{ height }} />;
}

type RowProps = {
  row: number;
  session: SessionRow | null;
  columns: readonly Column[];
  view: RowView;
  current: boolean;
  onFocus: (row: number) => void;
};

function Row({ row, session, columns, view, current, onFocus }: RowProps) {
  const ground = current || view.isChosen ? "bg-select" : view.child === "no" ? "group-hover:bg-sunk" : "bg-sunk";
  return (
    <tr
      data-row={row}
      aria-rowindex={row + 2}
      data-current={current || undefined}
      onFocus={() => onFocus(row)}
      // A range of rows is no range of text.
      onMouseDown={(event) => event.shiftKey && event.preventDefault()}
      onClick={(event) => {
        if (isSelecting(event)) view.onChoose(event.shiftKey);
        else openRow(event);
      }}
      className="group has-[[data-opens]]:cursor-pointer has-[a:focus-visible]:outline-2 has-[a:focus-visible]:-outline-offset-2 has-[a:focus-visible]:outline-accent"
      style={{ height: view.height }}
    >
      {columns.map((column) => {
        const Cell = CELLS[column.id];
        return (
          <td
            key={column.id}
            style={{ height: view.height }}
            className={`truncate border-line ${view.isNarrow ? "" : "border-b"} ${padding(column)} ${column.number ? "num" : ""} ${ground}`}
          >
            {session === null ? <div className="bar w-3/5" /> : <Cell session={session} view={view} />}
          </td>
        );
      })}
    </tr>
  );
}

/** A click with Shift, Ctrl or ⌘ beside what has a click of its own: on a link it opens a tab, as everywhere. */
const isSelecting = ({ shiftKey, ctrlKey, metaKey, target }: MouseEvent): boolean =>
  (shiftKey || ctrlKey || metaKey) && target instanceof Element && !target.closest("a, button, input, label");

type TableHeadProps = { columns: readonly Column[]; tableWidth: number; choices: Choices; choose: Choose };

function TableHead({ columns, tableWidth, choices, choose }: TableHeadProps) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map((column) => {
          const { sort } = column;
          const sorted = sort === choices.sort;
          const name = headName(column, tableWidth);
          const gap = `${padding(column)} ${column.id === "session" ? "pl-11" : ""}`;
          return (
            <th
              key={column.id}
              scope="col"
              title={column.title}
              aria-sort={sorted ? (choices.dir === "asc" ? "ascending" : "descending") : undefined}
              className={`sticky top-0 z-10 h-7 border-b border-line-strong bg-bg text-12 font-medium whitespace-nowrap ${sort === undefined ? gap : "p-0"} ${
                column.number ? "text-right" : "text-left"
              } ${sorted ? "text-ink" : "text-ink-3"}`}
            >
              {sort === undefined ? (
                name
              ) : (
                <SortButton
                  name={name}
                  dir={sorted ? choices.dir : null}
                  number={column.number}
                  padding={gap}
                  onSort={() => void choose({ sort, dir: nextDir(choices, sort) })}
                />
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** Names begin with A; everything else begins with the most. */
function nextDir({ sort, dir }: Choices, next: SessionsQuery["sort"]): "asc" | "desc" {
  if (sort === next) return dir === "asc" ? "desc" : "asc";
  return next === "title" ? "asc" : "desc";
}
