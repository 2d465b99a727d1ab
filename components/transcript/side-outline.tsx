"use client";
// The outline at the side: turns with their weight, the heaviest calls of the turn on screen, compactions between.
import { briefLabel } from "#lib/kernel/log/tool-summary.ts";
import { memo, useEffect, useMemo, useRef } from "react";
import { compactionSizes } from "../shared/load-view.ts";
import { ORIGINS } from "#lib/wire/common-schema.ts";
import type { OutlineAnswer } from "#lib/wire/events-schema.ts";
import { isInputHeavy } from "../events/tools/index.ts";
import { useLoad } from "../shared/session-queries.ts";
import { useVisibleRange, useSession } from "../shared/session-context.tsx";
import { formatCount, formatTokens } from "../ui/format.ts";
import { Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { Swatch } from "../ui/swatch.tsx";
import { useRows } from "../ui/use-rows.ts";
import { positionOf, sideEntries, turnItems, type Rows, type SideEntry } from "../shared/transcript-rows.ts";

/** The heaviest calls of the turn on screen; more would push the other turns out of sight. */
const ITEMS = 12;

const ENTRY = "w-full items-center hover:bg-sunk focus-visible:-outline-offset-2";

type Entry = SideEntry | { readonly kind: "item"; readonly i: number };

type SideOutlineProps = { rows: Rows; showHidden: boolean; onShowHidden: (show: boolean) => void };

export function SideOutline({ rows, showHidden, onShowHidden }: SideOutlineProps) {
  const visible = useVisibleRange();
  const { outline, shown } = rows;
  const { view } = useLoad(useSession().id);
  const sizes = useMemo(() => (view ? compactionSizes(view) : new Map()), [view]);
  const at = shown[Math.max(0, positionOf(rows, visible?.first ?? 0))] ?? 0;
  return (
    <aside
      className="flex min-h-0 flex-col border-r border-line text-12 group-data-inspecting/columns:max-[1320px]:hidden max-[900px]:hidden print:hidden"
      aria-label="Outline"
    >
      <Entries outline={outline} sizes={sizes} turn={outline.turn[at] ?? 0} top={outline.seq[at] ?? 0} />
      {rows.hiddenCount > 0 && (
        <button
          type="button"
          aria-pressed={showHidden}
          onClick={() => onShowHidden(!showHidden)}
          className="flex h-8 w-full items-center border-t border-line px-6 text-left text-12 text-ink-3 hover:bg-sunk"
        >
          {showHidden ? "Hide" : "Show"} {formatCount(rows.hiddenCount, "hidden record")}
        </button>
      )}
    </aside>
  );
}

type Sizes = ReturnType<typeof compactionSizes>;

type EntriesProps = { outline: OutlineAnswer; sizes: Sizes; turn: number; top: number };

const Entries = memo(function Entries({ outline, sizes, turn, top }: EntriesProps) {
  const box = useRef<HTMLDivElement>(null);
  const base = useMemo(() => sideEntries(outline), [outline]);
  const estimated = useMemo(() => estimatedTurns(outline), [outline]);
  const entries = useMemo(() => withItems(base, outline, turn), [base, outline, turn]);
  const virtual = useRows({
    count: entries.length,
    getScrollElement: () => box.current,
    estimateSize: (i) => (entries[i]?.kind === "turn" ? 28 : 24),
    getItemKey: (i) => keyOf(outline, entries[i]),
    overscan: 10,
  });
  const current = entries.findIndex((entry) => entry.kind === "turn" && entry.turn.turn === turn);
  useEffect(() => {
    if (current >= 0) virtual.scrollToIndex(current, { align: "auto" });
  }, [current, virtual]);
  return (
    <div ref={box} className="min-h-0 flex-1 overflow-y-auto py-2" tabIndex={-1}>
      <ol style={{ height: virtual.getTotalSize() }} className="relative">
        {virtual.getVirtualItems().map((item) => (
          <li key={item.key} className="absolute inset-x-0" style={{ top: item.start, height: item.size }}>
            <OutlineEntry
              entry={entries[item.index]}
              outline={outline}
              turn={turn}
              top={top}
              estimated={estimated}
              sizes={sizes}
            />
          </li>
        ))}
      </ol>
    </div>
  );
});

type EntryProps = {
  entry: Entry | undefined;
  outline: OutlineAnswer;
  turn: number;
  top: number;
  estimated: ReadonlySet<number>;
  sizes: Sizes;
};

function OutlineEntry({ entry, outline, turn, top, estimated, sizes }: EntryProps) {
  const { goTo } = useSession();
  if (!entry) return null;
  if (entry.kind === "compaction") {
    const { seq } = entry.compaction;
    const tokensBefore = sizes.get(seq)?.before ?? entry.compaction.tokensBefore;
    const tokensAfter = sizes.get(seq)?.after ?? entry.compaction.tokensAfter;
    const after = tokensAfter === null ? "" : ` → ${formatTokens(tokensAfter, true)}`;
    return (
      <button
        type="button"
        className={`${ENTRY} flex h-6 gap-2 pr-3 pl-6 whitespace-nowrap text-ink-3 after:flex-1 after:border-t after:border-dashed after:border-line-strong`}
        onClick={() => goTo(seq)}
      >
        {entry.isRewind === true ? "rewound" : "compacted"}
        {tokensBefore === null ? "" : ` ${formatTokens(tokensBefore, true)}${after}`}
      </button>
    );
  }
  if (entry.kind === "item") {
    const seq = outline.seq[entry.i] ?? 0;
    return (
      <button
        type="button"
        className={`${ENTRY} flex h-6 gap-2 pr-3 pl-13 text-ink-3 aria-[current]:text-ink aria-[current]:shadow-[inset_2px_0_var(--ink)]`}
        aria-current={seq === top || undefined}
        onClick={() => goTo(seq)}
      >
        <Swatch category={isInputHeavy(outline.labels[entry.i] ?? "") ? "call" : "result"} />
        <span className="min-w-0 flex-1 truncate text-left">
          <SafeText text={briefLabel(outline.labels[entry.i] ?? "")} />
        </span>
        <span className="num">
          <Num
            value={outline.tokens[entry.i] ?? 0}
            origin={ORIGINS[outline.origins[entry.i] ?? 2] ?? "estimated"}
            short
          />
        </span>
      </button>
    );
  }
  const isHere = entry.turn.turn === turn;
  return (
    <button
      type="button"
      className={`${ENTRY} grid h-7 grid-cols-[22px_1fr_auto] gap-1.5 pr-3 pl-6 text-ink-2 aria-[current]:bg-select aria-[current]:font-medium aria-[current]:text-ink`}
      aria-current={isHere || undefined}
      onClick={() => goTo(entry.turn.seq)}
    >
      <span className="num text-ink-3">{entry.turn.turn}</span>
      <span className="min-w-0 truncate text-left">
        <SafeText text={entry.turn.title || (entry.turn.turn === 0 ? "Before the first turn" : "No text")} />
      </span>
      <span className="num font-normal text-ink-3">
        <Num value={entry.turn.tokens} origin={estimated.has(entry.turn.turn) ? "estimated" : "counted"} short />
      </span>
    </button>
  );
}

function withItems(base: readonly SideEntry[], outline: OutlineAnswer, turn: number): Entry[] {
  return base.flatMap((entry): Entry[] =>
    entry.kind === "turn" && entry.turn.turn === turn
      ? [entry, ...turnItems(outline, turn, ITEMS).map((i) => ({ kind: "item", i }) as const)]
      : [entry],
  );
}

/** Turns with at least one number that is estimated. */
function estimatedTurns(outline: OutlineAnswer): ReadonlySet<number> {
  const turns = new Set<number>();
  outline.origins.forEach((origin, i) => {
    if (ORIGINS[origin] === "estimated") turns.add(outline.turn[i] ?? 0);
  });
  return turns;
}

function keyOf(outline: OutlineAnswer, entry: Entry | undefined): string {
  if (!entry) return "";
  if (entry.kind === "turn") return `turn ${entry.turn.turn}`;
  return entry.kind === "compaction" ? `cut ${entry.compaction.seq}` : `item ${outline.seq[entry.i]}`;
}
