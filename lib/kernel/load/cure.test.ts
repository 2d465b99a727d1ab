import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Cure } from "./culprits/culprit-types.ts";
import { replayCure } from "./cure.ts";
import { frameOf } from "./prompt-frame.ts";
import { firstSeqOf, loadOf, RATES, type LoadSpec } from "./testing-ledger.ts";
import { completeRates } from "./rates.ts";

// 10,000 of prefix in six calls; 8,000 from the third on, and 1,000 behind them from the fourth on.
const SPEC: LoadSpec = {
  calls: 6,
  items: [
    { tokens: 8000, from: 2, seq: 7, label: "Read big.ts" },
    { tokens: 1000, from: 3, seq: 8 },
  ],
};
const cured = (cure: Cure, more: Partial<LoadSpec> = {}) => replayCure(loadOf({ ...SPEC, ...more }), cure);

test("an item that shrinks is off every call that carried it, written once and read from then on", () => {
  const outcome = cured({ do: "shrink", seqs: [7], keep: 500 });
  expect(outcome).toMatchObject({
    tokens: 4 * 7500,
    offPeak: 7500,
    after: { peak: 11_500, promptTokens: 95_000 - 30_000 },
  });
  expect(outcome.usd).toBeCloseTo(7500 * RATES.write + 3 * 7500 * RATES.read);
});

test("in a session with a one-hour cache, what is not written saves the price of an hour", () => {
  const hour = cured({ do: "shrink", seqs: [7], keep: 500 }, { write1h: 1 });
  expect(hour.usd).toBeCloseTo(7500 * RATES.write1h + 3 * 7500 * RATES.read);
  const lost = cured({ do: "keep-cache", calls: [4] }, { write1h: 1, at: { 4: { read: 0 } } });
  expect(lost.usd).toBeCloseTo(19_000 * (RATES.write1h - RATES.read));
});

test("what another session paid for saves no dollar here, and its tokens are off all the same", () => {
  const at = { 0: { inherited: true }, 1: { inherited: true }, 2: { inherited: true }, 3: { inherited: true } };
  const outcome = cured({ do: "shrink", seqs: [7], keep: 500 }, { at });
  expect(outcome.tokens).toBe(4 * 7500);
  expect(outcome.usd).toBeCloseTo(2 * 7500 * RATES.read);
  const { costs, usd, unpriced } = frameOf(loadOf({ ...SPEC, at }));
  expect(unpriced).toBe(0);
  expect(usd).toBeCloseTo(2 * 19_000 * RATES.read);
  expect(costs.reduce((sum, { lifetimeUsd }) => sum + lifetimeUsd!, 0)).toBeCloseTo(usd!);
});

test("a call without a price hides nothing that the others cost", () => {
  const session = loadOf({ ...SPEC, at: { 3: { model: "odd" } } });
  const some = { ...session, ratesOf: ({ model }: { model: string | null }) => (model === "odd" ? null : RATES) };
  const { usd, unpriced } = frameOf(some);
  expect(unpriced).toBe(1);
  expect(usd).toBeCloseTo(
    10_000 * RATES.write + 10_000 * RATES.read + 8000 * RATES.write + 10_000 * RATES.read + 2 * 19_000 * RATES.read,
  );
  expect(replayCure(some, { do: "shrink", seqs: [7], keep: 500 }).usd).toBeCloseTo(
    7500 * RATES.write + 2 * 7500 * RATES.read,
  );
});

test("nothing is taken from an item that is smaller than what would be kept", () => {
  expect(cured({ do: "shrink", seqs: [8], keep: 1000 })).toMatchObject({ tokens: 0, usd: 0, offPeak: 0 });
});

test("re-sent cost ends with the stay", () => {
  const items = [{ tokens: 8000, from: 2, to: 4, seq: 7 }];
  expect(cured({ do: "omit", seqs: [7] }, { items })).toMatchObject({ tokens: 16_000 });
});

test("a clearing breaks the cache at its call: what stood behind is written anew", () => {
  const outcome = cured({ do: "drop", seqs: [7], at: 4 });
  expect(outcome.tokens).toBe(2 * 8000);
  // Two calls do not read 8,000; the 1,000 behind them are written again instead of read.
  expect(outcome.usd).toBeCloseTo(2 * 8000 * RATES.read - 1000 * (RATES.write - RATES.read));
});

