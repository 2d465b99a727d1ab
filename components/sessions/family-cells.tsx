"use client";
// What a row of the sessions table has to say of its family.
import { ChevronDown, ChevronRight } from "lucide-react";
import { formatCount } from "../ui/format.ts";
import type { SessionRow } from "#lib/wire/sessions-schema.ts";

type FamilyProps = {
  session: Pick<SessionRow, "id" | "children">;
  view: {
    readonly child: "no" | "middle" | "last";
    readonly height: number;
    readonly forks: number;
    readonly open: boolean;
    readonly onUnfold: (id: string) => void;
  };
};

/** Unfolds the sub-agents of a session; below it, the line to its parent. */
export function Fold({ session, view }: FamilyProps) {
  if (view.child !== "no") return <TreeLine last={view.child === "last"} height={view.height} />;
  if (session.children === 0) return <span className="w-4 flex-none" />;
  const Icon = view.open ? ChevronDown : ChevronRight;
  return (
    <button
      type="button"
      aria-expanded={view.open}
      aria-label={`${view.open ? "Fold" : "Unfold"} ${formatCount(session.children, "sub-agent")}`}
      onClick={() => view.onUnfold(session.id)}
      className="inline-grid h-6 w-4 flex-none place-items-center rounded-1 text-ink-3 hover:text-ink"
    >
      <Icon size={13} aria-hidden="true" />
    </button>
  );
}

/** One row stands for sub-agents whose events are the same. */
export function Forks({ session, view }: FamilyProps) {
  const Icon = view.open ? ChevronDown : ChevronRight;
  return (
    <button
      type="button"
      aria-expanded={view.open}
      title="Their events are the same: type, tool and text"
      onClick={() => view.onUnfold(session.id)}
      className="inline-flex flex-none items-center gap-0.5 rounded-1 border border-line-strong px-1 text-11 whitespace-nowrap text-ink-2 hover:text-ink"
    >
      <Icon size={11} aria-hidden="true" />
      {formatCount(view.forks, "identical fork")}
    </button>
  );
}

function TreeLine({ last, height }: { last: boolean; height: number }) {
  const middle = height / 2;
  return (
    <svg width="14" height={height} className="ml-6 -my-2" aria-hidden="true" stroke="var(--line-strong)" fill="none">
      <path d={`M6.5 0V${last ? middle : height}M6.5 ${middle - 0.5}H13.5`} />
    </svg>
  );
}
