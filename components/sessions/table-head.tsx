"use client";
import type { SessionsQuery } from "#lib/wire/sessions-schema.ts";
import { SortButton } from "../ui/sort-button.tsx";
import { padding, type Column } from "./columns.ts";
import type { Choices } from "./session-filters.ts";
import type { Choose } from "./use-choices.ts";

type TableHeadProps = { columns: readonly Column[]; choices: Choices; choose: Choose };

export function TableHead({ columns, choices, choose }: TableHeadProps) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map((column) => {
          const { sort } = column;
          const sorted = sort === choices.sort;
          const gap = `${padding(column)} ${column.id === "session" ? "pl-6" : ""}`;
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
                column.name
              ) : (
                <SortButton
                  name={column.name}
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
