"use client";
// Which rows are shown, with how many there are of each choice in the whole session. Types and tools add up, marks narrow.
import { ChevronDown } from "lucide-react";
import { useMemo } from "react";
import {
  isFiltering,
  ROW_MARKS,
  ROW_TYPES,
  rowCounts,
  type RowCounts,
  type RowFilter,
  type RowMark,
} from "#lib/kernel/log/row-filter.ts";
import type { OutlineAnswer } from "#lib/wire/events-schema.ts";
import { useInspector } from "../shared/inspector-state.ts";
import { Button } from "../ui/button.tsx";
import { Chip, chipClass } from "../ui/chip.tsx";
import { Empty } from "../ui/empty.tsx";
import { formatCount, formatTokens } from "../ui/format.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import type { MenuItem } from "../ui/menu-item.ts";
import { Menu } from "../ui/menu.tsx";
import { SafeText } from "../ui/safe-text.tsx";

const NO_FILTER: RowFilter = { types: [], tools: [], marks: [] };
const divider = <span className="mx-1 h-4 flex-none border-l border-line-strong" aria-hidden="true" />;
const NAMES = {
  user: "User",
  assistant: "Assistant",
  reasoning: "Reasoning",
  error: "Errors",
  large: "Over 2k tokens",
  offloaded: "Offloaded",
  agent: "Sub-agents",
};

type RowFilterBarProps = {
  outline: OutlineAnswer;
  withHidden: boolean;
  filter: RowFilter;
  onFilter: (filter: RowFilter) => void;
};

export function RowFilterBar({ outline, withHidden, filter, onFilter }: RowFilterBarProps) {
  const counts = useMemo(() => rowCounts(outline, filter, withHidden), [outline, filter, withHidden]);
  const all = useMemo(() => rowCounts(outline, NO_FILTER, withHidden), [outline, withHidden]);
  const isOn = isFiltering(filter);
  // Escape closes the inspector first.
  const isInspecting = useInspector().view !== null;
  const shortcuts = useMemo<Shortcut[]>(
    () =>
      isOn && !isInspecting
        ? [{ keys: "Escape", label: "Clear filters", group: "Transcript", run: () => onFilter(NO_FILTER) }]
        : [],
    [isOn, isInspecting, onFilter],
  );
  useShortcuts(shortcuts);
  const others = ROW_MARKS.filter((mark) => mark !== "error" && (all.marks[mark] > 0 || filter.marks.includes(mark)));
  const chipsOf = (marks: readonly RowMark[]) =>
    marks.map((mark) => (
      <Chip
        key={mark}
        on={filter.marks.includes(mark)}
        hint={formatTokens(counts.marks[mark])}
        title="Rows must have every chosen mark"
        onClick={() => onFilter({ ...filter, marks: toggled(filter.marks, mark) })}
      >
        {NAMES[mark]}
      </Chip>
    ));
  return (
    <>
      <fieldset
        aria-label="Filter"
        className="flex min-w-0 flex-none flex-wrap items-center gap-1 border-b border-line px-4 py-1 max-[900px]:px-3"
      >
        {chipsOf(["error"])}
        {divider}
        {ROW_TYPES.filter((type) => all.types[type] > 0 || filter.types.includes(type)).map((type) => (
          <Chip
            key={type}
            on={filter.types.includes(type)}
            hint={formatTokens(counts.types[type])}
            title="Types and tools add up"
            onClick={() => onFilter({ ...filter, types: toggled(filter.types, type) })}
          >
            {NAMES[type]}
          </Chip>
        ))}
        {(all.tools.length > 0 || filter.tools.length > 0) && (
          <ToolMenu counts={counts} chosen={filter.tools} onPick={(tools) => onFilter({ ...filter, tools })} />
        )}
        {others.length > 0 && divider}
        {chipsOf(others)}
        <span className="flex-1" />
        <span className="sticky right-0 flex flex-none items-center bg-bg">
          <output className="pl-2 text-12 whitespace-nowrap text-ink-3 tabular-nums">
            {isOn && `${formatTokens(counts.matching)} of ${formatCount(counts.total, "row")}`}
          </output>
          {isOn && (
            <Button small kind="quiet" onClick={() => onFilter(NO_FILTER)} title="Clear filters (Escape)">
              Clear
            </Button>
          )}
        </span>
      </fieldset>
      {isOn && counts.matching === 0 && (
        <div className="flex-none p-6">
          <Empty
            title="No event matches these filters"
            actions={
              <Button small onClick={() => onFilter(NO_FILTER)}>
                Clear filters
              </Button>
            }
          >
            None of {formatCount(counts.total, "row")} of this session has all that is chosen.
          </Empty>
        </div>
      )}
    </>
  );
}

type ToolMenuProps = {
  counts: RowCounts;
  chosen: readonly string[];
  onPick: (tools: readonly string[]) => void;
};

/** Several tools can be chosen in a row: the menu stays open. */
function ToolMenu({ counts, chosen, onPick }: ToolMenuProps) {
  const names = counts.tools.map(({ name }) => name);
  const items: MenuItem[] = [
    { id: "any", label: "any", checked: chosen.length === 0, onPick: () => onPick([]) },
    ...[...counts.tools, ...chosen.filter((name) => !names.includes(name)).map((name) => ({ name, count: 0 }))].map(
      ({ name, count }) => ({
        id: `=${name}`,
        label: <SafeText text={name} />,
        hint: formatTokens(count),
        checked: chosen.includes(name),
        stays: true,
        onPick: () => onPick(toggled(chosen, name)),
      }),
    ),
  ];
  const total = counts.tools.reduce((sum, { count }) => sum + count, 0);
  const said = chosen.length === 0 ? formatTokens(total) : chosen.join(", ");
  return (
    <Menu
      label={`Tools: ${chosen.length === 0 ? "any" : shownText(said)}`}
      triggerClass={chipClass(chosen.length > 0)}
      trigger={
        <>
          Tools
          <span className="max-w-50 truncate font-normal text-ink-3">
            <SafeText text={said} />
          </span>
          <ChevronDown size={11} aria-hidden="true" className="text-ink-3" />
        </>
      }
      items={items}
    />
  );
}

const toggled = <Value,>(list: readonly Value[], value: Value): Value[] =>
  list.includes(value) ? list.filter((one) => one !== value) : [...list, value];
