// The last turns of a log as they are, in order of turn and seq.
import type { RawTrace } from "./memory-types.ts";

/** Traces of the last `tailTurns` turns, in the order in which turns first appear; none for 0 or less. */
export function rawTail(
  traces: readonly RawTrace[],
  tailTurns: number,
  excludeTurnId: string | null = null,
): RawTrace[] {
  if (tailTurns <= 0) return [];
  const turns = new Set(traces.flatMap(({ turnId }) => (turnId === null || turnId === excludeTurnId ? [] : [turnId])));
  const order = new Map([...turns].slice(-tailTurns).map((turnId, at) => [turnId, at]));
  return traces
    .filter(({ turnId }) => turnId !== null && order.has(turnId))
    .toSorted((a, b) => order.get(a.turnId!)! - order.get(b.turnId!)! || a.seq - b.seq);
}
