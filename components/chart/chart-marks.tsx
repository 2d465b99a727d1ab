"use client";
// The text and the marks of the chart: load line, compactions, named jumps, axis, and the two lanes below.
import { briefLabel } from "#lib/kernel/log/tool-summary.ts";
import { memo } from "react";
import { formatTokens } from "../ui/format.ts";
import { BlowUpMarks, ringBoxes } from "./blow-up-marks.tsx";
import {
  axisCalls,
  breakX,
  centreOf,
  CHART_HEIGHT,
  ticksOf,
  tickText,
  xOf,
  yOf,
  type Plot,
} from "#lib/kernel/load/geometry.ts";
import { shortLabel, type LoadView } from "../shared/load-view.ts";
import type { ChartOverlay } from "./overlay.ts";
import "./chart-marks.css";
import { layoutLabels, layoutNotes, textWidth, type Box, type PlacedNote } from "./chart-notes.ts";

type MarksProps = { view: LoadView; plot: Plot; cursor: number; width: number; overlay: ChartOverlay };

export const ChartMarks = memo(function ChartMarks({ view, plot, cursor, width, overlay }: MarksProps) {
  return (
    <svg className="chart-text absolute inset-0" width={width} height={CHART_HEIGHT} aria-hidden="true">
      {ticksOf(plot.max, 4).map((tick) => (
        <text key={tick} x={width} y={yOf(plot, tick) - 4} textAnchor="end">
          {tickText(tick)}
        </text>
      ))}
      <Compactions view={view} plot={plot} />
      <SmallCompactions view={view} plot={plot} />
      <BlowUpMarks view={view} plot={plot} overlay={overlay} />
      <Jumps view={view} plot={plot} overlay={overlay} />
      <LoadLine view={view} plot={plot} />
      <Axis view={view} plot={plot} cursor={cursor} />
      <Lanes view={view} plot={plot} width={width} />
    </svg>
  );
});

type PartProps = { view: LoadView; plot: Plot };

function Compactions({ view, plot }: PartProps) {
  const labels = layoutLabels(
    plot.breaks.map((at) => {
      const after = formatTokens(view.prompts[at] ?? 0, true);
      return {
        x: breakX(plot, at),
        long: `${view.rewound.has(at) ? "rewound" : "compacted"} ${formatTokens(view.prompts[at - 1] ?? 0, true)} → ${after}`,
        short: `→ ${after}`,
      };
    }),
    plot.left,
    plot.right + 44,
  );
  return plot.breaks.map((at, i) => {
    const x = breakX(plot, at);
    const label = labels[i];
    return (
      <g key={at}>
        <path d={`M${x} ${plot.top - 4}V${plot.bottom}`} stroke="var(--control)" strokeDasharray="1 2" />
        {label && (
          <text x={label.x} y={plot.top - 8} textAnchor="middle">
            {label.text}
          </text>
        )}
      </g>
    );
  });
}

/** Micro compactions blank some results and start no epoch: a short tick on the axis. */
function SmallCompactions({ view, plot }: PartProps) {
  const ticks = view.load.compactions
    .filter((compaction) => compaction.kind === "micro")
    .map((compaction) => view.calls.findIndex((call) => call.call === compaction.afterCall) + 1)
    .filter((at) => at > plot.first && at < plot.first + plot.count);
  const path = [...new Set(ticks)].map((at) => `M${xOf(plot, at)} ${plot.bottom - 14}V${plot.bottom}`).join("");
  return <path d={path} stroke="var(--ink)" strokeDasharray="1 2" />;
}

function Jumps({ view, plot, overlay }: PartProps & { overlay: ChartOverlay }) {
  const labelOf = new Map<number, { size: string; name: string }>();
  const requests = view.load.jumps
    .map((jump) => ({ jump, index: view.calls.findIndex((call) => call.call === jump.call) }))
    .filter(({ index }) => index >= plot.first && index < plot.first + plot.count)
    .toSorted((a, b) => b.jump.tokens - a.jump.tokens)
    .slice(0, 3)
    .map(({ jump, index }) => {
      const size = `+${formatTokens(jump.tokens, true)}`;
      const name = shortLabel(briefLabel(jump.label));
      const short = textWidth(size);
      labelOf.set(index, { size, name });
      const y = yOf(plot, view.prompts[index] ?? 0);
      return { key: index, x: xOf(plot, index), y, width: Math.max(short, textWidth(name)), short };
    });
  const bounds = { x: plot.left, y: plot.top - 2, width: plot.right - plot.left, height: plot.bottom - plot.top };
  const placed = layoutNotes(requests, {
    taken: [...lineBoxes(view, plot), ...breakBoxes(plot)],
    avoid: [...stackBoxes(view, plot), ...ringBoxes({ view, plot, overlay })],
    bounds,
  });
  return placed.map((note) => <Jump key={note.key} note={note} label={labelOf.get(note.key)} />);
}

function Jump({ note, label }: { note: PlacedNote; label: { size: string; name: string } | undefined }) {
  const x = note.anchor === "end" ? note.box.x + note.box.width : note.box.x;
  return (
    <g textAnchor={note.anchor}>
      {note.isOver && (
        <rect
          x={note.box.x - 2}
          y={note.box.y}
          width={note.box.width + 2}
          height={note.box.height}
          rx={2}
          fill="var(--bg)"
          opacity={0.78}
        />
      )}
      <path d={`M${Math.round(note.x) + 0.5} ${note.y}V${note.box.y}`} stroke="var(--ink-2)" />
      <text className="halo strong" x={x} y={note.box.y + 11}>
        {label?.size}
      </text>
      {!note.isShort && (
        <text className="halo mid" x={x} y={note.box.y + 24}>
          {label?.name}
        </text>
      )}
    </g>
  );
}

