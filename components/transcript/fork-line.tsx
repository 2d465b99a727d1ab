"use client";
// Above the first of several identical forks: how many there are, what they weigh together, and the way to the others.
import { ChevronDown, ChevronRight } from "lucide-react";
import type { Origin } from "#lib/wire/common-schema.ts";
import type { ForkRun } from "../shared/fork-rows.ts";
import { formatCount } from "../ui/format.ts";
import { Num } from "../ui/num.tsx";
import { useToggleForks } from "./use-fork-rows.ts";

type ForkLineProps = { seq: number; run: ForkRun; origin: Origin };

export function ForkLine({ seq, run, origin }: ForkLineProps) {
  const toggle = useToggleForks();
  const Icon = run.isOpen ? ChevronDown : ChevronRight;
  return (
    <p className="mb-1 flex items-center gap-2 text-12 text-ink-2" data-beside>
      <button
        type="button"
        aria-expanded={run.isOpen}
        title="Their events are the same: type, tool and text"
        className="-ml-1 inline-flex h-6 items-center gap-1 rounded-1 bg-sunk pr-2 pl-1 font-medium hover:text-ink group-data-selected/row:bg-bg"
        onClick={() => toggle(seq)}
      >
        <Icon size={13} aria-hidden="true" />
        {formatCount(run.count, "identical fork")}
      </button>
      <span className="text-ink-3">
        <Num value={run.tokens} origin={origin} /> tokens together
      </span>
    </p>
  );
}
