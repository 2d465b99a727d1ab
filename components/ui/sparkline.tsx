// Load over time as a share of the session's own load line, 0 to 1.14, so that the red runs level down a
// whole column. Over the line means drawn above it.

type SparklineProps = {
  points: readonly number[];
  running?: boolean;
  width?: number;
  height?: number;
};

const TOP = 1.14;

export function Sparkline({ points, running = false, width = 208, height = 40 }: SparklineProps) {
  const x = (index: number) => 1 + (index / Math.max(points.length - 1, 1)) * (width - 4);
  const y = (share: number) => height - 1 - (Math.min(Math.max(share, 0), TOP) / TOP) * (height - 3);
  const steps = points.map((share, index) => `${x(index).toFixed(1)} ${y(share).toFixed(1)}`);
  const highest = points.reduce((best, share, index) => (share > (points[best] ?? 0) ? index : best), 0);
  const marked = running ? points.length - 1 : highest;
  return (
    <span className="block" style={{ width, height }}>
      <span className="sr-only">{`Load over time, at most ${Math.round((points[highest] ?? 0) * 100)} % of the load line`}</span>
      <svg width={width} height={height} aria-hidden="true">
        {points.length > 1 && (
          <path
            d={`M${steps.join("L")}L${x(points.length - 1).toFixed(1)} ${height - 1}L1 ${height - 1}Z`}
            fill="var(--ink-3)"
            opacity=".16"
          />
        )}
        <path d={`M0 ${y(1).toFixed(1)}H${width}`} stroke="var(--load-line)" strokeWidth="1" />
        {points.length > 1 && (
          <path d={`M${steps.join("L")}`} fill="none" stroke="var(--ink-2)" strokeWidth="1.1" strokeLinejoin="round" />
        )}
        {points.length > 0 && (
          <circle
            cx={x(marked)}
            cy={y(points[marked] ?? 0)}
            r={running ? 2.4 : 1.7}
            fill={running ? "var(--accent)" : "var(--ink)"}
          />
        )}
      </svg>
    </span>
  );
}
