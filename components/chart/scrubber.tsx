"use client";
// The load in 52 px, over every tab but Load: it scrubs, and shows which calls are on screen.
import { useLayoutEffect, useMemo, useRef, type PointerEvent } from "react";
import { formatTokens } from "../ui/format.ts";
import { centreOf, indexAt, plotOf, topOf, xOf, yOf, type Plot } from "#lib/kernel/load/geometry.ts";
import { stepByKey } from "./load-chart.tsx";
import type { LoadView, Span } from "../shared/load-view.ts";
import { paintScrubber, paletteOf } from "./paint.ts";
import { fitCanvas } from "../ui/fit-canvas.ts";
import { useBoxWidth, useThemeMark } from "./use-canvas.ts";

const HEIGHT = 52;
const PAD = { left: 0, right: 0, top: 2, bottom: 2 };

type ScrubberProps = {
  view: LoadView;
  cursor: number;
  /** The calls on screen, if any are. */
  window: Span | null;
  onMove: (index: number, final: boolean) => void;
};

export function Scrubber({ view, cursor, window, onMove }: ScrubberProps) {
  const [width, box] = useBoxWidth();
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useThemeMark();
  const plot = useMemo(() => slimPlot(view, width), [view, width]);
  useLayoutEffect(() => {
    const element = canvas.current;
    if (!element || width === 0) return;
    const context = fitCanvas(element, width, HEIGHT);
    if (context) paintScrubber(context, { view, plot, palette: paletteOf(element) });
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the colours are read from the page, which changes with the theme
  }, [view, plot, width, theme]);
  const at = (event: PointerEvent<HTMLElement>) =>
    indexAt(plot, event.clientX - event.currentTarget.getBoundingClientRect().left);
  const call = view.calls[cursor];
  return (
    <div ref={box} className="relative select-none" style={{ height: HEIGHT }}>
      <canvas ref={canvas} className="absolute inset-0 size-full" aria-hidden="true" />
      {width > 0 && <ScrubMarks view={view} plot={plot} cursor={cursor} window={window} width={width} />}
      <div
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a range input is even; these columns have gaps
        role="slider"
        tabIndex={0}
        aria-label="Model call"
        aria-valuemin={1}
        aria-valuemax={view.calls.length}
        aria-valuenow={cursor + 1}
        aria-valuetext={call ? `Call ${call.call}, ${formatTokens(call.prompt)} tokens` : "No model call"}
        className="absolute inset-0 cursor-ew-resize"
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          onMove(at(event), false);
        }}
        onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && onMove(at(event), false)}
        onPointerUp={(event) => onMove(at(event), true)}
        onKeyDown={(event) => stepByKey(event, view, cursor, (index) => onMove(index, true))}
      />
    </div>
  );
}

/** Where its calls stand; what lies below it on the same axis asks for it too. */
export function slimPlot(view: LoadView, width: number): Plot {
  const max = topOf(view.prompts, view.line);
  return plotOf({
    width,
    height: HEIGHT,
    pad: PAD,
    first: 0,
    count: view.calls.length,
    breaks: view.breaks,
    // 6 % over the line here: 52 px have no room for text above it.
    max: max * 0.965,
    gap: 5,
  });
}

type MarksProps = { view: LoadView; plot: Plot; cursor: number; window: Span | null; width: number };

function ScrubMarks({ view, plot, cursor, window, width }: MarksProps) {
  const x = Math.round(centreOf(plot, cursor)) + 0.5;
  const from = Math.max(0, Math.min(window?.from ?? 0, view.calls.length - 1));
  const to = Math.max(from, Math.min(window?.to ?? 0, view.calls.length) - 1);
  const y = view.line === null ? null : Math.round(yOf(plot, view.line)) + 0.5;
  return (
    <svg className="absolute inset-0" width={width} height={HEIGHT} aria-hidden="true">
      {y !== null && <path d={`M0 ${y}H${width}`} stroke="var(--load-line)" strokeWidth={1.25} />}
      <path d={`M0 ${HEIGHT - 0.5}H${width}`} stroke="var(--line-strong)" />
      {window && (
        <rect
          x={xOf(plot, from)}
          width={Math.max(xOf(plot, to) + plot.columnWidth - xOf(plot, from), 3)}
          height={HEIGHT}
          fill="var(--ink)"
          opacity={0.08}
        />
      )}
      <path d={`M${x} 0V${HEIGHT}`} stroke="var(--ink)" strokeWidth={1.25} />
      <circle
        cx={x}
        cy={yOf(plot, view.prompts[cursor] ?? 0)}
        r={3}
        fill="var(--bg)"
        stroke="var(--ink)"
        strokeWidth={1.5}
      />
    </svg>
  );
}
