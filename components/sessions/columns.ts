// The columns of the sessions table, in order: how wide they are, what sorts by them, and which give way
// first when the page is narrow.
import type { SessionsQuery } from "#lib/wire/sessions-schema.ts";
import { NARROW_PX } from "../ui/below-row.tsx";

export type ColumnId =
  | "session"
  | "active"
  | "started"
  | "turns"
  | "calls"
  | "load"
  | "peak"
  | "compactions"
  | "artifacts"
  | "cost"
  | "top";

export type Column = {
  readonly id: ColumnId;
  readonly name: string;
  /** Where there is little room, and before its value below a narrow row. */
  readonly short?: string;
  readonly title?: string;
  /** Pixels; the first column takes what is left. */
  readonly width: number;
  readonly number?: boolean;
  readonly sort?: SessionsQuery["sort"];
  /** Gives way below this width of the table (pixels), so that a session keeps 260 for its title. */
  readonly from: number;
};

export const COLUMNS: readonly Column[] = [
  { id: "session", name: "Session", width: 0, sort: "title", from: 0 },
  {
    id: "active",
    name: "Last active",
    short: "Active",
    title: "When its last event was",
    width: 98,
    number: true,
    sort: "active",
    from: 560,
  },
  { id: "started", name: "Started", width: 76, number: true, sort: "started", from: 1480 },
  { id: "turns", name: "Turns", width: 58, number: true, sort: "turns", from: 1180 },
  {
    id: "calls",
    name: "Calls",
    title: "Model calls, inherited ones included",
    width: 98,
    number: true,
    sort: "calls",
    from: 1080,
  },
  { id: "load", name: "Load, against its line", short: "Load", width: 196, from: 840 },
  { id: "peak", name: "Peak", width: 134, sort: "peak", from: 0 },
  { id: "compactions", name: "Compacted", width: 86, number: true, sort: "compactions", from: 1360 },
  { id: "artifacts", name: "Artifacts", width: 74, number: true, sort: "artifacts", from: 1360 },
  { id: "cost", name: "Cost", width: 140, number: true, sort: "cost", from: 760 },
  {
    id: "top",
    name: "Top culprit · avoidable",
    short: "Top culprit",
    title: "The costliest culprit; else the heaviest output",
    width: 236,
    sort: "avoidable",
    from: 760,
  },
];

/** The columns that a table of this width shows, without those that the reader hid. */
export function visibleColumns(width: number, hidden: readonly string[]): readonly Column[] {
  return COLUMNS.filter((column) => column.id === "session" || (width >= column.from && !hidden.includes(column.id)));
}

/** Below this the sparkline, the cost and the culprit of a session share what a title leaves (pixels). */
const TIGHT_PX = 960;

/** Narrow tables have narrower sparklines and culprits, before a column goes. */
export function columnWidth(column: Column, tableWidth: number): number {
  // Beside a title of two lines: the percentage, and the sparkline under it.
  if (column.id === "peak" && tableWidth < NARROW_PX) return 116;
  // "+ $103.57 inherited" fits at 1024 px, where sparklines are shorter; the figure itself always.
  if (column.id === "cost" && tableWidth < TIGHT_PX) return 90;
  if (column.id === "load" && tableWidth < 1300) return tableWidth >= 1180 ? 176 : tableWidth >= TIGHT_PX ? 136 : 104;
  if (column.id === "top" && tableWidth < 1100) return tableWidth >= TIGHT_PX ? 216 : 176;
  return column.width;
}

export const headName = ({ name, short = name }: Column, tableWidth: number): string =>
  tableWidth < TIGHT_PX ? short : name;

/** The gaps between columns: numbers stand close together, words apart. */
export function padding(column: Column): string {
  if (column.id === "session") return "pr-2";
  if (column.id === "load" || column.id === "peak") return "pr-2 pl-4";
  if (column.id === "top") return "pl-6";
  return "px-2";
}
