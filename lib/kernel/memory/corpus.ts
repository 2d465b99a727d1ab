// Lists of the traces that a memory has: all of them, those of some turns, the last turns. Two files may hold the same trace, after a crash between archiving and
// taking away; two traces of one millisecond may share their id. So a trace is told by id, turn, seq and type together.
import { traceKey, type RawTrace } from "./memory-types.ts";

/** Archive and active list as one, each trace once, the active one first; by time, turn, seq and id. */
export function corpusOf(archived: readonly RawTrace[], active: readonly RawTrace[]): RawTrace[] {
  return withoutRepeats([...active, ...archived]).toSorted(
    (a, b) => a.ts - b.ts || compare(a.turnId ?? "", b.turnId ?? "") || a.seq - b.seq || compare(a.id, b.id),
  );
}

/** The first trace of each key, in order. */
export function withoutRepeats(traces: readonly RawTrace[]): RawTrace[] {
  const seen = new Set<string>();
  return traces.filter((trace) => {
    const key = traceKey(trace);
    return !seen.has(key) && seen.add(key);
  });
}

/** The traces of these turns, in order. */
export function tracesOfTurns(traces: readonly RawTrace[], turnIds: readonly string[]): RawTrace[] {
  const wanted = new Set(turnIds);
  return traces.filter(({ turnId }) => turnId !== null && wanted.has(turnId));
}

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

/** By code unit: the same everywhere. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
