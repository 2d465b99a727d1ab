"use client";
import { ArrowDown, ArrowUp } from "lucide-react";
import type { SessionsQuery } from "#lib/wire/sessions.ts";
import { padding, type Column } from "./columns.ts";
import type { Choices } from "./filters.ts";
import type { Choose } from "./use-choices.ts";

type TableHeadProps = { columns: readonly Column[]; choices: Choices; choose: Choose };

export function TableHead({ columns, choices, choose }: TableHeadProps) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map((column) => {
          const sorted = column.sort === choices.sort;
          return (
            <th
              key={column.id}
              scope="col"
              title={column.title}
              aria-sort={sorted ? (choices.dir === "asc" ? "ascending" : "descending") : undefined}
              className={`sticky top-0 z-10 h-7 border-b border-line-strong bg-bg text-12 font-medium whitespace-nowrap ${padding(column)} ${
                column.number ? "text-right" : "text-left"
              } ${column.id === "session" ? "pl-6" : ""} ${sorted ? "text-ink" : "text-ink-3"}`}
            >
              {column.sort === undefined ? (
                column.name
              ) : (
                <SortButton column={column.name} sort={column.sort} choices={choices} choose={choose} />
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

type SortButtonProps = { column: string; sort: SessionsQuery["sort"]; choices: Choices; choose: Choose };

function SortButton({ column, sort, choices, choose }: SortButtonProps) {
  const sorted = choices.sort === sort;
  const Icon = choices.dir === "asc" ? ArrowUp : ArrowDown;
  // Names begin with A; everything else begins with the most.
  const natural = sort === "title" ? "asc" : "desc";
  const dir = sorted ? (choices.dir === "asc" ? "desc" : "asc") : natural;
  return (
    <button
      type="button"
      onClick={() => void choose({ sort, dir })}
      className="inline-flex items-center gap-0.5 font-medium hover:text-ink"
    >
      {column}
      {sorted && <Icon size={11} aria-hidden="true" />}
    </button>
  );
}
