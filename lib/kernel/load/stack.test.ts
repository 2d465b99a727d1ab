import { expect, test } from "vitest";
import { buildLedger } from "./ledger.ts";
import { STACK, stackOf, type StackedCall } from "./stack.ts";
import { answered, event } from "./testing-load.ts";

const part = (stacked: StackedCall, name: (typeof STACK)[number]): number => stacked.stack[STACK.indexOf(name)]!;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
const stacked = (input: Omit<Parameters<typeof buildLedger>[0], "format">): StackedCall[] =>
  stackOf(buildLedger({ ...input, format: "claude-code" }));

test("the categories of a call sum to its prompt, hidden prefix and what is unattributed among them", () => {
  const [first, second] = stacked({
    calls: [answered(1, 2, 20_000), answered(2, 5, 36_000)],
    events: [event(1, "user", 100), event(3, "result", 5000)],
    compactions: [],
  });
  expect(sum(first!.stack)).toBe(20_000);
  expect(part(first!, "prefix")).toBe(20_000 - part(first!, "user"));
  expect(sum(second!.stack)).toBe(36_000);
  expect(part(second!, "unattributed")).toBe(36_000 - 20_000 - part(second!, "result"));
});

test("a compaction begins an epoch, and takes away what it did not keep", () => {
  const [before, after] = stacked({
    calls: [answered(1, 3, 9000), answered(2, 6, 4000)],
    events: [event(1, "user", 50), event(2, "result", 7000), event(5, "memory", 700)],
    compactions: [{ seq: 4, kind: "full", seqs: new Set([1]) }],
  });
  expect([before!.epoch, after!.epoch]).toEqual([1, 2]);
  expect(part(after!, "result")).toBe(0);
  expect(part(after!, "memory")).toBeGreaterThan(600);
  expect(sum(after!.stack)).toBe(4000);
});

test("what entered with a call is named, the largest first, three at most", () => {
  const events = [1, 2, 3, 4, 5, 6].map((seq) => event(seq, "result", seq * 1000));
  const [first] = stacked({ calls: [answered(1, 7, 90_000)], events, compactions: [] });
  expect(first!.entered.map(({ seq }) => seq)).toEqual([6, 5, 4]);
});

test("a cache break is told only inside an epoch and above what providers cache", () => {
  const calls = [answered(1, 2, 50_000, 0), answered(2, 4, 51_000, 50_000), answered(3, 6, 52_000, 1000)];
  expect(stacked({ calls, events: [], compactions: [] }).map(({ cacheBreak }) => cacheBreak)).toEqual([
    false,
    false,
    true,
  ]);
  const compactions = [{ seq: 5, kind: "full" as const, seqs: new Set<number>() }];
  expect(stacked({ calls, events: [], compactions }).at(-1)!.cacheBreak).toBe(false);
  const small = [answered(1, 2, 1500, 0), answered(2, 4, 1600, 0)];
  expect(stacked({ calls: small, events: [], compactions: [] }).at(-1)!.cacheBreak).toBe(false);
});

test("without a single read of a cache no break is drawn", () => {
  const calls = [answered(1, 2, 50_000), answered(2, 4, 51_000), answered(3, 6, 52_000)];
  const breaks = stacked({ calls, events: [], compactions: [] }).map(({ cacheBreak }) => cacheBreak);
  expect(breaks).toEqual([false, false, false]);
});

test("a category is an estimate when its items are unsure by more than a twentieth of it", () => {
  const calls = [answered(1, 2, 20_000), answered(2, 4, 25_000), answered(3, 6, 30_000)];
  // The second call's growth has one item alone: its tokens are what was reported.
  const events = [event(3, "result", 4500), event(5, "call", 9000)];
  const [, second, third] = stacked({ calls, events, compactions: [] });
  expect(second!.estimated[STACK.indexOf("result")]).toBe(0);
  expect(third!.estimated[STACK.indexOf("call")]).toBe(1);
});

test("what the estimates leave over is an estimate, however small their error is beside it", () => {
  // The first prompt holds 100,000 tokens of which an estimate of some 100 is taken off.
  const [first, second] = stacked({
    calls: [answered(1, 2, 100_000), answered(2, 5, 100_500)],
    events: [event(1, "user", 100), event(3, "result", 100), event(4, "call", 50)],
    compactions: [],
  });
  expect(first!.estimated[STACK.indexOf("prefix")]).toBe(1);
  expect(second!.estimated[STACK.indexOf("prefix")]).toBe(1);
  expect(second!.estimated[STACK.indexOf("unattributed")]).toBe(1);
  const [alone] = stacked({ calls: [answered(1, 2, 100_000)], events: [], compactions: [] });
  expect(alone!.estimated[STACK.indexOf("prefix")]).toBe(0);
});
