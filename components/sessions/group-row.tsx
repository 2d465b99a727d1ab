"use client";
import { ChevronDown, ChevronRight } from "lucide-react";
import type { SessionGroup } from "#lib/wire/sessions-schema.ts";
import { formatCount } from "../ui/format.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { projectName } from "./session-table-rows.ts";
import { SumFigures } from "./sums-line.tsx";

type GroupRowProps = {
  row: number;
  group: SessionGroup & { readonly isFolded: boolean };
  span: number;
  height: number;
  current: boolean;
  onFold: (project: string) => void;
};

/** A project above its sessions, with what all of them come to. */
export function GroupRow({ row, group, span, height, current, onFold }: GroupRowProps) {
  const { project, sessions, isFolded } = group;
  const Icon = isFolded ? ChevronRight : ChevronDown;
  const name = project === "" ? "No project" : projectName(project);
  return (
    <tr data-row={row} aria-rowindex={row + 2} data-current={current || undefined} style={{ height }}>
      <th
        colSpan={span}
        scope="colgroup"
        style={{ height }}
        className={`border-b border-line-strong p-0 text-left font-normal ${current ? "bg-select" : "bg-bg"}`}
      >
        <button
          type="button"
          aria-expanded={!isFolded}
          title={project === "" ? undefined : shownText(project)}
          onClick={() => onFold(project)}
          className="flex h-full w-full items-center gap-2 overflow-hidden text-left whitespace-nowrap hover:bg-sunk focus-visible:-outline-offset-2"
        >
          <Icon size={13} aria-hidden="true" className="w-4 flex-none text-ink-3" />
          <span className="max-w-[60%] flex-none truncate font-semibold">
            <SafeText text={name} />
          </span>
          <span className="flex min-w-0 gap-x-4 overflow-hidden text-12 text-ink-3">
            <span>{formatCount(sessions, "session")}</span>
            <SumFigures sums={group} />
          </span>
        </button>
      </th>
    </tr>
  );
}
