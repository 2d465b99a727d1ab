"use client";
import { useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import type { Category } from "#lib/wire/common-schema.ts";
import { formatTokens } from "../ui/format.ts";
import { ChartMarks } from "./chart-marks.tsx";
import { ChartTip } from "./chart-tip.tsx";
import { CHART_HEIGHT, centreOf, indexAt, plotOf, topOf, xOf, yOf, type Plot } from "#lib/kernel/load/geometry.ts";
import { epochAround, type LoadView, type Span } from "../shared/load-view.ts";
import { NO_OVERLAY, type ChartOverlay } from "./overlay.ts";
import { paintLoad, paletteOf } from "./paint.ts";
import { fitCanvas } from "../ui/fit-canvas.ts";
import { useBoxWidth, useThemeMark } from "./use-canvas.ts";

const PAD = { left: 2, right: 46, top: 18, bottom: 52 };

export type ChartState = {
  /** Index of the call that the legend reads out. */
  readonly cursor: number;
  readonly range: Span | null;
  readonly zoom: Span | null;
  /** The y-axis ends at the largest prompt shown, also where the load line is far above it. */
  readonly toPeak: boolean;
};

type LoadChartProps = {
  view: LoadView;
  state: ChartState;
  /** `final` when the hand let go: the moment to remember it. */
  onChange: (patch: Partial<ChartState>, final: boolean) => void;
  /** The category that the legend points at. */
  only: Category | null;
  overlay?: ChartOverlay;
};

export function LoadChart({ view, state, onChange, only, overlay = NO_OVERLAY }: LoadChartProps) {
  const [width, box] = useBoxWidth();
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useThemeMark();
  const [hover, setHover] = useState<number | null>(null);
  const drag = useRef<{ from: number; ranged: boolean } | null>(null);
  const { zoom, toPeak } = state;
  const plot = useMemo(() => chartPlot(view, overlay, { zoom, toPeak }, width), [view, overlay, zoom, toPeak, width]);

  useLayoutEffect(() => {
    const element = canvas.current;
    if (!element || width === 0) return;
    const context = fitCanvas(element, width, CHART_HEIGHT);
    if (context) paintLoad(context, { view, plot, palette: paletteOf(element), only, overlay });
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the colours are read from the page, which changes with the theme
  }, [view, plot, only, overlay, width, theme]);

  const at = (event: PointerEvent<HTMLElement>) =>
    indexAt(plot, event.clientX - event.currentTarget.getBoundingClientRect().left);
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { from: at(event), ranged: event.shiftKey };
    if (!event.shiftKey) onChange({ cursor: at(event) }, false);
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const index = at(event);
    setHover(index);
    if (!drag.current) return;
    if (drag.current.ranged) onChange({ range: spanBetween(drag.current.from, index) }, false);
    else onChange({ cursor: index }, false);
  };
  const onPointerUp = (event: PointerEvent<HTMLDivElement>) => {
    if (!drag.current) return;
    if (drag.current.ranged) onChange({ range: spanBetween(drag.current.from, at(event)) }, true);
    else onChange({ cursor: at(event) }, true);
    drag.current = null;
  };
  const onDoubleClick = () => {
    const epoch = epochAround(view, state.cursor);
    onChange({ zoom: state.zoom || view.breaks.length === 0 ? null : epoch }, true);
  };

  const call = view.calls[state.cursor];
  return (
    <div ref={box} className="relative touch-pan-y select-none" style={{ height: CHART_HEIGHT }}>
      <canvas ref={canvas} className="absolute inset-0 size-full" aria-hidden="true" />
      {width > 0 && <ChartMarks view={view} plot={plot} cursor={state.cursor} overlay={overlay} width={width} />}
      {width > 0 && <ChartCursor view={view} plot={plot} state={state} width={width} />}
      <div
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a range input is even; these columns have gaps
        role="slider"
        tabIndex={0}
        aria-label="Model call"
        aria-valuemin={1}
        aria-valuemax={view.calls.length}
        aria-valuenow={state.cursor + 1}
        aria-valuetext={
          call ? `Call ${call.call}, ${formatTokens(call.prompt)} tokens ${call.origin}` : "No model call"
        }
        className="absolute inset-0 cursor-crosshair"
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerLeave={() => setHover(null)}
        onDoubleClick={onDoubleClick}
        onKeyDown={(event) => stepByKey(event, view, state.cursor, (cursor) => onChange({ cursor }, true))}
      />
      {hover !== null && (
        <ChartTip view={view} index={hover} x={centreOf(plot, hover)} width={width} overlay={overlay} />
      )}
    </div>
  );
}

