import { estimatedUsd, leastUsd, NO_PRICE } from "#lib/kernel/load/load-labels.ts";
import { Absent } from "./num.tsx";

/** Dollars of a cell, with a reason on hover; a dash where no price is known. */
export function LeastUsd({
  usd,
  isPartial,
  why,
  isEstimated = false,
}: {
  usd: number | null;
  isPartial: boolean;
  why?: string | undefined;
  /** Dollars that could have been saved. */
  isEstimated?: boolean;
}) {
  const words = (isEstimated ? estimatedUsd : leastUsd)(usd, isPartial);
  return words === null ? <Absent why={NO_PRICE} /> : <span title={why}>{words}</span>;
}
