"use client";
// Over the tabs: the whole chart on Load, 52 px of it on the others.
import { useState } from "react";
import type { Category } from "#lib/wire/common-schema.ts";
import { ChartLegend, RangeNote } from "../chart/chart-legend.tsx";
import { LoadChart, type ChartState } from "../chart/load-chart.tsx";
import { LoadTable } from "../chart/load-table.tsx";
import { spanOf, spanText, type LoadView, type Span } from "../shared/load-view.ts";
import { Scrubber } from "../chart/scrubber.tsx";
import { useOverlay } from "../load/use-overlay.ts";
import { Button } from "../ui/button.tsx";
import { formatPercent } from "../ui/format.ts";
import { Num } from "../ui/num.tsx";
import { When } from "../ui/when.tsx";
import { useSession } from "../shared/session-context.tsx";
import { useChartSpans, useTab, type Tab } from "../shared/url-state.ts";
import { useCursor, useCursorMoves, type Cursor, type Moves } from "../shared/use-call-cursor.ts";

/** What comes after it stands where it will stand: the chart with its axes, or a legend of all categories and a policy. */
export const CHART_ROW = "min-h-[294px] flex-none px-6 max-[560px]:px-4 max-[900px]:min-h-[580px]";

/** The grid and the axis of the chart, before its answer. */
export const ChartWait = () => (
  <output
    aria-label="Loading the chart"
    className="after-150 flex h-[232px] flex-col justify-between border-b border-line-strong"
  >
    {["150k", "100k", "50k", "0"].map((line) => (
      <span key={line} className="border-t border-line" />
    ))}
  </output>
);

type LoadSectionProps = { view: LoadView; tab: Tab };

export function LoadSection({ view, tab }: LoadSectionProps) {
  const cursor = useCursor(view, tab);
  const moves = useCursorMoves(view, tab, cursor.index);
  // On Load the panel says it.
  if (view.calls.length === 0)
    return tab === "load" ? null : (
      <p className="flex-none px-6 pb-2 text-12 text-ink-3">No model call is recorded, so there is no load chart.</p>
    );
  return tab === "load" ? (
    <FullChart view={view} cursor={cursor} moves={moves} />
  ) : (
    <SlimChart view={view} cursor={cursor} moves={moves} />
  );
}

type PartProps = { view: LoadView; cursor: Cursor; moves: Moves };

function SlimChart({ view, cursor, moves }: PartProps) {
  const call = view.calls[cursor.index];
  return (
    <section
      className="grid min-h-14 flex-none grid-cols-[minmax(0,1fr)_160px] items-center gap-4 px-6 pb-1 max-[900px]:grid-cols-[minmax(0,1fr)_150px] max-[560px]:grid-cols-[minmax(0,1fr)] max-[560px]:gap-0 max-[560px]:px-4"
      aria-label="Load by model call"
    >
      <Scrubber view={view} cursor={cursor.index} window={cursor.window} onMove={moves.move} />
      {call && (
        <div className="text-12 max-[560px]:flex max-[560px]:min-h-5 max-[560px]:flex-wrap max-[560px]:gap-x-3">
          <div className="truncate">
            <b className="font-medium">Call {call.call}</b>{" "}
            <span className="text-ink-3">
              turn {call.turn}
              {call.ts !== null && (
                <>
                  , <When ts={call.ts} show="time" />
                </>
              )}
            </span>
          </div>
          <div className="truncate tabular-nums">
            <Num value={call.prompt} origin={call.origin} />{" "}
            {view.line !== null && (
              <span className="text-ink-3">{formatPercent(call.prompt / view.line)} of the line</span>
            )}
          </div>
        </div>
      )}
    </section>
  );
}

/** To the transcript, where the answer of the call at the cursor begins. */
function OpenThere({ seq }: { seq: number }) {
  const [, setTab] = useTab();
  const { goTo } = useSession();
  const open = () => {
    void setTab("transcript");
    goTo(seq);
  };
  return (
    <button type="button" className="link text-12" onClick={open}>
      Open in the transcript
    </button>
  );
}

function FullChart({ view, cursor, moves }: PartProps) {
  const [only, setOnly] = useState<Category | null>(null);
  const [spans, setSpans] = useChartSpans();
  const overlay = useOverlay(view);
  const [moving, setMoving] = useState<Span | null>(null);
  const range = moving ?? spanOf(spans.range, view);
  const zoom = spanOf(spans.zoom, view);
  const toPeak = spans.axis === "peak";
  const onChange = (patch: Partial<ChartState>, final: boolean) => {
    if (patch.cursor !== undefined) moves.move(patch.cursor, final);
    if (patch.range !== undefined) {
      setMoving(final ? null : patch.range);
      if (final) void setSpans({ range: spanText(patch.range) });
    }
    if (patch.zoom !== undefined) void setSpans({ zoom: spanText(patch.zoom) });
  };
  return (
    <section
      className={`grid grid-cols-[minmax(0,1fr)_256px] gap-4 max-[900px]:grid-cols-[minmax(0,1fr)] ${CHART_ROW}`}
      aria-label="Load by model call"
    >
      <LoadChart
        view={view}
        state={{ cursor: cursor.index, range, zoom, toPeak }}
        onChange={onChange}
        only={only}
        overlay={overlay}
      />
      <div className="min-w-0">
        <ChartLegend view={view} index={cursor.index} onOnly={setOnly} step={moves.step} overlay={overlay} />
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 print:hidden">
          <LoadTable view={view} index={cursor.index} />
          <OpenThere seq={view.calls[cursor.index]?.seq ?? 1} />
          {view.line !== null && (
            <button
              type="button"
              className="link text-12"
              aria-pressed={toPeak}
              title="The y-axis ends at the largest prompt, not at the load line"
              onClick={() => void setSpans({ axis: toPeak ? null : "peak" })}
            >
              {toPeak ? "Show the load line" : "Zoom to the peak"}
            </button>
          )}
          {zoom && (
            <Button small onClick={() => void setSpans({ zoom: null })}>
              All {view.calls.length} calls
            </Button>
          )}
        </div>
        {range && <RangeNote view={view} range={range} onClear={() => void setSpans({ range: null })} />}
      </div>
    </section>
  );
}
