// Which model calls an item was sent with: from the first call after it came in to the last before a compaction put a
// summary in its place, or blanked it.

export type CallPlace = { readonly call: number; readonly firstSeq: number };
export type CompactionPlace = {
  readonly seq: number;
  readonly kind: "full" | "micro";
  /** Events that a full compaction kept, or that a micro compaction blanked. */
  readonly seqs: ReadonlySet<number>;
};

/**
 * `from` is the first call's index into the calls, `to` the index after the last; from = to when none. Before `namedUntil`
 * it is certain to be there: a later record names it as kept, or as what it blanks.
 */
export type Residency = { readonly from: number; readonly to: number; readonly namedUntil: number };

/** A function that answers for an event's seq. `calls` are in order of their first event. */
export function residencyIn(
  calls: readonly CallPlace[],
  compactions: readonly CompactionPlace[],
): (seq: number) => Residency {
  const starts = calls.map((call) => call.firstSeq);
  return (seq) => {
    const from = firstAfter(starts, seq);
    const end = compactions.find(
      (place) => place.seq > seq && (place.kind === "full" ? !place.seqs.has(seq) : place.seqs.has(seq)),
    );
    const named = compactions.findLast(
      (place) => place.seq > seq && place.seqs.has(seq) && place.seq <= (end?.seq ?? Infinity),
    );
    return {
      from,
      to: end === undefined ? calls.length : Math.max(from, firstAfter(starts, end.seq)),
      namedUntil: named === undefined ? 0 : firstAfter(starts, named.seq) + (named.kind === "full" ? 1 : 0),
    };
  };
}

/** Index of the first start that lies after `seq`. */
export function firstAfter(starts: readonly number[], seq: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! > seq) high = middle;
    else low = middle + 1;
  }
  return low;
}