test("a part of the prefix is off every call of its span", () => {
  expect(cured({ do: "prefix", tokens: 4000 })).toMatchObject({ tokens: 24_000, offPeak: 4000 });
  expect(cured({ do: "prefix", tokens: 4000, from: 2, to: 4 })).toMatchObject({ tokens: 8000 });
  expect(cured({ do: "prefix", tokens: 99_000 })).toMatchObject({ tokens: 60_000 });
});

test("a cache that had held saves no tokens, and the difference of two prices", () => {
  const outcome = cured({ do: "keep-cache", calls: [4] }, { at: { 4: { read: 0 } } });
  expect(outcome).toMatchObject({ tokens: 0, offPeak: 0 });
  expect(outcome.usd).toBeCloseTo(19_000 * (RATES.write - RATES.read));
});

test("without a price there are no dollars, and the tokens stay", () => {
  expect(cured({ do: "omit", seqs: [7] }, { rates: null })).toMatchObject({
    tokens: 32_000,
    usd: null,
    after: { usd: null },
  });
});

describe("calls that report what came back, and not their prompt", () => {
  const unsaid = { prompt: 0 } as const;
  const all = Object.fromEntries(Array.from({ length: 6 }, (_, k) => [k, unsaid]));

  test("their input has no dollars: neither the session's, nor an item's, nor what a cure saves", () => {
    const session = loadOf({ ...SPEC, at: all });
    const { usd, callUsd, costs } = frameOf(session);
    expect({ usd, callUsd }).toEqual({ usd: null, callUsd: Array(6).fill(null) });
    expect(costs.map(({ lifetimeUsd }) => lifetimeUsd)).toEqual([null, null, null]);
    expect(replayCure(session, { do: "omit", seqs: [7] })).toMatchObject({ tokens: 32_000, usd: null, tierUsd: null });
  });

  test("beside calls that have a prompt, what only they carried is unknown, and what others carried is not", () => {
    const items = [...SPEC.items!, { tokens: 500, from: 4, seq: 9 }];
    const session = loadOf({ ...SPEC, items, at: { 4: unsaid, 5: unsaid } });
    expect(frameOf(session).usd).toBeGreaterThan(0);
    expect(replayCure(session, { do: "omit", seqs: [9] })).toMatchObject({ tokens: 1000, usd: null, tierUsd: null });
    expect(replayCure(session, { do: "omit", seqs: [7] }).usd).toBeCloseTo(8000 * (RATES.write + RATES.read));
  });
});

test("a smaller prompt may fall into a cheaper tier", () => {
  const session = loadOf(SPEC);
  const dear = completeRates({
    uncached: 2 * RATES.uncached,
    read: 2 * RATES.read,
    write: 2 * RATES.write,
    output: 0,
  });
  const tiered = { ...session, ratesOf: (_: unknown, prompt: number) => (prompt > 15_000 ? dear : RATES) };
  const outcome = replayCure(tiered, { do: "omit", seqs: [7] });
  // Four calls at twice the price become calls at the plain one.
  // What the item cost is one figure, what the others save by the tier another.
  expect(outcome.usd).toBeCloseTo(frameOf(tiered).costs[1]!.lifetimeUsd!);
  expect(outcome.tierUsd).toBeGreaterThan(0);
  expect(outcome.after.usd).toBeCloseTo(
    10_000 * RATES.write + 5 * 10_000 * RATES.read + 1000 * RATES.write + 2 * 1000 * RATES.read,
  );
  expect(outcome.usd).toBeGreaterThan(replayCure(session, { do: "omit", seqs: [7] }).usd!);
});

describe("compactions", () => {
  const cut = (more: Partial<NonNullable<LoadSpec["compactions"]>[number]> = {}): LoadSpec => ({
    calls: 8,
    items: [
      { tokens: 30_000, from: 1, to: 4, seq: 7 },
      { tokens: 20_000, from: 2, to: 4, seq: 8 },
      { tokens: 25_000, from: 6, seq: 9 },
    ],
    at: { 4: { epoch: 2 } },
    compactions: [{ seq: firstSeqOf(4) - 50, ...more }],
  });

  test("one is avoided when what came after it would have fitted as well", () => {
    expect(replayCure(loadOf(cut()), { do: "omit", seqs: [7] }).after.compactions).toBe(0);
    // 20,000 off leaves no room for the 25,000 that came: it is only put off.
    expect(replayCure(loadOf(cut()), { do: "omit", seqs: [8] }).after.compactions).toBe(1);
  });

  test("one that a person asked for stays", () => {
    expect(replayCure(loadOf(cut({ trigger: "manual" })), { do: "omit", seqs: [7] }).after.compactions).toBe(1);
  });
});

