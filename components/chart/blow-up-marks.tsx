// Where the context came near its line, and where a prompt was refused: a ring on the step, full where it was too late.
// Compactions and jumps have marks of their own.
import { centreOf, yOf, type Plot } from "./geometry.ts";
import type { LoadView } from "./load-view.ts";
import type { ChartOverlay } from "./overlay.ts";

type BlowUpMarksProps = { view: LoadView; plot: Plot; overlay: ChartOverlay };

export function BlowUpMarks({ view, plot, overlay }: BlowUpMarksProps) {
  return overlay.blowUps
    .filter(
      ({ index, kind }) =>
        (kind === "near-line" || kind === "overflow") && index >= plot.first && index < plot.first + plot.count,
    )
    .map(({ index, kind }) => {
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
