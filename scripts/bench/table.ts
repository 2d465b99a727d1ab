// The table of `npm run bench`: one row a target, with what was measured and what it is measured against.
export type Row = {
  readonly what: string;
  readonly measured: string;
  /** What the same run took for the floor or the peer. */
  readonly against: string;
  readonly ratio: string;
  readonly target: string;
  readonly verdict: "ok" | "missed" | "skipped";
};

export const verdict = (...met: readonly boolean[]): Row["verdict"] => (met.every(Boolean) ? "ok" : "missed");

/** What an empty program of Node takes on the machine that the targets of a start were set for: two cores of an AMD EPYC, at rest (24.4 ms). */
const NODE_MS = 25;

/** A program's start against its target: the time itself, or its multiple of an empty Node's where Node takes longer than there. */
export function startTarget(took: number, empty: number, targetMs: number): Pick<Row, "ratio" | "target" | "verdict"> {
  const most = targetMs / NODE_MS;
  return {
    ratio: times(took / empty),
    target: `≤ ${ms(targetMs)}, or ${times(most)} an empty Node`,
    verdict: verdict(took <= targetMs || took / empty <= most),
  };
}

export const skipped = (what: string, target: string, why: string): Row => ({
  what,
  measured: why,
  against: "",
  ratio: "",
  target,
  verdict: "skipped",
});

const HEADS = ["what", "measured", "against", "ratio", "target", ""] as const;

/** Markdown, padded so that it reads in a terminal too. */
export function formatTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => [row.what, row.measured, row.against, row.ratio, row.target, row.verdict]);
  const widths = HEADS.map((head, i) => Math.max(head.length, 2, ...cells.map((row) => row[i]!.length)));
  const line = (row: readonly string[]): string => `| ${row.map((cell, i) => cell.padEnd(widths[i]!)).join(" | ")} |`;
  return [line(HEADS), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...cells.map(line)].join("\n");
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export const ms = (value: number): string =>
  value >= 10_000
    ? `${(value / 1000).toFixed(1)} s`
    : value >= 100
      ? `${Math.round(value)} ms`
      : `${value.toFixed(1)} ms`;
export const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
export const times = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)}×`;
