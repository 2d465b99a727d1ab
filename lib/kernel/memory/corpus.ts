// One list of all traces that a memory has. Two files may hold the same trace, after a crash between archiving and
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

/** By code unit: the same everywhere. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
