// The stack on the canvas. Everything that is text, or follows the hand, lies in SVG over it.
import { CATEGORIES, type Category } from "#lib/wire/common-schema.ts";
import { traceArea, traceTotals, type Edges } from "#lib/kernel/load/chart-trace.ts";
import { spansOf, ticksOf, yOf, type Plot } from "#lib/kernel/load/geometry.ts";
import { categoryToken } from "../ui/swatch.tsx";
import { themeColors } from "../ui/theme-colors.ts";
import type { LoadView, Span } from "../shared/load-view.ts";
import { NO_OVERLAY, type ChartOverlay } from "./overlay.ts";

export type Palette = {
  readonly bg: string;
  readonly line: string;
  readonly ink: string;
  readonly ink2: string;
  readonly ink3: string;
  readonly category: Record<Category, string>;
};

/** Reads the tokens where the canvas stands, so that it follows the theme. */
export function paletteOf(element: Element): Palette {
  const { color: value } = themeColors(element);
  const category = Object.fromEntries(CATEGORIES.map((name) => [name, value(categoryToken(name))])) as Record<
    Category,
    string
  >;
  return {
    bg: value("--bg"),
    line: value("--line"),
    ink: value("--ink"),
    ink2: value("--ink-2"),
    ink3: value("--ink-3"),
    category,
  };
}

type PaintRequest = {
  readonly view: LoadView;
  readonly plot: Plot;
  readonly palette: Palette;
  readonly only: Category | null;
  readonly overlay?: ChartOverlay;
};

/** Grid, stack by category, total, policy. `only` is the category that stays when the legend points at it. */
export function paintLoad(context: CanvasRenderingContext2D, request: PaintRequest): void {
  const { view, plot, palette, only, overlay = NO_OVERLAY } = request;
  const stack = overlay.tops ?? view.tops;
  context.fillStyle = palette.line;
  for (const tick of ticksOf(plot.max, 4))
    context.fillRect(plot.left, Math.round(yOf(plot, tick)), plot.right - plot.left, 1);
  // Parts that add up to far more than was reported end at the top edge, not in the text above it.
  context.save();
  context.beginPath();
  context.rect(0, plot.top - 6, plot.right + 1, plot.bottom - plot.top + 6);
  context.clip();
  CATEGORIES.forEach((category, c) => {
    const top = stack[c] as Float64Array;
    const base = c === 0 ? null : (stack[c - 1] as Float64Array);
    context.globalAlpha = only !== null && only !== category ? 0.25 : 1;
    context.fillStyle = category === "unattributed" ? hatch(context, palette) : palette.category[category];
    context.strokeStyle = palette.bg;
    context.lineWidth = 0.6;
    for (const span of spansOf(plot)) {
      context.beginPath();
      pathArea(context, plot, span, { top, base });
      context.fill();
      // Neighbours in a stack are parted by 0.6 px of the page; columns under a pixel would be all edge.
      if (plot.columnWidth > 0.7) context.stroke();
    }
  });
  if (overlay.predicted === null) paleOver(context, request);
  else paintOffloaded(context, request, overlay.predicted);
  context.restore();
  context.strokeStyle = palette.ink;
  context.lineWidth = 1.25;
  context.setLineDash(view.isEstimated ? [3, 2] : []);
  strokeTotals(context, view.prompts, plot);
  context.setLineDash([]);
  if (overlay.predicted !== null) paintPolicy(context, request, overlay.predicted);
}

/** Parts that weigh more than was reported stand pale over the total: what was sent ends at the line. */
function paleOver(context: CanvasRenderingContext2D, { view, plot, palette }: PaintRequest): void {
  const top = view.tops.at(-1) as Float64Array;
  const base = Float64Array.from(view.prompts, (tokens, i) => Math.min(tokens, top[i] ?? 0));
  context.globalAlpha = 0.78;
  context.fillStyle = palette.bg;
  for (const span of spansOf(plot)) {
    context.beginPath();
    pathArea(context, plot, span, { top, base });
    context.fill();
  }
  context.globalAlpha = 1;
}

/** What would be offloaded lies on top at 20 %, so that its lower edge is the predicted curve. */
function paintOffloaded(context: CanvasRenderingContext2D, request: PaintRequest, predicted: Float64Array): void {
  const { view, plot, palette, only } = request;
  const top = Float64Array.from(view.prompts);
  // Where the policy makes a prompt larger (it compacted later, or read back) nothing is removed: the curve alone says so.
  const base = Float64Array.from(view.prompts, (tokens, i) => Math.min(tokens, predicted[i] ?? 0));
  context.globalAlpha = only !== null && only !== "result" ? 0.08 : 0.2;
  context.fillStyle = palette.category.result;
  for (const span of spansOf(plot)) {
    context.beginPath();
    pathArea(context, plot, span, { top, base });
    context.fill();
  }
  context.globalAlpha = 1;
}

/** The predicted curve: dashed ink on a halo of the page, so that it reads over any colour. */
function paintPolicy(context: CanvasRenderingContext2D, request: PaintRequest, predicted: Float64Array): void {
  const { plot, palette } = request;
  context.strokeStyle = palette.bg;
  context.lineWidth = 4;
  context.globalAlpha = 0.9;
  strokeTotals(context, predicted, plot);
  context.globalAlpha = 1;
  context.strokeStyle = palette.ink;
  context.lineWidth = 1.6;
  context.setLineDash([4, 2.5]);
  strokeTotals(context, predicted, plot);
  context.setLineDash([]);
}

/** The slim scrubber: a grey silhouette, tool results in their colour, the total. */
export function paintScrubber(
  context: CanvasRenderingContext2D,
  { view, plot, palette }: Omit<PaintRequest, "only" | "overlay">,
): void {
  const result = CATEGORIES.indexOf("result");
  for (const span of spansOf(plot)) {
    context.globalAlpha = 0.16;
    context.fillStyle = palette.ink3;
    context.beginPath();
    pathArea(context, plot, span, { top: view.prompts, base: null });
    context.fill();
    context.globalAlpha = 0.75;
    context.fillStyle = palette.category.result;
    context.beginPath();
    const top = view.tops[result] as Float64Array;
    pathArea(context, plot, span, { top, base: view.tops[result - 1] as Float64Array });
    context.fill();
  }
  context.globalAlpha = 1;
  context.strokeStyle = palette.ink2;
  context.lineWidth = 1;
  strokeTotals(context, view.prompts, plot);
}

function strokeTotals(context: CanvasRenderingContext2D, totals: ArrayLike<number>, plot: Plot): void {
  for (const span of spansOf(plot)) {
    context.beginPath();
    traceTotals(context, plot, span, totals);
    context.stroke();
  }
}

function pathArea(context: CanvasRenderingContext2D, plot: Plot, span: Span, edges: Edges): void {
  traceArea(context, plot, span, edges);
  context.closePath();
}

/** 45°, 2 on 2: what is not explained never looks like a thing. */
function hatch(context: CanvasRenderingContext2D, palette: Palette): CanvasPattern | string {
  const tile = document.createElement("canvas");
  tile.width = 8;
  tile.height = 8;
  const pen = tile.getContext("2d");
  if (!pen) return palette.category.unattributed;
  pen.fillStyle = palette.bg;
  pen.fillRect(0, 0, 8, 8);
  pen.fillStyle = palette.category.unattributed;
  pen.fillRect(0, 0, 4, 8);
  const pattern = context.createPattern(tile, "repeat");
  pattern?.setTransform(new DOMMatrix().rotate(45).scale(0.5));
  return pattern ?? palette.category.unattributed;
}