type Shown = Pick<ChartState, "zoom" | "toPeak">;

function chartPlot(view: LoadView, overlay: ChartOverlay, { zoom, toPeak }: Shown, width: number): Plot {
  const { from, to } = zoom ?? { from: 0, to: view.calls.length };
  const prompts = toPeak ? view.prompts.slice(from, to) : view.prompts;
  const predicted = toPeak ? (overlay.predicted?.slice(from, to) ?? null) : overlay.predicted;
  return plotOf({
    width,
    height: CHART_HEIGHT,
    pad: PAD,
    first: from,
    count: to - from,
    breaks: view.breaks,
    max: overlay.max ?? Math.max(topOf(prompts, toPeak ? null : view.line), ...topsOf(predicted)),
  });
}

/** A policy may make a prompt larger than any was. */
const topsOf = (predicted: Float64Array | null): number[] => (predicted === null ? [] : [topOf(predicted, null)]);

const spanBetween = (a: number, b: number): Span => ({ from: Math.min(a, b), to: Math.max(a, b) + 1 });

/** Arrows step one call, pages ten, Home and End go to the ends. */
export function stepByKey(event: KeyboardEvent, view: LoadView, cursor: number, move: (index: number) => void): void {
  const last = view.calls.length - 1;
  const target: Record<string, number> = {
    ArrowLeft: cursor - 1,
    ArrowDown: cursor - 1,
    ArrowRight: cursor + 1,
    ArrowUp: cursor + 1,
    PageDown: cursor - 10,
    PageUp: cursor + 10,
    Home: 0,
    End: last,
  };
  const index = target[event.key];
  if (index === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
  event.preventDefault();
  move(Math.max(0, Math.min(last, index)));
}

type CursorProps = { view: LoadView; plot: Plot; state: ChartState; width: number };

function ChartCursor({ view, plot, state, width }: CursorProps) {
  const { cursor, range } = state;
  const isIn = cursor >= plot.first && cursor < plot.first + plot.count;
  const x = Math.round(centreOf(plot, cursor)) + 0.5;
  const first = range && Math.max(range.from, plot.first);
  const last = range && Math.min(range.to, plot.first + plot.count) - 1;
  return (
    <svg className="absolute inset-0" width={width} height={CHART_HEIGHT} aria-hidden="true">
      {first !== null && last !== null && first <= last && (
        <rect
          x={xOf(plot, first)}
          y={plot.top - 4}
          width={xOf(plot, last) + plot.columnWidth - xOf(plot, first)}
          height={CHART_HEIGHT - plot.top + 4}
          fill="var(--ink)"
          opacity={0.08}
        />
      )}
      {isIn && (
        <>
          <path d={`M${x} ${plot.top - 2}V${CHART_HEIGHT}`} stroke="var(--ink)" />
          <circle
            cx={x}
            cy={yOf(plot, view.prompts[cursor] ?? 0)}
            r={3.5}
            className="fill-bg stroke-ink"
            strokeWidth={1.5}
          />
          <rect x={x - 4.5} y={plot.bottom - 1} width={9} height={14} rx={2} fill="var(--ink)" />
          <path d={`M${x - 1.5} ${plot.bottom + 3}v6M${x + 1.5} ${plot.bottom + 3}v6`} stroke="var(--bg)" />
        </>
      )}
    </svg>
  );
}
