"use client";
// Memory on the axis of the load strip above it: epochs, items where they were made, recalls. The list below is the same in words.
import { memo, useMemo } from "react";
import type { MemoryAnswer, MemoryItemRow } from "#lib/wire/memory-schema.ts";
import { centreOf, xOf, type Plot } from "#lib/kernel/load/geometry.ts";
import { slimPlot } from "../chart/scrubber.tsx";
import { useBoxWidth } from "../chart/use-canvas.ts";
import type { LoadView } from "../shared/load-view.ts";
import { formatCount, formatTokens } from "../ui/format.ts";
import { axisMarks, countOf, epochSpans, markKey, sourceSpans, type AxisMark, type MarkLane } from "./axis-marks.ts";

const LANE = 18;
const NAMES: Record<MarkLane, string> = { episodic: "Episodic", semantic: "Semantic", recall: "Recalled" };

type AxisProps = {
  view: LoadView;
  answer: MemoryAnswer;
  /** Items that the pointer or the focus is on: the calls they came from are lit. */
  lit: readonly MemoryItemRow[];
  onLit: (items: readonly MemoryItemRow[]) => void;
  onPick: (mark: AxisMark) => void;
};

// Every move of the cursor renders the page; 7,000 calls in hundreds of epochs are not laid out again for that.
export const MemoryAxis = memo(function MemoryAxis({ view, answer, lit, onLit, onPick }: AxisProps) {
  const [width, box] = useBoxWidth();
  const marks = useMemo(() => axisMarks(view, answer), [view, answer]);
  const lanes = (["episodic", "semantic", "recall"] as const).filter((lane) =>
    marks.some((mark) => mark.lane === lane),
  );
  const plot = useMemo(() => slimPlot(view, width), [view, width]);
  const spans = useMemo(() => sourceSpans(view, answer, lit), [view, answer, lit]);
  if (view.calls.length === 0) return null;
  return (
    <section
      aria-label="Memory by model call"
      className="grid flex-none grid-cols-[minmax(0,1fr)_160px] gap-4 border-b border-line px-6 pt-1 pb-2 max-[900px]:grid-cols-[minmax(0,1fr)_150px] max-[560px]:grid-cols-[minmax(0,1fr)] max-[560px]:px-4"
    >
      <div ref={box} className="relative" style={{ height: LANE * (lanes.length + 1) }}>
        {spans.map(({ from, to }) => (
          <i
            key={from}
            data-testid="source-span"
            className="absolute inset-y-0 rounded-1 bg-accent/20"
            style={{
              left: xOf(plot, from),
              width: Math.max(2, xOf(plot, to - 1) + plot.columnWidth - xOf(plot, from)),
            }}
          />
        ))}
        <Epochs answer={answer} view={view} plot={plot} />
        {width > 0 &&
          marks.map((mark) => (
            <Mark
              key={markKey(mark)}
              mark={mark}
              left={Math.min(Math.max(leftOf(plot, mark.index), 8), width - 8)}
              top={LANE * (lanes.indexOf(mark.lane) + 1) + 1}
              call={view.calls[mark.index]?.call ?? 0}
              onLit={onLit}
              onPick={onPick}
            />
          ))}
      </div>
      <ul className="text-12 text-ink-3 max-[560px]:hidden" aria-hidden="true">
        <li className="h-4.5 leading-[18px]">{formatCount(answer.epochs.length, "epoch")}</li>
        {lanes.map((lane) => (
          <li key={lane} className="flex h-4.5 items-center gap-1.5">
            <i className={`size-2.5 ${SHAPES[lane]}`} />
            {NAMES[lane]} {formatTokens(countOf(marks, lane))}
          </li>
        ))}
      </ul>
    </section>
  );
});

/** What a compaction made stands between the epochs. */
const leftOf = (plot: Plot, index: number): number =>
  plot.breaks.includes(index) ? xOf(plot, index) - plot.gap / 2 : centreOf(plot, index);

function Epochs({ answer, view, plot }: { answer: MemoryAnswer; view: LoadView; plot: Plot }) {
  const spans = useMemo(() => epochSpans(view, answer.epochs), [view, answer]);
  return spans.map((span, i) => {
    const epoch = answer.epochs[i]!;
    if (span === null) return null;
    const width = xOf(plot, span.to - 1) + plot.columnWidth - xOf(plot, span.from);
    return (
      <span
        key={epoch.epoch}
        title={`Epoch ${epoch.epoch}, ${formatCount(epoch.calls, "call")}`}
        className="absolute top-0.5 h-3.5 truncate rounded-[2px] bg-sunk px-1 text-11 leading-3.5 text-ink-2"
        style={{ left: xOf(plot, span.from), width: Math.max(2, width) }}
      >
        {width > 20 && (width > 64 ? `Epoch ${epoch.epoch}` : epoch.epoch)}
      </span>
    );
  });
}

const SHAPES: Record<MarkLane, string> = {
  episodic: "rounded-full bg-c-memory",
  semantic: "rounded-[2px] bg-c-memory",
  recall: "rotate-45 rounded-[1px] border border-c-memory bg-bg",
};

type MarkProps = {
  mark: AxisMark;
  left: number;
  top: number;
  call: number;
  onLit: (items: readonly MemoryItemRow[]) => void;
  onPick: (mark: AxisMark) => void;
};

function Mark({ mark, left, top, call, onLit, onPick }: MarkProps) {
  const { lane, items, recalls } = mark;
  const count = items.length + recalls.length;
  const isPinned = items.some(({ pinned }) => pinned);
  const isGone = items.length > 0 && items.every(({ deletedAt }) => deletedAt !== null);
  const words = [
    `${formatCount(count, lane === "recall" ? "recall" : `${lane} item`)} at call ${call}`,
    isPinned ? "pinned" : "",
    isGone ? "deleted" : "",
  ].filter((part) => part !== "");
  return (
    <button
      type="button"
      aria-label={words.join(", ")}
      title={words.join(", ")}
      className="absolute grid size-4 -translate-x-1/2 place-items-center"
      style={{ left, top }}
      onMouseEnter={() => onLit(items)}
      onMouseLeave={() => onLit([])}
      onFocus={() => onLit(items)}
      onBlur={() => onLit([])}
      onClick={() => onPick(mark)}
    >
      <i
        className={`${count > 1 ? "size-3" : "size-2.5"} ${SHAPES[lane]} ${isPinned ? "outline-2 outline-offset-1 outline-ink" : ""} ${isGone ? "opacity-35" : ""}`}
      />
    </button>
  );
}
