"use client";
// Counts beside the results. A click adds the filter to the query, another takes it out.
import { ChevronDown } from "lucide-react";
import type { SearchField } from "#lib/kernel/search/search-fields.ts";
import type { SearchAnswer } from "#lib/wire/search-schema.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { projectName } from "../sessions/session-table-rows.ts";
import { hasFilter, toggleFilter } from "../shared/query-parts.ts";
import { formatTokens } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { kindLabel } from "./result-links.ts";

type Facets = NonNullable<SearchAnswer["facets"]>;

const GROUPS: readonly { readonly of: keyof Facets; readonly name: string; readonly field: SearchField }[] = [
  { of: "types", name: "Type", field: "type" },
  { of: "tools", name: "Tool", field: "tool" },
  { of: "projects", name: "Project", field: "project" },
  { of: "agents", name: "Agent", field: "agent" },
  { of: "models", name: "Model", field: "model" },
];

type FacetsProps = { facets: Facets; q: string; onChange: (q: string) => void };

export function SearchFacets({ facets, q, onChange }: FacetsProps) {
  const groups = GROUPS.filter(({ of }) => facets[of].length > 0);
  return (
    <aside
      aria-label="Filters"
      className="flex-none md:w-56 md:overflow-auto md:border-r md:border-line md:py-3 md:pl-6"
    >
      {/* On a phone they lie under the query, closed. */}
      <details className="group md:hidden">
        <summary className="flex h-8 cursor-default list-none items-center gap-1 px-4 text-12 text-ink-2">
          <ChevronDown size={12} aria-hidden="true" className="group-open:rotate-180" />
          Filters
        </summary>
        <div className="px-4 pb-2">
          {groups.map((group) => (
            <Group key={group.of} group={group} options={facets[group.of]} q={q} onChange={onChange} />
          ))}
        </div>
      </details>
      <div className="max-md:hidden">
        {groups.map((group) => (
          <Group key={group.of} group={group} options={facets[group.of]} q={q} onChange={onChange} />
        ))}
      </div>
    </aside>
  );
}

type GroupProps = {
  group: (typeof GROUPS)[number];
  options: Facets["types"];
  q: string;
  onChange: (q: string) => void;
};

function Group({ group: { of, name, field }, options, q, onChange }: GroupProps) {
  return (
    <fieldset className="mb-3 min-w-0">
      <legend className="px-2 pb-0.5 text-12 font-medium text-ink-2">{name}</legend>
      {options.map(({ value, label, count }) => (
        <button
          key={value}
          type="button"
          aria-pressed={hasFilter(q, field, value)}
          title={shownText(value)}
          onClick={() => onChange(toggleFilter(q, field, value))}
          className="flex h-6 w-full min-w-0 items-center gap-2 rounded-1 px-2 text-left text-12 hover:bg-sunk focus-visible:-outline-offset-2 aria-pressed:bg-select aria-pressed:font-medium"
        >
          <span className="min-w-0 flex-1 truncate">
            <SafeText text={of === "projects" ? projectName(value) : of === "types" ? kindLabel(value) : label} />
          </span>
          <span className="flex-none text-ink-3 tabular-nums">{formatTokens(count)}</span>
        </button>
      ))}
    </fieldset>
  );
}
