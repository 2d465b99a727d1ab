type LoadingProps = {
  rows: number;
  /** Rows stand in their final height, so that nothing jumps. */
  height?: number;
  label?: string;
};

const WIDTHS = ["28%", "38%", "20%", "32%", "24%"];

export function Loading({ rows, height = 32, label = "Loading" }: LoadingProps) {
  return (
    <output className="after-150 block" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="flex items-center gap-3 border-b border-line" style={{ height }}>
          <div className="bar" style={{ width: WIDTHS[row % WIDTHS.length] }} />
          <div className="flex-1" />
          <div className="bar w-30" />
          <div className="bar w-10" />
        </div>
      ))}
    </output>
  );
}
