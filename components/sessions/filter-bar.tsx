"use client";
import type { ReactNode } from "react";
import { STATES } from "#lib/kernel/load/compaction-state.ts";
import type { SessionsAnswer } from "#lib/wire/sessions-schema.ts";
import { useIsNode } from "../ui/access-context.ts";
import { LiveDot } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Chip, chipClass } from "../ui/chip.tsx";
import { Facet } from "../ui/facet.tsx";
import { formatTokens } from "../ui/format.ts";
import { Hull } from "../ui/hull.tsx";
import { Menu } from "../ui/menu.tsx";
import { COLUMNS } from "./columns.ts";
import { rememberDensity } from "./density.ts";
import { isFiltered, NO_FILTER, stateChosen, type Choices } from "./session-filters.ts";
import type { Choose } from "./use-choices.ts";
import { projectName, STATE_HULL, STATE_LABELS } from "./session-table-rows.ts";

type FilterBarProps = {
  answer: SessionsAnswer | undefined;
  choices: Choices;
  choose: Choose;
};

const SINCE = [
  ["day", "last 24 hours"],
  ["week", "last 7 days"],
  ["month", "last 30 days"],
] as const;

const FILES = [
  ["deleted", "kept here"],
  ["soon", "within 7 days"],
] as const;

export function FilterBar({ answer, choices, choose }: FilterBarProps) {
  const isNode = useIsNode();
  const counts = answer?.counts;
  const { facets } = answer ?? {};
  const chosen = stateChosen(choices);
  const pick = (state: Choices["state"]) => () => void choose({ state: state === chosen ? null : state, badge: null });
  return (
    // At 1440 px all of it is one row: what a facet that is not set holds gives way first.
    <div className="flex flex-none flex-wrap items-center gap-1 px-6 pt-3 pb-2 max-2xl:[&_[data-any]]:hidden max-md:px-4">
      <Chip on={chosen === null} hint={hint(counts?.all)} onClick={pick(null)}>
        All
      </Chip>
      {STATES.map((state) => (
        <Chip key={state} on={chosen === state} hint={hint(counts?.[state])} onClick={pick(state)}>
          <Hull percent={STATE_HULL[state]} />
          {STATE_LABELS[state]}
        </Chip>
      ))}
      <Chip on={chosen === "running"} hint={hint(counts?.running)} onClick={pick("running")}>
        <LiveDot small />
        Running
      </Chip>
      <i className="mx-1 h-4 w-px flex-none bg-line max-md:hidden" />
      <Facet
        name="Agent"
        value={choices.agent}
        options={facets?.formats ?? []}
        onPick={(agent) => void choose({ agent })}
      />
      <Facet
        name="Project"
        value={choices.project}
        options={(facets?.projects ?? []).map((project) => ({ ...project, label: projectName(project.value) }))}
        onPick={(project) => void choose({ project })}
      />
      <Facet
        name="Model"
        value={choices.model}
        options={(facets?.models ?? []).map((model) => ({ ...model, label: model.value }))}
        onPick={(model) => void choose({ model })}
      />
      <Facet
        name="Started"
        value={choices.since}
        options={SINCE.map(([value, label]) => ({ value, label }))}
        onPick={(since) => void choose({ since: SINCE.find(([value]) => value === since)?.[0] ?? null })}
      />
      {/* A node does not know the files of its senders. What a link chose can be taken back. */}
      {(!isNode || choices.file !== null) && (
        <Facet
          name="Deleted"
          value={choices.file}
          options={FILES.map(([value, label]) => ({ value, label }))}
          onPick={(file) => void choose({ file: FILES.find(([value]) => value === file)?.[0] ?? null })}
        />
      )}
      <Chip on={choices.artifacts} onClick={() => void choose({ artifacts: !choices.artifacts })}>
        Has artifacts
      </Chip>
      {isFiltered(choices) && (
        <Button kind="quiet" small onClick={() => void choose(NO_FILTER)}>
          Clear
        </Button>
      )}
      <span className="ml-auto inline-flex items-center gap-1">
        <SortMenu choices={choices} choose={choose} />
        <ViewMenu choices={choices} choose={choose} />
      </span>
    </div>
  );
}

function hint(count: number | undefined): ReactNode {
  return count === undefined ? undefined : formatTokens(count);
}

const ORDERS = [
  ["active", "desc", "last active first"],
  ["active", "asc", "last active, oldest first"],
  ["started", "desc", "started, newest first"],
  ["started", "asc", "started, oldest first"],
  ["peak", "desc", "peak, fullest first"],
  ["cost", "desc", "most expensive first"],
  ["avoidable", "desc", "avoidable cost, most first"],
  ["calls", "desc", "calls, most first"],
  ["turns", "desc", "turns, most first"],
  ["compactions", "desc", "compacted, most first"],
  ["artifacts", "desc", "artifacts, most first"],
  ["title", "asc", "title, A to Z"],
] as const;

function SortMenu({ choices, choose }: { choices: Choices; choose: Choose }) {
  const now = ORDERS.find(([sort, dir]) => sort === choices.sort && dir === choices.dir);
  const words = now?.[2] ?? `${choices.sort}, ${choices.dir === "asc" ? "least" : "most"} first`;
  return (
    <Menu
      label={`Sort: ${words}`}
      align="end"
      triggerClass={chipClass(false)}
      trigger={
        <>
          <span className="text-ink-3">Sort</span> {words}
        </>
      }
      items={ORDERS.map(([sort, dir, label]) => ({
        id: label,
        label,
        checked: sort === choices.sort && dir === choices.dir,
        onPick: () => void choose({ sort, dir }),
      }))}
    />
  );
}

const DENSITIES = [
  ["Comfortable rows", false],
  ["Compact rows", true],
] as const;

function ViewMenu({ choices, choose }: { choices: Choices; choose: Choose }) {
  const columns = COLUMNS.filter((column) => column.id !== "session");
  return (
    <Menu
      label="View: density, groups and columns"
      align="end"
      triggerClass={chipClass(false)}
      trigger="View"
      items={[
        ...DENSITIES.map(([label, dense]) => ({
          id: label,
          label,
          checked: choices.dense === dense,
          onPick: () => {
            rememberDensity(dense);
            void choose({ dense });
          },
        })),
        {
          id: "group",
          label: "Group by project",
          checked: choices.group === "project",
          onPick: () => void choose({ group: choices.group === null ? "project" : null }),
        },
        ...columns.map((column) => ({
          id: column.id,
          label: column.name,
          checked: !choices.hide.includes(column.id),
          stays: true,
          onPick: () =>
            void choose({
              hide: choices.hide.includes(column.id)
                ? choices.hide.filter((id) => id !== column.id)
                : [...choices.hide, column.id],
            }),
        })),
      ]}
    />
  );
}
