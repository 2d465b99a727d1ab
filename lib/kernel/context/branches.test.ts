import fc from "fast-check";
import { expect, test } from "vitest";
import { departuresOf, seqsOf, type RewindAt } from "./branches.ts";

const told = (...rewinds: readonly [seq: number, after: number][]) =>
  departuresOf(rewinds.map(([seq, after]) => ({ seq, after }))).map(({ seq, common, spans, undoneBy }) => [
    seq,
    common,
    seqsOf(spans),
    ...(undoneBy === undefined ? [] : [undoneBy]),
  ]);

test("what stands between the event and the rewind leaves", () => {
  expect(told([6, 2])).toEqual([[6, 2, [3, 4, 5]]]);
  expect(told([4, 0])).toEqual([[4, 0, [1, 2, 3]]]);
  expect(told([6, 2], [9, 7])).toEqual([
    [6, 2, [3, 4, 5]],
    [9, 7, [8]],
  ]);
});

test("who returns to a branch has it back, as far as there, and leaves the other one", () => {
  // 1 2 3 4, back to 2 (5), 6 7, back to 3 (8).
  expect(told([5, 2], [8, 3])).toEqual([
    [5, 2, [4]],
    [5, 2, [3], 8],
    [8, 2, [6, 7]],
  ]);
});

/** The context as a tree has it: each event has a parent, and a context is the way from an event to the root. */
function treePath(rewinds: readonly RewindAt[], upTo: number): Set<number> {
  const at = new Map(rewinds.map(({ seq, after }) => [seq, after]));
  const path = new Set<number>();
  for (let seq = upTo; seq > 0;) {
    if (at.has(seq)) seq = at.get(seq)!;
    else path.add(seq--);
  }
  return path;
}

test("for any rewinds, what is there is the way from the last event to the root", () => {
  const steps = fc.array(fc.option(fc.nat(1000)), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(steps, (log) => {
      const rewinds: RewindAt[] = [];
      for (const [i, to] of log.entries()) if (to !== null) rewinds.push({ seq: i + 1, after: to % (i + 1) });
      const isRewind = new Set(rewinds.map(({ seq }) => seq));
      const places = departuresOf(rewinds);
      for (let upTo = 1; upTo <= log.length; upTo++) {
        const there = new Set<number>();
        for (let seq = 1; seq <= upTo; seq++) {
          const gone = places.some(
            (one) =>
              one.seq <= upTo &&
              one.seq > seq &&
              (one.undoneBy === undefined || one.undoneBy > upTo) &&
              seqsOf(one.spans).includes(seq),
          );
          if (!gone && !isRewind.has(seq)) there.add(seq);
        }
        expect(there).toEqual(treePath(rewinds, upTo));
      }
    }),
    { numRuns: 200 },
  );
});
