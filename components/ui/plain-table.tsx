// A table of a few rows: one frame, one head, one look of a row.
import type { ReactNode } from "react";
import { columnNames } from "./column-names.ts";

export type Column = {
  readonly name: string;
  /** Classes of the head's cell: its width, and what it has of its own. */
  readonly look?: string;
  readonly title?: string | undefined;
  /** Words of text stand left, figures right. */
  readonly isText?: boolean;
  /** The name is said, not shown. */
  readonly isSilent?: boolean;
};

const HEAD =
  "[&>th]:h-7 [&>th]:border-b [&>th]:border-line-strong [&>th]:px-2 [&>th]:text-12 [&>th]:font-medium [&>th]:text-ink-3";
export const ROW = "[&>td]:h-8 [&>td]:truncate [&>td]:border-b [&>td]:border-line [&>td]:px-2 hover:[&>td]:bg-sunk";

type PlainTableProps = { label: string; width: string; columns: readonly Column[]; children: ReactNode };

/** `width` is the class of the width under which it scrolls. The first column names the row. */
export function PlainTable({ label, width, columns, children }: PlainTableProps) {
  return (
    <div className="relative overflow-x-auto">
      <table
        className={`stacks w-full table-fixed border-separate border-spacing-0 ${width}`}
        style={columnNames(columns.map(({ name, isSilent }) => (isSilent ? "" : name)))}
        aria-label={label}
      >
        <thead>
          <tr className={HEAD}>
            {columns.map(({ name, look = "", title, isText = false, isSilent = false }, i) => (
              <th
                key={name}
                scope="col"
                className={`${i === 0 ? "pl-0!" : ""} ${i === 0 || isText ? "text-left" : "text-right"} ${look}`}
                title={title}
              >
                {isSilent ? <span className="sr-only">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
