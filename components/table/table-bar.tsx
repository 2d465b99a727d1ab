"use client";
import { Columns3, Download, ListFilter, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button, buttonClass } from "../ui/button.tsx";
import { formatCount, formatDuration } from "../ui/format.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { Menu } from "../ui/menu.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { SearchField } from "../ui/search-field.tsx";
import type { Choices, Choose, Filter } from "./column-choices.ts";
import type { TableSnapshot } from "./table-client.ts";

type TableBarProps = { table: TableSnapshot; choices: Choices; choose: Choose; onCsv: () => void };

/** Names in menus, at most; the grid's head has the whole. */
const NAME_CHARS = 60;
/** A menu has closed by then. */
const MENU_MS = 1000;

/** What narrows a table: words anywhere, conditions on columns, which columns are shown. */
export function TableBar({ table, choices, choose, onCsv }: TableBarProps) {
  const { hidden, filters, query, sort } = choices;
  const [added, setAdded] = useState<number | null>(null);
  const columns = table.progress?.columns ?? [];
  const isReading = table.progress?.isDone !== true;
  const isNarrowed = query.trim() !== "" || filters.some(({ text }) => text !== "");
  const set = (at: number, change: Filter | null) =>
    choose({ filters: filters.flatMap((one, i) => (i === at ? (change ?? []) : one)) });
  const away = new Set(hidden);
  return (
    <div className="flex flex-none flex-wrap items-center gap-x-2 gap-y-1.5 border-b border-line px-6 py-1.5 text-12 max-md:px-4">
      <SearchField
        label="Find in the rows"
        group="Table"
        value={query}
        onChange={(text) => choose({ query: text })}
        found={isNarrowed && !isReading && !table.isArranging ? `${table.count.toLocaleString("en-US")} found` : null}
      />
      {filters.map((filter, at) => (
        <FilterField
          // oxlint-disable-next-line react/no-array-index-key -- a filter is known by its position alone
          key={`${at} ${filter.column}`}
          name={columns[filter.column]?.name ?? `column ${filter.column + 1}`}
          text={filter.text}
          isNew={added === at && filter.text === ""}
          onText={(text) => set(at, { column: filter.column, text })}
          onClear={() => set(at, null)}
        />
      ))}
      <Menu
        label="Filter by a column"
        triggerClass={buttonClass("quiet", true)}
        trigger={
          <>
            <ListFilter size={12} aria-hidden="true" />
            Filter
          </>
        }
        items={columns.map(({ name, type }, at) => ({
          id: String(at),
          label: <SafeText text={name.slice(0, NAME_CHARS)} />,
          hint: type,
          onPick: () => {
            setAdded(filters.length);
            choose({ filters: [...filters, { column: at, text: "" }] });
          },
        }))}
      />
      <Menu
        label="Columns that are shown"
        triggerClass={buttonClass("quiet", true)}
        trigger={
          <>
            <Columns3 size={12} aria-hidden="true" />
            {away.size > 0 ? `${columns.length - away.size} of ${formatCount(columns.length, "column")}` : "Columns"}
          </>
        }
        items={[
          { id: "all", label: "Show all", onPick: () => choose({ hidden: [] }) },
          // One stays, so that there is a table.
          {
            id: "none",
            label: "Hide all but the first",
            onPick: () => choose({ hidden: columns.map((_, at) => at).slice(1) }),
          },
          ...columns.map(({ name, filled }, at) => ({
            id: String(at),
            label: <SafeText text={name.slice(0, NAME_CHARS)} />,
            hint: filled.toLocaleString("en-US"),
            checked: !away.has(at),
            stays: true,
            onPick: () => {
              const next = away.has(at) ? hidden.filter((one) => one !== at) : [...hidden, at];
              if (next.length < columns.length) choose({ hidden: next });
            },
          })),
        ]}
      />
      <span className="flex-1" />
      <output className="text-ink-3" aria-label="What was arranged">
        {isReading && (isNarrowed || sort !== null)
          ? "Sorted and filtered when all is read"
          : table.isArranging
            ? "Arranging …"
            : table.ms !== null && `${sort === null ? "Filtered" : "Sorted"} in ${formatDuration(table.ms)}`}
      </output>
      <Button
        small
        kind="quiet"
        disabled={isReading}
        title={
          isReading
            ? "When all is read"
            : "Visible rows and columns. Text that starts with = + - @ gets an apostrophe: no formula runs."
        }
        onClick={onCsv}
      >
        <Download size={12} aria-hidden="true" />
        Download as CSV
      </Button>
    </div>
  );
}

type FilterFieldProps = {
  name: string;
  text: string;
  isNew: boolean;
  onText: (text: string) => void;
  onClear: () => void;
};

function FilterField({ name, text, isNew, onText, onClear }: FilterFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const input = field.current;
    if (!isNew || !input) return;
    input.focus();
    // The menu that it was chosen from gives the focus back to its button a moment later.
    const takeBack = (event: FocusEvent) => {
      if (event.target instanceof HTMLElement && event.target.ariaHasPopup === "menu") input.focus();
    };
    document.addEventListener("focusin", takeBack);
    const timer = setTimeout(() => document.removeEventListener("focusin", takeBack), MENU_MS);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("focusin", takeBack);
    };
  }, [isNew]);
  const label = `${shownText(name.slice(0, NAME_CHARS))}: text, !text, =text, >10`;
  return (
    <span className="inline-flex h-6 items-center gap-1 rounded-1 bg-select pr-0.5 pl-2">
      <span className="max-w-40 truncate font-medium">
        <SafeText text={name} />
      </span>
      <input
        ref={field}
        type="text"
        value={text}
        aria-label={`Filter ${label}`}
        title="Holds the text; !text does not; =text is it; >10 >=10 <10 <=10 compare numbers; = is empty"
        placeholder="text or >10"
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onClear();
        }}
        className="h-5 w-28 rounded-1 border border-line-strong bg-raised px-1.5 text-12 text-ink"
      />
      <button
        type="button"
        aria-label={`Clear the filter of ${shownText(name.slice(0, NAME_CHARS))}`}
        onClick={onClear}
        className="inline-grid size-5 place-items-center rounded-1 text-ink-3 hover:text-ink"
      >
        <X size={11} aria-hidden="true" />
      </button>
    </span>
  );
}