/** Where an epoch ends: a note never reaches into the next. */
const breakBoxes = (plot: Plot): Box[] =>
  plot.breaks.map((at) => ({ x: breakX(plot, at) - 2, y: 0, width: 4, height: plot.bottom }));

/** The load line's own text and mark; a note never lies over the line. */
function lineBoxes(view: LoadView, plot: Plot): Box[] {
  if (view.line === null || view.line > plot.max) return [];
  const y = yOf(plot, view.line);
  return [
    { x: 0, y: y - 20, width: 36 + textWidth(`load line ${formatTokens(view.line)}`), height: 27 },
    { x: plot.left, y: y - 2, width: plot.right - plot.left, height: 4 },
  ];
}

/** Where the stack stands, in about 60 slices: text over colour is hard to read. */
function stackBoxes(view: LoadView, plot: Plot): Box[] {
  const boxes: Box[] = [];
  const slice = Math.max(1, Math.ceil(plot.count / 60));
  for (let i = plot.first; i < plot.first + plot.count; i += slice) {
    const last = Math.min(i + slice, plot.first + plot.count) - 1;
    const top = yOf(plot, Math.max(...view.prompts.slice(i, last + 1)));
    boxes.push({
      x: xOf(plot, i),
      y: top - 2,
      width: xOf(plot, last) + plot.columnWidth - xOf(plot, i),
      height: plot.bottom - top,
    });
  }
  return boxes;
}

/** Narrower than this, the whole note would be cut off. */
const NARROW_PX = 480;

function LoadLine({ view, plot }: PartProps) {
  if (view.isEstimated && view.line === null)
    return (
      <text className="halo" x={4} y={plot.top + 10}>
        {plot.right < NARROW_PX
          ? "estimated; the window of this model is not known"
          : "estimated: no prompt tokens were reported, and the window of this model is not known"}
      </text>
    );
  if (view.line === null)
    return (
      <text className="halo" x={4} y={plot.top + 10}>
        no load line: the window of this model is not known
      </text>
    );
  if (view.line > plot.max)
    return (
      <text className="halo name" x={4} y={plot.top + 4}>
        ↑ load line {formatTokens(view.line)}, above this scale
      </text>
    );
  const y = Math.round(yOf(plot, view.line)) + 0.5;
  return (
    <>
      <path d={`M0 ${y}H${plot.right}`} stroke="var(--bg)" strokeWidth={4} opacity={0.55} />
      <path d={`M0 ${y}H${plot.right}`} stroke="var(--load-line)" strokeWidth={1.5} />
      <circle cx={14} cy={y} r={6} fill="var(--bg)" stroke="var(--ink)" strokeWidth={1.6} />
      <path d={`M2 ${y}H26`} stroke="var(--load-line)" strokeWidth={1.8} />
      <text className="halo name" x={32} y={y - 6}>
        load line {formatTokens(view.line)}
        {view.isEstimated && `, ${view.origins} loads: no prompt tokens were reported`}
      </text>
    </>
  );
}

function Axis({ view, plot, cursor }: PartProps & { cursor: number }) {
  const first = plot.first + 1;
  const last = plot.first + plot.count;
  const marks = axisCalls(first, last, plot.right - plot.left);
  const cursorX = centreOf(plot, cursor);
  return (
    <>
      <path d={`M0 ${plot.bottom + 0.5}H${plot.right}`} stroke="var(--line-strong)" />
      {marks.map((mark) => {
        const x = centreOf(plot, mark - 1);
        if (Math.abs(x - cursorX) < 22) return null;
        const number = view.calls[mark - 1]?.call ?? mark;
        return (
          <g key={mark}>
            <path d={`M${x} ${plot.bottom}v4`} stroke="var(--line-strong)" />
            <text
              x={mark === first ? x - 1 : x}
              y={plot.bottom + 15}
              textAnchor={mark === first ? "start" : mark === last ? "end" : "middle"}
            >
              {mark === first ? `call ${number}` : number}
            </text>
          </g>
        );
      })}
    </>
  );
}

function Lanes({ view, plot, width }: PartProps & { width: number }) {
  const turns = CHART_HEIGHT - 22;
  const cache = CHART_HEIGHT - 6;
  const isIn = (index: number) => index >= plot.first && index < plot.first + plot.count;
  const turnAt = view.load.turns
    .map((turn) => view.calls.findIndex((call) => call.call === turn.call))
    .filter((index) => index >= 0 && isIn(index));
  return (
    <>
      <text x={width} y={turns} textAnchor="end">
        turns
      </text>
      <text x={width} y={cache} textAnchor="end">
        cache
      </text>
      <path
        d={[...new Set(turnAt)].map((i) => `M${xOf(plot, i) + 1} ${turns - 8}v8`).join("")}
        stroke="var(--c-user)"
        strokeWidth={2}
      />
      {view.calls.map(
        (call, i) =>
          call.cacheBreak &&
          isIn(i) && (
            <path
              key={call.call}
              d={`M${centreOf(plot, i)} ${cache - 8}l4 4l-4 4l-4 -4z`}
              fill="var(--bg)"
              stroke="var(--ink-2)"
              strokeWidth={1.2}
            />
          ),
      )}
    </>
  );
}
