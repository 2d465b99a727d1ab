import fc from "fast-check";
import { expect, test } from "vitest";
import { inputOf, type Coming, type Step, type Scenario } from "./testing-what-if.ts";
import { NO_POLICY, type WhatIfPolicy } from "./what-if-types.ts";
import { whatIf } from "./what-if.ts";

const coming: fc.Arbitrary<Coming> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("result" as const), tokens: fc.nat(9000), bytes: fc.nat(4) }),
  },
  fc.record({
    kind: fc.constantFrom("call" as const, "assistant" as const, "user" as const, "reasoning" as const),
    tokens: fc.nat(2000),
  }),
  fc.record({ kind: fc.constant("unattributed" as const), tokens: fc.integer({ min: -3000, max: 3000 }) }),
);
const calm: fc.Arbitrary<Step> = fc.record({
  comes: fc.array(coming, { maxLength: 4 }),
  cached: fc.constantFrom(1, 1, 1, 0.5, 0),
  clears: fc.constantFrom(0, 0, 0, 2),
});
const eventful: fc.Arbitrary<Step> = fc.record({
  comes: fc.array(coming, { maxLength: 4 }),
  cached: fc.constantFrom(1, 1, 1, 0.5, 0),
  clears: fc.constantFrom(0, 0, 0, 2),
  cut: fc.constantFrom(
    undefined,
    undefined,
    undefined,
    undefined,
    "auto" as const,
    "manual" as const,
    "silent" as const,
  ),
  usage: fc.constantFrom(undefined, undefined, undefined, undefined, "none" as const, "zero" as const),
  write1h: fc.constantFrom(undefined, undefined, 1, 0.4),
});
const scenarioOf = (step: fc.Arbitrary<Step>): fc.Arbitrary<Scenario> =>
  fc.record({
    steps: fc.array(step, { minLength: 1, maxLength: 25 }),
    prefix: fc.integer({ min: 0, max: 20_000 }),
    summary: fc.nat(4000),
    attached: fc.nat(6000),
    loadLine: fc.constantFrom(null, 60_000, 100_000),
    hasCache: fc.boolean(),
  });
/** Nothing is compacted: what a policy saves moves no cut. */
const quiet = scenarioOf(calm);
const any = scenarioOf(eventful);

const policies: fc.Arbitrary<WhatIfPolicy> = fc.record({
  offload: fc.option(fc.nat(6000)),
  envelope: fc.nat(600),
  reread: fc.constantFrom(0, 0.25, 0.5, 1),
  mask: fc.option(fc.nat(12)),
  hysteresis: fc.nat(10_000),
  trigger: fc.option(fc.nat(60_000)),
  free: fc.option(fc.nat(20_000)),
  keepTools: fc.constantFrom([], ["Read"]),
  fromCall: fc.integer({ min: 1, max: 12 }),
  dropTools: fc.constantFrom([], ["one"]),
  dedupe: fc.boolean(),
  ratio: fc.option(fc.double({ min: 0.2, max: 1, noNaN: true })),
  tail: fc.nat(3),
  summary: fc.nat(5000),
});
/** Policies that move no cut either, and clear whatever the prompt comes to: a smaller one may miss its trigger. */
const still = policies.map((policy) => ({ ...policy, ratio: null, trigger: null }));
const tokensOf = (result: Scenario, policy: WhatIfPolicy): number =>
  whatIf(inputOf(result), policy).expected.promptTokens;

test("without a policy every prediction is what was", () => {
  fc.assert(
    fc.property(any, (result) => {
      const input = inputOf(result);
      const { actual, low, expected, high, calls, cachePenaltyUsd } = whatIf(input, NO_POLICY);
      expect(calls.map((call) => call.predicted)).toEqual(input.ledger.calls.map(({ sum }) => sum));
      for (const outcome of [low, expected, high]) expect(outcome).toEqual(actual);
      expect(actual.promptTokens).toBe(input.ledger.calls.reduce((sum, call) => sum + call.sum, 0));
      expect(cachePenaltyUsd).toBe(actual.usd === null ? null : 0);
    }),
    { numRuns: 400 },
  );
});

test("the recorded cost is the recorded counts at their rates", () => {
  fc.assert(
    fc.property(any, (result) => {
      const { ledger, ratesOf } = inputOf(result);
      const billed = ledger.calls.filter(({ hasUsage, reported }) => hasUsage && reported !== 0);
      const usd = billed.reduce((sum, call) => {
        const rates = ratesOf(call, call.sum)!;
        return (
          sum +
          call.cacheRead * rates.read +
          call.uncached * rates.uncached +
          (call.cacheWrite - call.cacheWrite1h) * rates.write +
          call.cacheWrite1h * rates.write1h
        );
      }, 0);
      const { actual } = whatIf(inputOf(result), NO_POLICY);
      if (billed.length === 0) expect(actual.usd).toBeNull();
      else expect(actual.usd).toBeCloseTo(usd, 10);
    }),
  );
});

test("a policy that nothing in the session meets changes nothing", () => {
  const idle = { ...NO_POLICY, offload: 9000, mask: 1000, dropTools: ["none"], reread: 0.5 };
  fc.assert(
    fc.property(any, (result) => {
      const { actual, expected } = whatIf(inputOf(result), idle);
      expect(expected).toEqual(actual);
    }),
  );
});

test("a lower limit never sends more tokens, when nothing is read back", () => {
  fc.assert(
    fc.property(quiet, still, fc.nat(4000), (result, policy, less) => {
      // With hysteresis the moment of masking depends on what is left to free.
      const base = { ...policy, reread: 0, hysteresis: 0 };
      const high = { ...base, offload: 4000 };
      expect(tokensOf(result, { ...base, offload: 4000 - less })).toBeLessThanOrEqual(tokensOf(result, high));
      expect(tokensOf(result, high)).toBeLessThanOrEqual(tokensOf(result, { ...base, offload: null }));
    }),
  );
});

