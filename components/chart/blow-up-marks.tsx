// Where the context came near its line, and where a prompt was refused: a ring on the step, full where it was too late.
// Compactions and jumps have marks of their own.
import { centreOf, yOf, type Plot } from "#lib/kernel/load/geometry.ts";
import type { LoadView } from "../shared/load-view.ts";
import type { Box } from "./chart-notes.ts";
import type { ChartOverlay } from "./overlay.ts";

type BlowUpMarksProps = { view: LoadView; plot: Plot; overlay: ChartOverlay };

const marked = ({ plot, overlay }: BlowUpMarksProps) =>
  overlay.blowUps.filter(
    ({ index, kind }) =>
      (kind === "near-line" || kind === "overflow") && index >= plot.first && index < plot.first + plot.count,
  );

/** Where names of jumps stand only when there is no other position. */
export const ringBoxes = (props: BlowUpMarksProps): Box[] =>
  marked(props).map(({ index }) => ({
    x: centreOf(props.plot, index) - 5,
    y: yOf(props.plot, props.view.prompts[index] ?? 0) - 5,
    width: 10,
    height: 10,
  }));

export function BlowUpMarks({ view, plot, overlay }: BlowUpMarksProps) {
  return marked({ view, plot, overlay }).map(({ index, kind }) => {
    const x = centreOf(plot, index);
    const y = yOf(plot, view.prompts[index] ?? 0);
    const isRefused = kind === "overflow";
    return (
      <g key={`${kind} ${index}`}>
        <circle
          cx={x}
          cy={y}
          r={isRefused ? 4 : 3}
          fill={isRefused ? "var(--ink)" : "var(--bg)"}
          stroke={isRefused ? "var(--bg)" : "var(--ink)"}
          strokeWidth={1.5}
        />
        {isRefused && (
          <text className="halo strong" x={Math.min(x, plot.right - 30)} y={y - 8} textAnchor="middle">
            refused
          </text>
        )}
      </g>
    );
  });
}
