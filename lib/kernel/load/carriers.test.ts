import fc from "fast-check";
import { expect, test } from "vitest";
import { carriersOf } from "./carriers.ts";
import { costsOf } from "./cost.ts";
import { loadOf, RATES, type LoadSpec } from "./testing-ledger.ts";

/** Index of the item of an event. */
const at = (session: ReturnType<typeof loadOf>, seq: number): number =>
  session.ledger.items.findIndex((item) => item.seq === seq);

test("an item is written to the cache once and read from it afterwards, each call at its own price", () => {
  const session = loadOf({ calls: 4, items: [{ seq: 101, tokens: 5000, from: 1 }] });
  const carriers = carriersOf(session, at(session, 101));
  expect(carriers.map(({ index, tokens, cached }) => [index, tokens, cached])).toEqual([
    [1, 5000, 0],
    [2, 5000, 5000],
    [3, 5000, 5000],
  ]);
  expect(carriers[0]!.usd).toBeCloseTo(5000 * RATES.write, 10);
  expect(carriers[1]!.usd).toBeCloseTo(5000 * RATES.read, 10);
});

test("a call whose cache was lost sends the item anew", () => {
  const session = loadOf({ calls: 3, items: [{ seq: 101, tokens: 5000, from: 0 }], at: { 2: { read: 0 } } });
  const lost = carriersOf(session, at(session, 101))[2]!;
  expect(lost).toMatchObject({ index: 2, cached: 0 });
  expect(lost.usd).toBeCloseTo(5000 * RATES.write, 10);
});

test("a call without a price has no dollars", () => {
  const session = loadOf({ calls: 2, items: [{ seq: 101, tokens: 5000, from: 0 }], rates: null });
  expect(carriersOf(session, at(session, 101)).map(({ usd }) => usd)).toEqual([null, null]);
});

test("property: the calls of an item come to its lifetime in the ledger", () => {
  const item = fc
    .record({ tokens: fc.integer({ min: 1, max: 9000 }), from: fc.nat(5), stay: fc.integer({ min: 1, max: 6 }) })
    .map(({ tokens, from, stay }) => ({ tokens, from, to: Math.min(6, from + stay) }));
  const reads = fc.dictionary(
    fc.constantFrom("1", "2", "3", "4", "5"),
    fc.record({ read: fc.nat(30_000), hasUsage: fc.boolean() }),
  );
  fc.assert(
    fc.property(fc.array(item, { maxLength: 6 }), reads, (items, calls) => {
      const spec: LoadSpec = {
        calls: 6,
        items: items.map((one, i) => ({ ...one, seq: 100 * (one.from + 1) - 50 + i })),
        at: calls,
      };
      const session = loadOf(spec);
      const costs = costsOf(session.ledger, session.ratesOf).items;
      for (const [i, one] of session.ledger.items.entries()) {
        const carriers = carriersOf(session, i);
        expect(carriers.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(costs[i]!.lifetimeTokens);
        expect(carriers.map(({ index }) => index)).toEqual(
          Array.from({ length: one.to - one.from }, (_, k) => one.from + k),
        );
        const usd = carriers.reduce<number | null>((sum, c) => (c.usd === null ? sum : (sum ?? 0) + c.usd), null);
        if (costs[i]!.lifetimeUsd === null) expect(usd).toBeNull();
        else expect(usd).toBeCloseTo(costs[i]!.lifetimeUsd, 9);
      }
    }),
  );
});
