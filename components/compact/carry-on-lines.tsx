"use client";
// Every line of the new file, in its order, as what it is. A long file has thousands.
import { ChevronRight } from "lucide-react";
import { useRef, useState } from "react";
import type { CarryOnPlan } from "#lib/wire/carry-on-schema.ts";
import { EventLinks } from "../shared/event-links.tsx";
import { formatBytes, formatTokens } from "../ui/format.ts";
import { Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { useRows } from "../ui/use-rows.ts";

type Line = CarryOnPlan["lines"][number];
type Kind = Line["kind"];

const KINDS: Record<Kind, string> = {
  kept: "Kept",
  replaced: "Envelope",
  summary: "Summary",
  changed: "Changed",
  closed: "Closed",
  added: "Added",
};
/** What a kind means, on hover. */
const ABOUT: Record<Kind, string> = {
  kept: "As it is in the old file",
  replaced: "A large output, replaced by an envelope",
  summary: "The summary of what is left out",
  changed: "Kept without what the agent would refuse",
  closed: "A result for a call that has none",
  added: "Written by Plimsoll",
};
const LINE_PX = 26;

type LinesProps = { plan: CarryOnPlan; onOpen: (seq: number) => void };

export function CarryOnLines({ plan, onOpen }: LinesProps) {
  const scroller = useRef<HTMLElement>(null);
  const [kind, setKind] = useState<Kind | "all">("all");
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const all = plan.lines.map((line, at) => ({ line, number: at + 1 }));
  const kinds = (Object.keys(KINDS) as Kind[]).filter((one) => plan.lines.some((line) => line.kind === one));
  const shownKind = kind !== "all" && kinds.includes(kind) ? kind : "all";
  const shown = shownKind === "all" ? all : all.filter(({ line }) => line.kind === shownKind);
  const rows = useRows({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    getItemKey: (at) => shown[at]!.number,
    overscan: 12,
  });
  const toggle = (number: number) =>
    setOpen(
      (before) => new Set(before.has(number) ? [...before].filter((one) => one !== number) : [...before, number]),
    );
  const count = (one: Kind) => formatTokens(plan.lines.filter((line) => line.kind === one).length);
  return (
    <section className="mt-5" aria-label="Lines of the new file">
      <div className="flex flex-wrap items-center gap-2 pb-2">
        <h2 className="flex-1 text-15 font-semibold">Lines</h2>
        <Segmented
          label="Lines that are shown"
          value={shownKind}
          options={[
            { value: "all", label: `All ${formatTokens(all.length)}` },
            ...kinds.map((value) => ({ value, label: `${KINDS[value]} ${count(value)}` })),
          ]}
          onPick={setKind}
        />
      </div>
      <section
        ref={scroller}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls is reached by the keyboard
        tabIndex={0}
        aria-label="List of lines"
        className="relative max-h-120 overflow-y-auto border-y border-line-strong"
      >
        <ol style={{ height: rows.getTotalSize() }} className="relative">
          {rows.getVirtualItems().map(({ index, key, start }) => {
            const { line, number } = shown[index]!;
            return (
              <li
                key={key}
                ref={rows.measureElement}
                data-index={index}
                data-kind={line.kind}
                className="absolute inset-x-0 top-0 border-b border-line hover:bg-sunk"
                style={{ transform: `translateY(${start}px)` }}
              >
                <LineRow line={line} number={number} isOpen={open.has(number)} toggle={toggle} plan={plan} />
                {open.has(number) && <Detail line={line} onOpen={onOpen} />}
              </li>
            );
          })}
        </ol>
      </section>
    </section>
  );
}

type RowProps = { line: Line; number: number; isOpen: boolean; toggle: (number: number) => void; plan: CarryOnPlan };

function LineRow({ line, number, isOpen, toggle, plan }: RowProps) {
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={() => toggle(number)}
      className="grid h-6.25 w-full grid-cols-[44px_14px_72px_minmax(0,1fr)_84px] items-center gap-2 px-1 text-left text-12 focus-visible:-outline-offset-2 max-sm:grid-cols-[28px_14px_62px_minmax(0,1fr)_56px]"
    >
      <span className="text-right text-ink-3 tabular-nums">{number}</span>
      <ChevronRight size={12} aria-hidden="true" className={isOpen ? "rotate-90" : ""} />
      <span className={line.kind === "kept" ? "text-ink-3" : "font-medium"} title={ABOUT[line.kind]}>
        {KINDS[line.kind]}
      </span>
      <span className="truncate text-ink-2">
        <SafeText text={line.label || "Record of the agent"} />
      </span>
      <span className="text-right tabular-nums">
        {line.tokens > 0 && (
          <Num value={line.tokens} origin={line.kind === "kept" ? plan.tokens.origin : "estimated"} />
        )}
      </span>
    </button>
  );
}

function Detail({ line, onOpen }: { line: Line; onOpen: (seq: number) => void }) {
  return (
    <p className="flex flex-wrap gap-x-4 pr-2 pb-1.5 pl-19.5 text-12 text-ink-2 max-sm:pl-15">
      <span>{ABOUT[line.kind]}.</span>
      {line.note !== null && line.note !== "" && (
        <span className="wrap-anywhere">
          <SafeText text={line.note} />
        </span>
      )}
      {line.seqs.length > 0 && (
        <span>
          Event <EventLinks seqs={line.seqs} onOpen={onOpen} most={6} />
        </span>
      )}
      <span className="text-ink-3">{formatBytes(line.bytes)}</span>
    </p>
  );
}