const loads = fc
  .record({
    calls: fc.integer({ min: 1, max: 25 }),
    // A prompt of no tokens was not measured: without any there are no dollars.
    prefix: fc.integer({ min: 1, max: 20_000 }),
    items: fc.array(
      fc.record({
        tokens: fc.integer({ min: 0, max: 30_000 }),
        isTakenOut: fc.boolean(),
        from: fc.nat(24),
        stay: fc.integer({ min: 1, max: 25 }),
        grade: fc.constantFrom("tight" as const, "estimated" as const),
      }),
      { maxLength: 12 },
    ),
    reads: fc.dictionary(fc.nat(24).map(String), fc.record({ read: fc.nat(40_000) })),
  })
  .map(({ calls, items, reads, prefix }) =>
    loadOf({
      calls,
      prefix,
      at: reads,
      items: items
        .filter(({ from }) => from < calls)
        .map(({ stay, isTakenOut, ...item }, i) => ({
          ...item,
          // What was taken out without a word is a negative item, and never more than is there.
          ...(isTakenOut && item.tokens < prefix / 12
            ? { tokens: -item.tokens, seq: null, kind: "unattributed" as const }
            : { seq: 5000 + i }),
          to: Math.min(calls, item.from + stay),
        })),
    }),
  );

const seqsOf = (session: ReturnType<typeof loadOf>): number[] => session.ledger.items.flatMap(({ seq }) => seq ?? []);

test("for any ledger: a cure without effect changes nothing, others never add a token", () => {
  fc.assert(
    fc.property(loads, fc.nat(30_000), fc.nat(24), (session, keep, at) => {
      const frame = frameOf(session);
      const seqs = seqsOf(session);
      expect(replayCure(session, { do: "omit", seqs: [] })).toMatchObject({ tokens: 0, usd: 0, offPeak: 0 });
      const cures: Cure[] = [
        { do: "omit", seqs },
        { do: "shrink", seqs, keep },
        { do: "drop", seqs, at },
        { do: "prefix", tokens: keep },
        { do: "keep-cache", calls: [at].filter((k) => k < session.ledger.calls.length) },
      ];
      for (const cure of cures) {
        const { tokens, usd, offPeak, after } = replayCure(session, cure);
        expect(tokens).toBeGreaterThanOrEqual(0);
        expect(offPeak).toBeGreaterThanOrEqual(0);
        expect(after.promptTokens + tokens).toBe(frame.promptTokens);
        expect(after.peak).toBeLessThanOrEqual(frame.peak);
        expect(after.usd! + usd!).toBeCloseTo(frame.usd!, 9);
        expect(after.usd!).toBeGreaterThanOrEqual(-1e-9);
        // Only a clearing can cost more than it saves.
        if (cure.do !== "drop") expect(usd!).toBeGreaterThanOrEqual(-1e-9);
      }
    }),
    { numRuns: 300 },
  );
});

test("for any ledger: keeping less never saves less", () => {
  fc.assert(
    fc.property(loads, fc.nat(10_000), fc.nat(10_000), (session, keep, less) => {
      const [seqs, small] = [seqsOf(session), Math.min(keep, less)];
      const a = replayCure(session, { do: "shrink", seqs, keep: Math.max(keep, less) });
      const b = replayCure(session, { do: "shrink", seqs, keep: small });
      expect(b.tokens).toBeGreaterThanOrEqual(a.tokens);
      expect(b.usd!).toBeGreaterThanOrEqual(a.usd! - 1e-9);
    }),
    { numRuns: 200 },
  );
});

test("for any ledger: all items together cost what the calls did, and none saves more than it cost", () => {
  fc.assert(
    fc.property(loads, fc.nat(5000), (session, keep) => {
      const frame = frameOf(session);
      const all = frame.costs.reduce((sum, { lifetimeUsd }) => sum + lifetimeUsd!, 0);
      expect(all).toBeCloseTo(frame.usd!, 9);
      for (const [i, { seq, tokens }] of frame.items.entries()) {
        if (seq === null || tokens < 0) continue;
        const cost = frame.costs[i]!.lifetimeUsd!;
        const omitted = replayCure(session, { do: "omit", seqs: [seq] }).usd!;
        expect(omitted).toBeLessThanOrEqual(cost + 1e-12);
        if (frame.items.every((item) => item.tokens >= 0)) expect(omitted).toBeCloseTo(cost, 9);
        expect(replayCure(session, { do: "shrink", seqs: [seq], keep }).usd!).toBeLessThanOrEqual(cost + 1e-12);
      }
    }),
    { numRuns: 300 },
  );
});
