// Where things stand in the load chart: one column a call, a gap where a compaction lies between two
// calls, tokens upwards. Pure, so that the canvas, the SVG over it and the pointer agree to the pixel.

/** 9 px part two epochs; with many compactions gaps together take at most a third of the width. */
const GAP = 9;

/** Px of the whole chart: ten rows of the legend beside it. */
export const CHART_HEIGHT = 268;

export type Plot = {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly gap: number;
  readonly columnWidth: number;
  /** Index of the first column, and how many there are. */
  readonly first: number;
  readonly count: number;
  /** Indices before which a gap lies, ascending, inside the columns. */
  readonly breaks: readonly number[];
  /** Tokens at the top edge. */
  readonly max: number;
};

export type PlotRequest = {
  readonly width: number;
  readonly height: number;
  readonly pad: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };
  readonly first: number;
  readonly count: number;
  readonly breaks: readonly number[];
  readonly max: number;
  readonly gap?: number;
};

export function plotOf(request: PlotRequest): Plot {
  const { pad, first, count } = request;
  const breaks = request.breaks.filter((at) => at > first && at < first + count).toSorted((a, b) => a - b);
  const left = pad.left;
  const right = Math.max(left + 1, request.width - pad.right);
  const gap = breaks.length === 0 ? 0 : Math.min(request.gap ?? GAP, (right - left) / 3 / breaks.length);
  const columnWidth = Math.max(right - left - gap * breaks.length, 0) / Math.max(count, 1);
  const bottom = Math.max(pad.top + 1, request.height - pad.bottom);
  return { left, right, top: pad.top, bottom, gap, columnWidth, first, count, breaks, max: Math.max(request.max, 1) };
}

/** Left edge of a column. */
export function xOf(plot: Plot, index: number): number {
  return plot.left + (index - plot.first) * plot.columnWidth + plot.gap * breaksUpTo(plot.breaks, index);
}

export const centreOf = (plot: Plot, index: number): number => xOf(plot, index) + plot.columnWidth / 2;

/** The marker of a break stands in the middle of its gap. */
export const breakX = (plot: Plot, at: number): number => xOf(plot, at) - plot.gap / 2;

export function yOf(plot: Plot, tokens: number): number {
  return plot.bottom - (tokens / plot.max) * (plot.bottom - plot.top);
}

/** The column under a position; one in a gap belongs to the nearer side, one outside to the end. */
export function indexAt(plot: Plot, px: number): number {
  const last = plot.first + plot.count - 1;
  let low = plot.first;
  let high = last;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const edge = xOf(plot, middle) - (plot.breaks.includes(middle) ? plot.gap / 2 : 0);
    if (edge <= px) low = middle;
    else high = middle - 1;
  }
  return Math.max(plot.first, Math.min(last, low));
}

/** Runs of columns without a gap inside: `[from, to)`. */
export function spansOf(plot: Plot): { from: number; to: number }[] {
  const edges = [plot.first, ...plot.breaks, plot.first + plot.count];
  return edges.slice(1).map((to, i) => ({ from: edges[i] ?? plot.first, to }));
}

/** 1.1 × the load line, or of the peak where that is higher or no line is known. */
export function topOf(prompts: ArrayLike<number>, line: number | null): number {
  let peak = line ?? 0;
  for (let i = 0; i < prompts.length; i++) peak = Math.max(peak, prompts[i] ?? 0);
  return Math.max(peak * 1.1, 1);
}

/** Round steps of 1, 2 or 5, at most `most` of them below `max`. */
export function ticksOf(max: number, most: number): number[] {
  const rough = max / Math.max(most, 1);
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? 10 * power;
  const ticks: number[] = [];
  for (let at = step; at <= max; at += step) ticks.push(at);
  return ticks;
}

/** As the axis has it: `250k`, `1M`. */
export const tickText = (tick: number): string =>
  tick >= 1e6 ? `${tick / 1e6}M` : tick >= 1000 ? `${tick / 1000}k` : String(tick);

/** Call numbers for the axis: the first, round ones with room between them, the last. */
export function axisCalls(first: number, last: number, width: number): number[] {
  if (last <= first) return [first];
  const step = roundStep(((last - first + 1) * 56) / Math.max(width, 1));
  const marks = [first];
  for (let at = Math.ceil((first + 1) / step) * step; at < last; at += step)
    if (at - first >= step / 2 && last - at >= step / 2) marks.push(at);
  return [...marks, last];
}

function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  return [1, 2.5, 5, 10].map((f) => Math.max(1, Math.round(f * power))).find((size) => size >= rough) ?? 10 * power;
}

function breaksUpTo(breaks: readonly number[], index: number): number {
  let n = 0;
  while (n < breaks.length && (breaks[n] as number) <= index) n++;
  return n;
}
