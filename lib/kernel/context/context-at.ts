// The context at an event: the last summary, and what came after what it covers. No step-by-step fold: two searches and
// a slice, so that any event of a long log is as near as its end.

/** What an event did to the context before it. */
export type Cover<E> = {
  /** The summary takes the place of everything up to and with this seq … */
  readonly upTo: number;
  /** … except what it kept, word for word. */
  readonly keeps?: (event: E) => boolean;
  /** Record key of the first that stays, with all that came after it. */
  readonly keptFrom?: string;
};

export type ContextAt<E> = {
  /** The event whose text stands in place of what it covers, or null where nothing was compacted yet. */
  readonly summary: E | null;
  /** The position of the summary: the last seq that it covers; 0 without one. */
  readonly upTo: number;
  /** Events that the summary covers and kept all the same. */
  readonly kept: readonly E[];
  /** What came after what the summary covers, in order; no summary is among them. */
  readonly after: readonly E[];
};

/** The log of the archive, as far as this file needs it; more fields do no harm. */
type Logged = {
  readonly seq: number;
  readonly recordKey?: string | null;
  readonly body?: {
    readonly type: string;
    readonly kind?: string;
    readonly injected?: string | undefined;
    readonly preserved?: readonly string[] | undefined;
    readonly keptFrom?: string | undefined;
  };
  /** The last seq that a compaction of ours covers: the tail before it stays. */
  readonly covers?: number | null;
};

/** What a compaction event of the archive covers: everything before it, or up to the event that it names. */
export function coverOf(event: Logged): Cover<Logged> | null {
  if (event.body?.type !== "compaction" || event.body.kind === "micro") return null;
  const preserved = new Set(event.body.preserved ?? []);
  const { keptFrom } = event.body;
  return {
    upTo: Math.min(event.covers ?? event.seq - 1, event.seq - 1),
    ...(preserved.size > 0 && { keeps: ({ recordKey }: Logged) => recordKey != null && preserved.has(recordKey) }),
    ...(keptFrom !== undefined && { keptFrom }),
  };
}

/**
 * The context right after the event `seq`. `log` is in the order of seq, which may have gaps. Where several summaries
 * stand before `seq` the last one decides alone: a summary stands at the position of the last event that it covers, so a
 * later one covers it too.
 */
export function contextAt<E extends Logged>(
  log: readonly E[],
  seq: number,
  cover: (event: E) => Cover<E> | null = coverOf as (event: E) => Cover<E> | null,
): ContextAt<E> {
  const end = firstBeyond(log, seq);
  for (let i = end - 1; i >= 0; i--) {
    const covered = cover(log[i]!);
    if (covered === null) continue;
    const begin = firstBeyond(log, covered.upTo);
    const keeps = keptBy(covered, log);
    return {
      summary: log[i]!,
      upTo: covered.upTo,
      kept: keeps === undefined ? [] : log.slice(0, begin).filter((event) => cover(event) === null && keeps(event)),
      // Between a summary and what it covers lies the tail; an earlier summary there is covered by its position.
      after: [...log.slice(begin, i).filter((event) => cover(event) === null), ...log.slice(i + 1, end)],
    };
  }
  return { summary: null, upTo: 0, kept: [], after: log.slice(0, end) };
}

/** Which events a summary keeps; undefined where it keeps none. */
function keptBy<E extends Logged>({ keeps, keptFrom }: Cover<E>, log: readonly E[]): Cover<E>["keeps"] {
  const first = keptFrom === undefined ? undefined : log.find(({ recordKey }) => recordKey === keptFrom)?.seq;
  if (first === undefined) return keeps;
  // An earlier summary in that tail is covered like everything before it.
  const isTail = ({ seq, body }: E): boolean => seq >= first && body?.injected !== "summary";
  return (event) => isTail(event) || keeps?.(event) === true;
}

/** Index of the first event beyond a seq. */
function firstBeyond(log: readonly { readonly seq: number }[], seq: number): number {
  let low = 0;
  let high = log.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (log[middle]!.seq > seq) high = middle;
    else low = middle + 1;
  }
  return low;
}
