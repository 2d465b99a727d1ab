import type { ReactNode } from "react";

/** Below this a table shows what it left out. */
export const NARROW_PX = 760;
/** Height of so many lines of it. */
export const belowPx = (lines: number): number => 6 + 16 * lines;

type BelowRowProps<Row> = {
  columns: readonly { readonly id: string; readonly name: string; readonly cell: (row: Row) => ReactNode }[];
  span: number;
  /** Lines that it has room for. */
  lines: number;
  row: Row | null;
};

/** What a row has in columns that there is no room for, each by its name. */
export function BelowRow<Row>({ columns, span, lines, row }: BelowRowProps<Row>) {
  return (
    <tr style={{ height: belowPx(lines) }}>
      <td colSpan={span} style={{ height: belowPx(lines) }} className="border-b border-line px-2 align-top first:pl-0">
        <div
          className="relative flex flex-wrap gap-x-3 overflow-hidden text-12 text-ink-2"
          style={{ maxHeight: 16 * lines }}
        >
          {row !== null &&
            columns.map(({ id, name, cell }) => (
              <span key={id} className="inline-flex max-w-full items-baseline gap-1 whitespace-nowrap">
                <span className="flex-none text-ink-3">{name}</span>
                <span className="min-w-0 truncate">{cell(row)}</span>
              </span>
            ))}
        </div>
      </td>
    </tr>
  );
}
