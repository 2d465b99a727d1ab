import fc from "fast-check";
import { expect, test } from "vitest";
import { residencyIn as staysIn, type CallPosition, type CompactionPosition } from "./residency.ts";

/** The first stay alone. */
const residencyIn =
  (...given: Parameters<typeof staysIn>) =>
  (seq: number) =>
    staysIn(...given)(seq)[0];

const calls = (...starts: number[]): CallPosition[] => starts.map((firstSeq, i) => ({ call: i + 1, firstSeq }));
const full = (seq: number, ...kept: number[]): CompactionPosition => ({ seq, kind: "full", seqs: new Set(kept) });
const micro = (seq: number, ...cleared: number[]): CompactionPosition => ({
  seq,
  kind: "micro",
  seqs: new Set(cleared),
});

test("an item is sent with the calls after it, not with the one that it is part of", () => {
  const resident = residencyIn(calls(2, 5, 9), []);
  expect(resident(1)).toMatchObject({ from: 0, to: 3 });
  expect(resident(2)).toMatchObject({ from: 1, to: 3 });
  expect(resident(4)).toMatchObject({ from: 1, to: 3 });
  expect(resident(9)).toMatchObject({ from: 3, to: 3 });
});

test("a full compaction ends the stay of all that it did not keep", () => {
  const resident = residencyIn(calls(2, 5, 9, 12), [full(7, 3)]);
  expect(resident(1)).toMatchObject({ from: 0, to: 2 });
  expect(resident(3)).toMatchObject({ from: 1, to: 4 });
  expect(resident(6)).toMatchObject({ from: 2, to: 2 });
  expect(resident(8)).toMatchObject({ from: 2, to: 4 });
});

test("a micro compaction ends the stay of those that it names", () => {
  const resident = residencyIn(calls(2, 5, 9), [micro(7, 1)]);
  expect(resident(1)).toMatchObject({ from: 0, to: 2 });
  expect(resident(3)).toMatchObject({ from: 1, to: 3 });
});

test("a rewind ends the stay of what it took back, and of nothing before or after it", () => {
  const rewind: CompactionPosition = { seq: 7, kind: "rewind", seqs: new Set([3, 4, 5, 6]), after: 2 };
  const resident = residencyIn(calls(2, 5, 9), [rewind]);
  expect(resident(1)).toMatchObject({ from: 0, to: 3 });
  expect(resident(3)).toMatchObject({ from: 1, to: 2 });
  expect(resident(6)).toMatchObject({ from: 2, to: 2 });
  expect(resident(8)).toMatchObject({ from: 2, to: 3 });
});

test("nothing is resident without calls", () =>
  expect(residencyIn([], [full(1)])(3)).toMatchObject({ from: 0, to: 0 }));

test("what a later record names is certain to be there until then", () => {
  const resident = residencyIn(calls(2, 5, 9, 12), [full(7, 3), micro(11, 3, 8)]);
  expect(resident(1).namedUntil).toBe(0);
  expect(resident(3).namedUntil).toBe(3);
  expect(resident(8).namedUntil).toBe(3);
  expect(residencyIn(calls(2, 5, 9), [full(7, 3)])(3).namedUntil).toBe(3);
});

test("what a compaction took is sent again once that is undone", () => {
  const stays = staysIn(calls(2, 5, 9, 12), [{ ...full(7), undoneBy: 10, own: new Set([7, 8]) }]);
  expect(stays(1)).toMatchObject([
    { from: 0, to: 2 },
    { from: 3, to: 4 },
  ]);
  // The summary, at 8, goes when its compaction is undone.
  expect(stays(8)).toMatchObject([{ from: 2, to: 3 }]);
  expect(stays(11)).toMatchObject([{ from: 3, to: 4 }]);
});

test("for any log it says what asking every call one by one says", () => {
  const positions = fc.array(
    fc.record({
      seq: fc.nat(40),
      isFull: fc.boolean(),
      seqs: fc.array(fc.nat(40), { maxLength: 8 }),
      undone: fc.option(fc.nat(20), { nil: undefined }),
    }),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(40), { maxLength: 12 }), positions, (starts, list) => {
      const sent = calls(...starts.toSorted((a, b) => a - b));
      const compactions = list
        .toSorted((a, b) => a.seq - b.seq)
        .map(({ seq, isFull, seqs, undone }) => ({
          ...(isFull ? full(seq, ...seqs) : micro(seq, ...seqs)),
          ...(undone !== undefined && { undoneBy: seq + 1 + undone }),
        }));
      const stays = staysIn(sent, compactions);
      for (let seq = 0; seq <= 40; seq++) {
        const isDropped = (compaction: CompactionPosition, start: number): boolean =>
          compaction.seq > seq &&
          compaction.seq < start &&
          (compaction.undoneBy === undefined || compaction.undoneBy >= start) &&
          (compaction.kind === "full") !== compaction.seqs.has(seq);
        const request = sent.flatMap(({ firstSeq }, i) =>
          firstSeq > seq && !compactions.some((compaction) => isDropped(compaction, firstSeq)) ? [i] : [],
        );
        const sentWith = stays(seq).flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i));
        expect(sentWith).toEqual(request);
      }
    }),
    { numRuns: 300 },
  );
});
