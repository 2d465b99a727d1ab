"use client";
// Which time, which sessions, and how they are parted.
import { FLEET_GROUPS, USAGE_GROUPS, type UsageAnswer, type UsageGroup } from "#lib/wire/usage-schema.ts";
import { ChevronDown } from "lucide-react";
import { useIsNode } from "../ui/access-context.ts";
import { Button } from "../ui/button.tsx";
import { chipClass } from "../ui/chip.tsx";
import { Facet } from "../ui/facet.tsx";
import { Menu } from "../ui/menu.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { groupName, MEASURES } from "./usage-series.ts";
import {
  daysOf,
  isUsageFiltered,
  NO_USAGE_FILTER,
  RANGE_WORDS,
  RANGES,
  VIEWS,
  type Range,
  type UsageChoices,
} from "./usage-state.ts";
import { GROUP_HEADS } from "./usage-table.tsx";

type UsageFiltersProps = {
  choices: UsageChoices;
  choose: (change: { [K in keyof UsageChoices]?: UsageChoices[K] | null }) => unknown;
  facets: UsageAnswer["facets"];
  today: string;
};

const PERIOD_WORDS = {
  daily: "Day",
  weekly: "Week",
  monthly: "Month",
  sessions: "Session",
  blocks: "5 hours",
  unused: "Unused",
} as const;

export function UsageFilters({ choices, choose, facets, today }: UsageFiltersProps) {
  const { period, by, measure, range, since, until, agent, project, model } = choices;
  const isOwn = period === "blocks" || period === "unused";
  const isNode = useIsNode();
  // Five hours are of one account on one machine: a node refuses them, and says so to who follows a link.
  const views = VIEWS.filter((view) => !isNode || view !== "blocks" || period === view);
  const groups = isNode ? [...USAGE_GROUPS, ...FLEET_GROUPS] : USAGE_GROUPS;
  const isTable = period === "sessions" || isOwn;
  const isFiltered = isUsageFiltered(choices);
  return (
    <div className="flex flex-none flex-col gap-2 px-6 pt-3 pb-3 max-md:px-4">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5">
        <Segmented
          label="Rows of time"
          value={period}
          options={views.map((value) => ({ value, label: PERIOD_WORDS[value] }))}
          onPick={(next) => void choose({ period: next })}
        />
        {!isTable && (
          <Segmented<UsageGroup>
            label="Grouped by"
            value={by}
            options={groups.map((value) => ({ value, label: GROUP_HEADS[value] }))}
            onPick={(next) => void choose({ by: next })}
          />
        )}
        {!isTable && (
          <Segmented
            label="Measure"
            value={measure}
            options={MEASURES.map((value) => ({ value, label: value === "cost" ? "Cost" : "Tokens" }))}
            onPick={(next) => void choose({ measure: next })}
          />
        )}
        <span className="flex-1" />
        {!isTable && (
          <Segmented
            label="Table"
            value={choices.rows}
            options={[
              { value: "periods", label: `By ${PERIOD_WORDS[period].toLowerCase()}` },
              {
                value: "groups",
                label: `By ${GROUP_HEADS[by].replace(/^[A-Z](?=[a-z])/u, (letter) => letter.toLowerCase())}`,
              },
            ]}
            onPick={(rows) => void choose({ rows })}
          />
        )}
      </div>
      {isOwn ? (
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5">
          <RangeMenu value={range} onPick={(next) => void choose({ range: next, since: null, until: null })} />
        </div>
      ) : (
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5">
          <RangeMenu
            value={since !== null || until !== null ? null : range}
            onPick={(next) => void choose({ range: next, since: null, until: null })}
          />
          <DayField
            label="From"
            value={since}
            standard={daysOf(choices, today).first}
            onPick={(day) => void choose({ since: day })}
          />
          <DayField
            label="To"
            value={until}
            standard={daysOf(choices, today).last}
            onPick={(day) => void choose({ until: day })}
          />
          <Facet
            name="Agent"
            value={agent}
            options={(facets?.agents ?? []).map((one) => ({ ...one, label: one.value }))}
            onPick={(next) => void choose({ agent: next })}
          />
          <Facet
            name="Project"
            value={project}
            options={(facets?.projects ?? []).map((one) => ({ ...one, label: groupName(one.value, "project") }))}
            onPick={(next) => void choose({ project: next })}
          />
          <Facet
            name="Model"
            value={model}
            options={(facets?.models ?? []).map((one) => ({ ...one, label: one.value }))}
            onPick={(next) => void choose({ model: next })}
          />
          {isFiltered && (
            <Button kind="quiet" small onClick={() => void choose(NO_USAGE_FILTER)}>
              Clear
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

/** One of them always holds: there is nothing to clear. */
function RangeMenu({ value, onPick }: { value: Range | null; onPick: (range: Range) => void }) {
  const words = value === null ? "own days" : RANGE_WORDS[value];
  return (
    <Menu
      label={`Range: ${words}`}
      triggerClass={chipClass(false)}
      trigger={
        <>
          Range <span className="font-normal text-ink-3">{words}</span>
          <ChevronDown size={11} aria-hidden="true" className="text-ink-3" />
        </>
      }
      items={RANGES.map((one) => ({
        id: one,
        label: RANGE_WORDS[one],
        checked: one === value,
        onPick: () => onPick(one),
      }))}
    />
  );
}

type DayFieldProps = {
  label: string;
  value: string | null;
  standard: string | null;
  onPick: (day: string | null) => void;
};

function DayField({ label, value, standard, onPick }: DayFieldProps) {
  return (
    <label className="flex flex-none items-center gap-1.5 text-12 text-ink-2">
      {label}
      <input
        type="date"
        value={value ?? standard ?? ""}
        onChange={(event) => onPick(event.target.value === "" ? null : event.target.value)}
        className={`h-6 rounded-1 border border-line-strong bg-raised px-1.5 text-12 tabular-nums ${value === null ? "text-ink-3" : "text-ink"}`}
      />
    </label>
  );
}
