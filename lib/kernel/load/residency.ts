// Which model calls an item was sent with: from the first call after it came in to the last before a compaction put a
// summary in its place, or blanked it, or a rewind took it back; and again from the event that undid that compaction.

export type CallPosition = { readonly call: number; readonly firstSeq: number };
export type CompactionPosition = {
  readonly seq: number;
  readonly kind: "full" | "micro" | "rewind";
  /** Events that a full compaction kept, that a micro compaction blanked, or that a rewind took out. */
  readonly seqs: ReadonlySet<number>;
  /** Of a rewind: the last event that stays. */
  readonly after?: number;
  /** The event that undid it: what it took is sent again from there on. */
  readonly undoneBy?: number;
  /** Its own events where it was undone, itself and its summary: they are not sent any more from there on. */
  readonly own?: ReadonlySet<number>;
};

/**
 * `from` is the first call's index into the calls, `to` the index after the last; from = to when none. Before `namedUntil`
 * it is certain to be there: a later record names it as kept, or as what it blanks.
 */
export type Residency = { readonly from: number; readonly to: number; readonly namedUntil: number };

/**
 * A function that answers for an event's seq: its stays in order, more than one where a compaction that took it was undone.
 * The first is always there, from = to where no call was sent it. `calls` are in order of their first event. `since`: where
 * it was sent from, if that is before its own position.
 */
export function residencyIn(
  calls: readonly CallPosition[],
  given: readonly CompactionPosition[],
): (seq: number, since?: number) => readonly [Residency, ...Residency[]] {
  const starts = calls.map((call) => call.firstSeq);
  const compactions = given
    .flatMap((compaction): CompactionPosition[] =>
      compaction.undoneBy === undefined || compaction.own === undefined
        ? [compaction]
        : [compaction, { seq: compaction.undoneBy, kind: "micro", seqs: compaction.own }],
    )
    .toSorted((a, b) => a.seq - b.seq);
  const takes = (compaction: CompactionPosition, seq: number, since: number): boolean =>
    compaction.seq > since && takesOut(compaction, seq);
  return (seq, since = seq) => {
    const stay = (after: number, until: number): Residency => {
      const from = firstAfter(starts, after);
      const named = compactions.findLast(
        (compaction) =>
          compaction.seq > after && compaction.seq > since && compaction.seqs.has(seq) && compaction.seq <= until,
      );
      return {
        from,
        to: until === Infinity ? calls.length : Math.max(from, firstAfter(starts, until)),
        namedUntil: named === undefined ? 0 : firstAfter(starts, named.seq) + (named.kind === "full" ? 1 : 0),
      };
    };
    const end = compactions.find((compaction) => takes(compaction, seq, since));
    const stays: [Residency, ...Residency[]] = [stay(since, end?.seq ?? Infinity)];
    let back = end?.undoneBy ?? Infinity;
    for (const compaction of compactions) {
      if (compaction === end || !takes(compaction, seq, since)) continue;
      if (compaction.seq > back) stays.push(stay(back, compaction.seq));
      back = Math.max(back, compaction.undoneBy ?? Infinity);
    }
    if (back !== Infinity) stays.push(stay(back, Infinity));
    return stays;
  };
}

/** True where a cut takes an event that stands before it out of the context. */
export const takesOut = ({ kind, seqs }: CompactionPosition, seq: number): boolean =>
  (kind === "full") !== seqs.has(seq);

/** The last event that rewinds between two calls left; Infinity where there was none. */
export function rewoundTo(
  rewinds: readonly CompactionPosition[],
  call: CallPosition,
  before: CallPosition | undefined,
): number {
  const here = rewinds.filter(({ seq }) => seq < call.firstSeq && seq > (before?.firstSeq ?? -1));
  return Math.min(...here.map(({ after = Infinity }) => after));
}

/** What became of an item, in the words of every page. */
export const LEFT_BY = { full: "compacted", micro: "cleared", rewind: "rewound" } as const;

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
