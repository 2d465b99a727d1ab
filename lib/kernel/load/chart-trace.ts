// The lines of the load chart, for any pen: the canvas of a page and the path of an SVG draw the same steps.
import { xOf, yOf, type Plot } from "./geometry.ts";

export type Pen = {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
};

/** Of an area, by index of the column; without a base it stands on the axis. */
export type Edges = { readonly top: ArrayLike<number>; readonly base: ArrayLike<number> | null };

type Span = { readonly from: number; readonly to: number };

/** The total over a run of columns. Steps: no smoothing between calls. */
export function traceTotals(pen: Pen, plot: Plot, span: Span, totals: ArrayLike<number>): void {
  for (let i = span.from; i < span.to; i++) {
    const y = yOf(plot, totals[i] ?? 0);
    if (i === span.from) pen.moveTo(xOf(plot, i), y);
    else pen.lineTo(xOf(plot, i), y);
    pen.lineTo(xOf(plot, i) + plot.columnWidth, y);
  }
}

/** The area between two edges over a run of columns. Whoever draws closes it. */
export function traceArea(pen: Pen, plot: Plot, span: Span, { top, base }: Edges): void {
  // The x of a run's columns differs by the width alone.
  const start = xOf(plot, span.from);
  const x = (i: number) => start + (i - span.from) * plot.columnWidth;
  pen.moveTo(start, yOf(plot, base?.[span.from] ?? 0));
  for (let i = span.from; i < span.to; i++) {
    const y = yOf(plot, top[i] ?? 0);
    pen.lineTo(x(i), y);
    pen.lineTo(x(i + 1), y);
  }
  if (base === null) pen.lineTo(x(span.to), yOf(plot, 0));
  else
    for (let i = span.to - 1; i >= span.from; i--) {
      const y = yOf(plot, base[i] ?? 0);
      pen.lineTo(x(i + 1), y);
      pen.lineTo(x(i), y);
    }
}
