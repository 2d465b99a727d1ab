// Which events leave a context at a rewind, and which come back. A log is a tree in the order in which it was written: a rewind
// goes on behind an earlier event, as the context was right there. That may lie on a branch that was left before.

/** `after`: the last event that stays; 0 where the conversation begins anew. */
export type RewindAt = { readonly seq: number; readonly after: number };

type Span = readonly [from: number, to: number];

export type Departure = {
  readonly seq: number;
  /** The last event of the context before that is in the context behind too. */
  readonly common: number;
  readonly spans: readonly Span[];
  /** The rewind at which these came back. */
  readonly undoneBy?: number;
};

/**
 * What left at each rewind, in their order. What comes back later stands apart from what does not, under the same seq; a rewind
 * at which nothing left has one with no spans.
 */
export function departuresOf(rewinds: readonly RewindAt[]): Departure[] {
  /** The context right behind each rewind. */
  const paths: { readonly seq: number; readonly path: readonly Span[] }[] = [];
  const out: { seq: number; common: number; spans: Span[]; undoneBy?: number }[] = [];
  for (const { seq, after } of rewinds) {
    const before = pathAt(paths, seq - 1);
    const path = after === 0 ? [] : pathAt(paths, Math.min(after, seq - 1));
    const back = minus(path, before);
    if (back.length > 0)
      for (const one of [...out]) {
        const returned = one.undoneBy === undefined ? both(one.spans, back) : [];
        if (returned.length === 0) continue;
        one.spans = minus(one.spans, returned);
        out.push({ seq: one.seq, common: one.common, spans: returned, undoneBy: seq });
      }
    out.push({ seq, common: commonEnd(before, path), spans: minus(before, path) });
    paths.push({ seq, path });
  }
  return out.toSorted((a, b) => a.seq - b.seq);
}

/** The context right after an event: that behind the last rewind before it, and what came since. */
function pathAt(paths: readonly { readonly seq: number; readonly path: readonly Span[] }[], seq: number): Span[] {
  const last = paths.findLast((one) => one.seq <= seq);
  const since: Span = [(last?.seq ?? 0) + 1, seq];
  return [...(last?.path ?? []), ...(since[0] <= since[1] ? [since] : [])];
}

function minus(spans: readonly Span[], taken: readonly Span[]): Span[] {
  return taken.reduce<Span[]>(
    (rest, [from, to]) =>
      rest.flatMap(([a, b]): Span[] => {
        if (to < a || from > b) return [[a, b]];
        return [...(a < from ? [[a, from - 1] as const] : []), ...(b > to ? [[to + 1, b] as const] : [])];
      }),
    [...spans],
  );
}

const both = (spans: readonly Span[], others: readonly Span[]): Span[] =>
  spans.flatMap(([a, b]) =>
    others.flatMap(([from, to]): Span[] => {
      const span: Span = [Math.max(a, from), Math.min(b, to)];
      return span[0] <= span[1] ? [span] : [];
    }),
  );

/** How far two contexts are the same from their beginning. */
function commonEnd(a: readonly Span[], b: readonly Span[]): number {
  const shared = both(a, b).toSorted(([x], [y]) => x - y);
  const parted = Math.min(...[...minus(a, b), ...minus(b, a)].map(([from]) => from));
  return shared.reduce((end, [from, to]) => (from < parted ? Math.max(end, Math.min(to, parted - 1)) : end), 0);
}

/** The numbers that spans stand for. */
export const seqsOf = (spans: readonly Span[]): number[] =>
  spans.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => from + i));
