import fc from "fast-check";
import { expect, test } from "vitest";
import { callTiming, CallTimer, type Span } from "./timing.ts";

test("a call has a start, an end and the time between them", () => {
  expect(callTiming({ startedAt: 1000, endedAt: 1400 })).toEqual({
    startedAt: 1000,
    endedAt: 1400,
    elapsedMs: 400,
    approvalWaitMs: null,
  });
});

test("time in which a call waited for an approval is not the tool's", () => {
  const waits = [{ from: 1100, to: 61_100 }];
  expect(callTiming({ startedAt: 1000, endedAt: 61_400, waits })).toMatchObject({
    elapsedMs: 400,
    approvalWaitMs: 60_000,
  });
});

test("waits that overlap count once, those outside the call not at all, and one without an end to the call's end", () => {
  const timed = (waits: Span[]) => callTiming({ startedAt: 0, endedAt: 100, waits });
  const overlapping = [
    { from: 40, to: 60 },
    { from: 10, to: 50 },
  ];
  expect(timed(overlapping)).toMatchObject({ elapsedMs: 50, approvalWaitMs: 50 });
  expect(
    timed([
      { from: -50, to: 10 },
      { from: 90, to: 300 },
    ]),
  ).toMatchObject({ elapsedMs: 80, approvalWaitMs: 20 });
  expect(timed([{ from: 30, to: null }])).toMatchObject({ elapsedMs: 30, approvalWaitMs: 70 });
});

test("what the client measured of the tool goes before what lies between call and result", () => {
  expect(callTiming({ startedAt: 0, endedAt: 90_000, reportedMs: 1200 })).toMatchObject({ elapsedMs: 1200 });
  expect(callTiming({ startedAt: null, endedAt: null, reportedMs: 7 })).toMatchObject({ elapsedMs: 7 });
});

test("a call that runs, and one without times, has no duration", () => {
  expect(callTiming({ startedAt: 5, endedAt: null }).elapsedMs).toBeNull();
  expect(callTiming({ startedAt: null, endedAt: 5, waits: [{ from: 1, to: 2 }] })).toMatchObject({
    elapsedMs: null,
    approvalWaitMs: null,
  });
});

test("clocks that go back make no negative duration", () => {
  expect(callTiming({ startedAt: 100, endedAt: 40, waits: [{ from: 50, to: 60 }] })).toMatchObject({
    elapsedMs: 0,
    approvalWaitMs: 0,
  });
});

test("tool time and waiting add up to the time between start and end, whatever the waits are", () => {
  const time = fc.integer({ min: -1000, max: 1000 });
  const spans = fc.array(fc.record({ from: time, to: fc.option(time) }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(time, fc.nat(1000), spans, (startedAt, length, waits) => {
      const { elapsedMs, approvalWaitMs } = callTiming({ startedAt, endedAt: startedAt + length, waits });
      let waiting = 0;
      for (let at = startedAt; at < startedAt + length; at++)
        if (waits.some(({ from, to }) => from <= at && at < (to ?? Infinity))) waiting++;
      expect(approvalWaitMs).toBe(waiting);
      expect(elapsedMs).toBe(length - waiting);
    }),
  );
});

test("a timer follows calls that run side by side, with approvals in between", () => {
  let now = 0;
  const timer = new CallTimer({ now: () => now });
  const at = (time: number, act: () => unknown): unknown => ((now = time), act());
  at(0, () => timer.start("a"));
  at(5, () => timer.start("b"));
  at(10, () => timer.wait("a"));
  at(11, () => timer.wait("a"));
  expect(at(20, () => timer.end("b"))).toEqual({ startedAt: 5, endedAt: 20, elapsedMs: 15, approvalWaitMs: 0 });
  at(500, () => timer.goOn("a"));
  expect(timer.peek("a")).toMatchObject({ startedAt: 0, endedAt: null, elapsedMs: null });
  at(510, () => timer.goOn("a"));
  expect(at(530, () => timer.end("a"))).toEqual({ startedAt: 0, endedAt: 530, elapsedMs: 40, approvalWaitMs: 490 });
  expect([timer.end("a"), timer.peek("a")]).toEqual([null, null]);
});

test("a refused call waited to its end, and its id may be used again", () => {
  let now = 0;
  const timer = new CallTimer({ now: () => now });
  timer.start("a");
  timer.wait("a");
  now = 100;
  timer.start("a");
  expect(timer.end("a")).toEqual({ startedAt: 0, endedAt: 100, elapsedMs: 0, approvalWaitMs: 100 });
  timer.start("a");
  now = 130;
  expect(timer.end("a")).toMatchObject({ startedAt: 100, elapsedMs: 30 });
});
