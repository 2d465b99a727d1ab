"use client";
// The rows of the session beside the scroll bar: category by colour, weight by length, errors at the left edge, and
// what is on screen. For the eye and the hand alone: the list is the accessible way.
import { fitCanvas } from "../ui/fit-canvas.ts";
import { categoryToken } from "../ui/swatch.tsx";
import { memo, useEffect, useRef, type PointerEvent } from "react";
import { barCategory } from "../events/view.ts";
import { isInputHeavy } from "../events/tools/index.ts";
import { rowStrips, rowUnder } from "../shared/row-strips.ts";
import type { Rows } from "../shared/transcript-rows.ts";
import { themeColors, watchTheme } from "../ui/theme-colors.ts";

const WIDTH_PX = 16;
const ERROR_PX = 3;
/** Two pixels apart from the marks of errors; 10 are left for the longest bar. */
const BAR_X = 5;
/** Fewer rows are two or three screens: their scroll bar says enough. */
const FEWEST = 40;

type MinimapProps = {
  rows: Rows;
  /** The first and last row on screen. */
  from: number;
  to: number;
  onGo: (row: number) => void;
};

export function Minimap({ rows, from, to, onGo }: MinimapProps) {
  const count = rows.shown.length;
  if (count < FEWEST) return null;
  const go = ({ buttons, currentTarget, clientY }: PointerEvent<HTMLDivElement>) => {
    if (buttons !== 1) return;
    const { top, height } = currentTarget.getBoundingClientRect();
    onGo(rowUnder(rows, clientY - top, height));
  };
  return (
    <div
      aria-hidden="true"
      data-testid="minimap"
      className="relative w-4 flex-none cursor-default touch-none border-l border-line max-[900px]:hidden print:hidden"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        go(event);
      }}
      onPointerMove={go}
    >
      <Strips rows={rows} />
      <i
        className="pointer-events-none absolute inset-x-0 min-h-1.5 bg-ink/15"
        style={{ top: `${(from / count) * 100}%`, height: `${((to + 1 - from) / count) * 100}%` }}
      />
    </div>
  );
}

/** Painted again for other rows, another size or another theme, never for a scroll. */
const Strips = memo(function Strips({ rows }: { rows: Rows }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const again = () => paintStrips(element, rows);
    const sizes = new ResizeObserver(again);
    sizes.observe(element);
    const unwatch = watchTheme(again);
    return () => {
      sizes.disconnect();
      unwatch();
    };
  }, [rows]);
  return <canvas ref={canvas} className="absolute inset-0 h-full w-full" />;
});

function paintStrips(canvas: HTMLCanvasElement, rows: Rows): void {
  const height = canvas.clientHeight;
  const pen = fitCanvas(canvas, WIDTH_PX, height);
  if (pen === null) return;
  const { color } = themeColors(canvas);
  const colors = new Map<string, string>();
  const colorOf = (token: string): string => {
    const known = colors.get(token) ?? color(token);
    colors.set(token, known);
    return known;
  };
  const { outline } = rows;
  for (const { y, height: own, i, share, hasError } of rowStrips(rows, height)) {
    // A hair between rows that are taller than a few pixels.
    const tall = own > 3 ? own - 1 : own;
    if (hasError) {
      pen.fillStyle = colorOf("--ink");
      pen.fillRect(0, y, ERROR_PX, Math.max(tall, 2));
    }
    if (share === 0) continue;
    const type = outline.types[outline.type[i] ?? 0] ?? "unknown";
    const category = isInputHeavy(outline.labels[i] ?? "") ? "call" : barCategory(null, null, type);
    pen.fillStyle = colorOf(category === null ? "--ink-3" : categoryToken(category));
    pen.fillRect(BAR_X, y, Math.max(1, share * (WIDTH_PX - 1 - BAR_X)), tall);
  }
}
