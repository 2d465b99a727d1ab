// The load chart as an SVG that stands alone: the steps, edges and epochs of the page's chart, and no script.
import {
  axisCalls,
  breakX,
  centreOf,
  CHART_HEIGHT,
  plotOf,
  spansOf,
  ticksOf,
  tickText,
  topOf,
  xOf,
  yOf,
} from "#lib/kernel/load/geometry.ts";
import type { Plot } from "#lib/kernel/load/geometry.ts";
import { traceArea, traceTotals, type Edges, type Pen } from "#lib/kernel/load/chart-trace.ts";
import { exactly } from "#lib/kernel/exactly.ts";
import { shortly } from "#lib/kernel/load/load-labels.ts";
import { CATEGORIES } from "#lib/wire/common-schema.ts";
import type { LoadAnswer, LoadCall } from "#lib/wire/load-schema.ts";
import { epochBreaks, peakIndexOf, stackTops } from "#lib/wire/load-stack.ts";

const WIDTH = 960;
const PAD = { left: 2, right: 46, top: 18, bottom: 24 };
/** More columns than pixels: of several calls the largest stands for all. */
const COLUMNS = 900;
/** Compactions that have room for their words. */
const LABELS = 8;

export type DrawnChart = {
  readonly svg: string;
  /** Calls that one column stands for, at most. */
  readonly perColumn: number;
};

/** Null where no model call is known. */
export function reportChart(load: LoadAnswer): DrawnChart | null {
  if (load.calls.length === 0) return null;
  const { calls, breaks, perColumn } = columnsOf(load);
  const prompts = calls.map(({ prompt }) => prompt);
  const line = load.loadLine.tokens;
  const plot = plotOf({
    width: WIDTH,
    height: CHART_HEIGHT,
    pad: PAD,
    first: 0,
    count: calls.length,
    breaks,
    max: topOf(prompts, line),
  });
  const svg = [
    `<svg viewBox="0 0 ${WIDTH} ${CHART_HEIGHT}" width="${WIDTH}" height="${CHART_HEIGHT}" role="img" aria-label="${labelOf(load)}">`,
    HATCH,
    ...grid(plot),
    ...stack(plot, calls),
    `<path class="total" d="${pathOf((pen) => spansOf(plot).forEach((span) => traceTotals(pen, plot, span, prompts)))}"/>`,
    ...compactions(plot, prompts),
    ...loadLine(plot, line),
    ...axis(plot, calls),
    "</svg>",
  ].join("");
  return { svg, perColumn };
}

const labelOf = ({ calls, loadLine }: LoadAnswer): string => {
  const peak = calls[peakIndexOf(calls)]?.prompt ?? 0;
  const line = loadLine.tokens === null ? "" : `, load line ${exactly(loadLine.tokens)}`;
  return `Prompt tokens of ${exactly(calls.length)} model calls: peak ${exactly(peak)}${line}`;
};

type Columns = { readonly calls: readonly LoadCall[]; readonly breaks: readonly number[]; readonly perColumn: number };

function columnsOf(load: LoadAnswer): Columns {
  const perColumn = Math.ceil(load.calls.length / COLUMNS);
  const edges = [0, ...epochBreaks(load).toSorted((a, b) => a - b), load.calls.length];
  const calls: LoadCall[] = [];
  const breaks: number[] = [];
  for (let epoch = 1; epoch < edges.length; epoch++) {
    if (epoch > 1) breaks.push(calls.length);
    for (let at = edges[epoch - 1]!; at < edges[epoch]!; at += perColumn)
      calls.push(largest(load.calls.slice(at, Math.min(at + perColumn, edges[epoch]!))));
  }
  return { calls, breaks, perColumn };
}

const largest = (calls: readonly LoadCall[]): LoadCall =>
  calls.reduce((most, call) => (call.prompt > most.prompt ? call : most));

/** 45°, 2 on 2, as on the page: what is not explained never looks like a thing. */
const HATCH =
  '<defs><pattern id="hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">' +
  '<rect class="paper" width="4" height="4"/><rect class="unattributed" width="2" height="4"/></pattern></defs>';

const grid = (plot: Plot): string[] =>
  ticksOf(plot.max, 4).map((tick) => {
    const y = Math.round(yOf(plot, tick)) + 0.5;
    return `<path class="grid" d="M${plot.left} ${y}H${plot.right}"/><text x="${WIDTH}" y="${y - 4}" text-anchor="end">${tickText(tick)}</text>`;
  });

/** Parts that weigh more than was reported stand pale over the total, and end at the top edge. */
function stack(plot: Plot, calls: readonly LoadCall[]): string[] {
  const tops = stackTops(calls).map((top) => top.map((tokens) => Math.min(tokens, plot.max)));
  const parts = CATEGORIES.map((category, c) =>
    areaPath(plot, `area ${category}`, { top: tops[c]!, base: c === 0 ? null : tops[c - 1]! }),
  );
  const whole = tops.at(-1)!;
  const sent = whole.map((tokens, i) => Math.min(tokens, calls[i]!.prompt));
  return [...parts, areaPath(plot, "area pale", { top: whole, base: sent })];
}

function areaPath(plot: Plot, name: string, edges: Edges): string {
  const d = spansOf(plot).map((span) => `${pathOf((pen) => traceArea(pen, plot, span, edges))}Z`);
  return `<path class="${name}" d="${d.join("")}"/>`;
}

function compactions(plot: Plot, prompts: readonly number[]): string[] {
  return plot.breaks.map((at) => {
    const x = rounded(breakX(plot, at));
    const words =
      plot.breaks.length > LABELS
        ? ""
        : `<text x="${x}" y="${plot.top - 8}" text-anchor="middle">→ ${shortly(prompts[at] ?? 0)}</text>`;
    return `<path class="compaction" d="M${x} ${plot.top - 4}V${plot.bottom}"/>${words}`;
  });
}

function loadLine(plot: Plot, line: number | null): string[] {
  if (line === null) return [];
  const y = rounded(yOf(plot, line));
  return [
    `<path class="load-line" d="M${plot.left} ${y}H${plot.right}"/>`,
    `<text class="line-text" x="${plot.left + 4}" y="${y - 5}">load line ${shortly(line)}</text>`,
  ];
}

/** Numbers of calls, where their columns stand. */
function axis(plot: Plot, calls: readonly LoadCall[]): string[] {
  const last = calls.length - 1;
  return axisCalls(1, calls.length, plot.right - plot.left).map((number) => {
    const at = number - 1;
    const [x, anchor] =
      at === 0 ? [xOf(plot, 0), "start"] : at === last ? [plot.right, "end"] : [centreOf(plot, at), "middle"];
    return `<text x="${rounded(x)}" y="${plot.bottom + 16}" text-anchor="${anchor}">${at === 0 ? "call " : ""}${calls[at]?.call ?? ""}</text>`;
  });
}

/** The steps of a pen as the path of an SVG, to a tenth of a pixel. */
function pathOf(draw: (pen: Pen) => void): string {
  let path = "";
  const step = (letter: string) => (x: number, y: number) => void (path += `${letter}${rounded(x)} ${rounded(y)}`);
  draw({ moveTo: step("M"), lineTo: step("L") });
  return path;
}

const rounded = (value: number): number => Math.round(value * 10) / 10;