test("reading more back never sends fewer tokens, nor costs less", () => {
  fc.assert(
    fc.property(quiet, still, fc.double({ min: 0, max: 1, noNaN: true }), (result, policy, share) => {
      const input = inputOf(result);
      const less = whatIf(input, { ...policy, offload: policy.offload ?? 1000, reread: share / 2 });
      const more = whatIf(input, { ...policy, offload: policy.offload ?? 1000, reread: share });
      expect(less.expected.promptTokens).toBeLessThanOrEqual(more.expected.promptTokens);
      expect(less.low.promptTokens).toBeLessThanOrEqual(less.expected.promptTokens);
      expect(more.expected.promptTokens).toBeLessThanOrEqual(more.high.promptTokens);
      if (less.expected.usd !== null) expect(less.expected.usd).toBeLessThanOrEqual(more.expected.usd! + 1e-9);
      expect(less.low).toEqual(more.low);
      expect(less.high).toEqual(more.high);
    }),
  );
});

test("the prefix that was read is read, when negative items take out more than is left behind it", () => {
  const result: Scenario = {
    steps: [
      {
        comes: [
          { kind: "unattributed", tokens: -1 },
          { kind: "result", tokens: 2, bytes: 0 },
        ],
        cached: 1,
        clears: 0,
      },
      { comes: [], cached: 1, clears: 0 },
    ],
    prefix: 1,
    summary: 0,
    attached: 0,
    loadLine: null,
    hasCache: true,
  };
  const usdAt = (reread: number) => whatIf(inputOf(result), { ...NO_POLICY, offload: 0, reread }).expected.usd!;
  expect(usdAt(0)).toBeLessThanOrEqual(usdAt(0.001));
});

test("an envelope larger than an item never makes a prompt larger", () => {
  fc.assert(
    fc.property(quiet, fc.nat(20_000), fc.nat(3000), (result, envelope, offload) => {
      const { calls } = whatIf(inputOf(result), { ...NO_POLICY, offload, envelope });
      for (const { actual, predicted } of calls) expect(predicted).toBeLessThanOrEqual(actual);
    }),
  );
});

test("keeping more results whole never saves more tokens", () => {
  fc.assert(
    fc.property(quiet, still, fc.nat(10), fc.nat(10), (result, policy, keep, more) => {
      const base = { ...policy, hysteresis: 0, free: null };
      expect(tokensOf(result, { ...base, mask: keep })).toBeLessThanOrEqual(
        tokensOf(result, { ...base, mask: keep + more }),
      );
      expect(tokensOf(result, { ...base, mask: keep + more })).toBeLessThanOrEqual(
        tokensOf(result, { ...base, mask: null }),
      );
    }),
  );
});

test("dropping a schema never raises a prompt, the peak or the cost", () => {
  fc.assert(
    fc.property(quiet, still, fc.nat(12_000), (result, policy, tokens) => {
      const input = { ...inputOf(result), schemas: [{ name: "one", server: null, tokens, calls: 0, seq: null }] };
      const without = whatIf(input, { ...policy, dropTools: ["one"] });
      const base = whatIf(input, { ...policy, dropTools: [] });
      for (const [k, { predicted }] of without.calls.entries())
        expect(predicted).toBeLessThanOrEqual(base.calls[k]!.predicted);
      expect(without.expected.peak).toBeLessThanOrEqual(base.expected.peak);
      if (base.expected.usd !== null) expect(without.expected.usd).toBeLessThanOrEqual(base.expected.usd + 1e-9);
    }),
  );
});

test("no prompt is smaller than its prefix, none is negative, and every cost is a number", () => {
  fc.assert(
    fc.property(any, policies, (result, policy) => {
      const input = inputOf(result);
      const { calls, low, expected, high } = whatIf(input, { ...policy, dropTools: [] });
      const prefixes = input.ledger.calls.map(({ prefix }) => prefix);
      const least = Math.min(...prefixes);
      for (const [k, { predicted }] of calls.entries()) {
        expect(predicted).toBeGreaterThanOrEqual(0);
        // Where a cut is spared, it is the prefix of an earlier epoch that stands.
        expect(predicted).toBeGreaterThanOrEqual(Math.min(least, input.ledger.calls[k]!.sum));
      }
      for (const { usd, compactions, promptTokens } of [low, expected, high]) {
        if (usd !== null) expect(usd).toBeGreaterThanOrEqual(0);
        expect(compactions).toBeGreaterThanOrEqual(0);
        expect(Number.isFinite(promptTokens)).toBe(true);
      }
    }),
    { numRuns: 400 },
  );
});

test("the agent's own compactions are spared or come later, never more of them", () => {
  fc.assert(
    fc.property(any, still, (result, policy) => {
      const { actual, low } = whatIf(inputOf(result), { ...policy, reread: 0 });
      expect(low.compactions).toBeLessThanOrEqual(actual.compactions);
    }),
  );
});

test("a spared compaction never lets a prompt grow past the largest that was sent", () => {
  const growing = scenarioOf(
    eventful.map((step) => ({ ...step, comes: step.comes.filter(({ tokens }) => tokens > 0) })),
  );
  fc.assert(
    fc.property(growing, still, (result, policy) => {
      const { actual, low } = whatIf(inputOf(result), { ...policy, reread: 0 });
      expect(low.peak).toBeLessThanOrEqual(actual.peak);
    }),
    { numRuns: 1000 },
  );
});
