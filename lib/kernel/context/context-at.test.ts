import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contextAt } from "./context-at.ts";

type Event = {
  seq: number;
  recordKey: string | null;
  body: { type: string; kind?: string; preserved?: string[] };
  covers?: number | null;
};

const event = (seq: number): Event => ({ seq, recordKey: `r${seq}`, body: { type: "user" } });
const summary = (seq: number, covers?: number, preserved?: string[]): Event => ({
  seq,
  recordKey: null,
  body: { type: "compaction", kind: "full", ...(preserved && { preserved }) },
  ...(covers !== undefined && { covers }),
});
const seqs = (events: readonly Event[]): number[] => events.map(({ seq }) => seq);

describe("the context at an event", () => {
  test("without a compaction it is everything so far", () => {
    const at = contextAt([event(1), event(2), event(3)], 2);
    expect(at.summary).toBeNull();
    expect(seqs(at.after)).toEqual([1, 2]);
  });

  test("the last summary stands before what came after what it covers", () => {
    const log = [event(1), event(2), event(3), summary(4, 2), event(5), event(6)];
    const at = contextAt(log, 5);
    expect(at.summary?.seq).toBe(4);
    expect(at.upTo).toBe(2);
    expect(seqs(at.after)).toEqual([3, 5]);
    expect(seqs(contextAt(log, 3).after), "before the summary was made").toEqual([1, 2, 3]);
  });

  test("a later summary covers an earlier one by its place", () => {
    // The first covers up to 2 and was written at 5; the second covers up to 4 and finds it gone.
    const log = [event(1), event(2), event(3), event(4), summary(5, 2), summary(6, 4), event(7)];
    const at = contextAt(log, 7);
    expect(at.summary?.seq).toBe(6);
    expect(seqs(at.after)).toEqual([7]);
    // … and one that covers less, too, is the last word.
    expect(seqs(contextAt([event(1), event(2), event(3), summary(4, 3), summary(5, 1)], 9).after)).toEqual([2, 3]);
  });

  test("what a summary kept word for word is still there, and results that were blanked cut nothing", () => {
    const micro: Event = { seq: 4, recordKey: null, body: { type: "compaction", kind: "micro" } };
    const log = [event(1), event(2), event(3), micro, summary(5, undefined, ["r2"]), event(6)];
    const at = contextAt(log, 6);
    expect(seqs(at.kept)).toEqual([2]);
    expect(seqs(at.after)).toEqual([6]);
    expect(contextAt(log, 4).summary).toBeNull();
  });

  test("nothing is there before the first event, and the end is there beyond it", () => {
    expect(contextAt([event(3)], 2)).toEqual({ summary: null, upTo: 0, kept: [], after: [] });
    expect(contextAt([], 9).after).toEqual([]);
    expect(seqs(contextAt([event(3)], 99).after)).toEqual([3]);
  });

  test("it is what a step-by-step fold over the log comes to", () => {
    const steps = fc.array(fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, fc.nat(4)), { maxLength: 40 });
    fc.assert(
      fc.property(steps, fc.nat(45), (kinds, seq) => {
        const log: Event[] = [];
        let upTo = 0;
        for (const [i, back] of kinds.entries()) {
          // A cut never goes back behind the one before it, as a planner makes them.
          if (back === null) log.push(event(i + 1));
          else log.push(summary(i + 1, (upTo = Math.max(upTo, i - back))));
        }
        let context: Event[] = [];
        for (const one of log.filter((each) => each.seq <= seq)) {
          if (one.body.type !== "compaction") context.push(one);
          else context = [one, ...context.filter((each) => each.body.type === "user" && each.seq > one.covers!)];
        }
        const at = contextAt(log, seq);
        expect([...(at.summary === null ? [] : [at.summary.seq]), ...seqs(at.after)]).toEqual(seqs(context));
      }),
    );
  });
});
