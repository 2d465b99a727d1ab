import type { ReactNode } from "react";

/** Below this a table shows what it left out. */
export const NARROW_PX = 760;
/** Two lines of it. */
export const BELOW_PX = 38;

type BelowRowProps<Row> = {
  columns: readonly { readonly id: string; readonly name: string; readonly cell: (row: Row) => ReactNode }[];
  span: number;
  row: Row | null;
};

/** What a row has in columns that there is no room for, each by its name. */
export function BelowRow<Row>({ columns, span, row }: BelowRowProps<Row>) {
  return (
    <tr style={{ height: BELOW_PX }}>
      <td colSpan={span} style={{ height: BELOW_PX }} className="border-b border-line px-2 align-top first:pl-0">
        <div className="flex max-h-8 flex-wrap gap-x-3 overflow-hidden text-12 text-ink-2">
          {row !== null &&
            columns.map(({ id, name, cell }) => (
              <span key={id} className="inline-flex max-w-full items-baseline gap-1 whitespace-nowrap">
                <span className="text-ink-3">{name}</span> {cell(row)}
              </span>
            ))}
        </div>
      </td>
    </tr>
  );
}
