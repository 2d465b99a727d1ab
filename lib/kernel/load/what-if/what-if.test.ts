import { expect, test } from "vitest";
import { inputOf, RATES, type Step } from "./testing-what-if.ts";
import { NO_POLICY, type WhatIfPolicy } from "./what-if-types.ts";
import { whatIf } from "./what-if.ts";

const result = (tokens: number, more: object = {}) => ({ kind: "result" as const, tokens, ...more });
const user = (tokens: number) => ({ kind: "user" as const, tokens });
const steps = (...comes: Step["comes"][]): Step[] => comes.map((one) => ({ comes: one }));
const predicted = (result: Parameters<typeof inputOf>[0], policy: Partial<WhatIfPolicy>): number[] =>
  whatIf(inputOf(result), { ...NO_POLICY, ...policy }).calls.map((call) => call.predicted);

test("an output over the limit weighs an envelope from the call that it came with", () => {
  const answer = { steps: steps([user(100)], [result(5000)], [result(2000)], [user(10)]) };
  expect(predicted(answer, {})).toEqual([10_100, 15_100, 17_100, 17_110]);
  expect(predicted(answer, { offload: 2000 })).toEqual([10_100, 10_350, 12_350, 12_360]);
});

test("what reads artifacts back is never stored", () => {
  const answer = { steps: steps([user(100)], [result(5000, { tool: "artifact_read" })]) };
  expect(predicted(answer, { offload: 1000 })).toEqual([10_100, 15_100]);
});

test("a reading costs one more call, and a page that stays", () => {
  const answer = { steps: steps([user(100)], [result(5000)], [user(10)]) };
  const half = whatIf(inputOf(answer), { ...NO_POLICY, offload: 2000, reread: 0.5 });
  expect(half.calls.map((call) => call.predicted)).toEqual([10_100, 11_350, 11_360]);
  expect(half.expected.promptTokens).toBe(10_100 + 1.5 * 11_350 + 11_360);
  expect(half.low.promptTokens).toBe(10_100 + 10_350 + 10_360);
  expect(half.high.promptTokens).toBe(10_100 + 2 * 12_350 + 12_360);
});

test("only the newest results stay whole, and the cache is broken where the first one went", () => {
  const answer = { steps: steps([user(100)], [result(3000)], [result(4000)], [user(10)]) };
  const masked = whatIf(inputOf(answer), { ...NO_POLICY, mask: 1 });
  expect(masked.calls.map((call) => call.predicted)).toEqual([10_100, 13_100, 14_120, 14_130]);
  // Call 3 had 13,100 in the cache; 10,100 are left before the masked result, and the other 20 are written again.
  expect(masked.cachePenaltyUsd).toBeCloseTo(20 * (RATES.write - RATES.read), 12);
  expect(masked.warnings).toEqual(["Clearing results would break the cache once."]);
});

test("masking waits until enough can go at once", () => {
  const answer = { steps: steps([result(3000)], [result(3000)], [result(3000)], [result(3000)]) };
  expect(predicted(answer, { mask: 1, hysteresis: 5000 })).toEqual([13_000, 16_000, 13_040, 16_040]);
});

test("what agents do: from a trigger on the oldest go until so much is free", () => {
  const answer = { steps: steps([result(3000)], [result(3000)], [result(3000)], [result(3000)], [user(10)]) };
  // 19,000 at the third call: the first one goes, 2,980 are free; the fourth call is at 19,020, and the second one goes.
  expect(predicted(answer, { mask: 0, trigger: 19_000, free: 1 })).toEqual([13_000, 16_000, 16_020, 16_040, 16_050]);
  expect(predicted(answer, { mask: 0, trigger: 19_000, free: 5000 })).toEqual([13_000, 16_000, 13_040, 16_040, 16_050]);
  expect(predicted(answer, { mask: 0, trigger: 19_000 })).toEqual([13_000, 16_000, 10_060, 13_060, 13_070]);
  expect(predicted(answer, { trigger: 19_000 }), "three are kept where nothing is said").toEqual([
    13_000, 16_000, 19_000, 19_020, 19_030,
  ]);
});

test("results of a tool that is kept, and what comes before a call, are not cleared", () => {
  const answer = {
    steps: steps([result(3000, { tool: "Task" })], [result(3000)], [result(3000)], [user(10)]),
  };
  expect(predicted(answer, { mask: 0, keepTools: ["Task"] })).toEqual([13_000, 13_020, 13_040, 13_050]);
  expect(predicted(answer, { mask: 0, fromCall: 4 })).toEqual([13_000, 16_000, 19_000, 10_070]);
});

test("masking that breaks the cache for little says what it costs", () => {
  const answer = {
    steps: Array.from({ length: 60 }, (): Step => ({ comes: [result(200), { kind: "assistant", tokens: 3000 }] })),
  };
  const { warnings, expected, actual } = whatIf(inputOf(answer), { ...NO_POLICY, mask: 5 });
  expect(expected.promptTokens).toBeLessThan(actual.promptTokens);
  expect(warnings).toEqual([
    `Clearing results would break the cache 55 times and cost $${(expected.usd! - actual.usd!).toFixed(2)} more than it saves.`,
  ]);
});

test("the same bytes again are a pointer while the first are there", () => {
  const answer = {
    steps: [
      ...steps([result(4000, { bytes: 1 })], [result(4000, { bytes: 1 })], [result(4000, { bytes: 2 })]),
      { comes: [result(4000, { bytes: 1 })], cut: "manual" as const },
    ],
  };
  expect(predicted(answer, { dedupe: true })).toEqual([14_000, 14_020, 18_020, 22_000]);
});

test("dropped schemas are off the front of every prompt, and one that was used is named", () => {
  const schemas = [
    { name: "mcp__a__b", server: "a", tokens: 2000, calls: 0, seq: null },
    { name: "Bash", server: null, tokens: 1000, calls: 3, seq: null },
  ];
  const input = inputOf({ steps: steps([user(100)], [result(500)]), schemas });
  const without = whatIf(input, { ...NO_POLICY, dropTools: ["mcp__a__b", "Bash", "Nothing"] });
  expect(without.calls.map((call) => call.predicted)).toEqual([7100, 7600]);
  expect(without.actual.usd! - without.expected.usd!).toBeCloseTo(3000 * (RATES.write + RATES.read), 12);
  expect(without.warnings).toEqual([
    "Bash was called 3 times here; without it, these turns would differ.",
    "The size of Nothing's schema is not in this session's file, so it is not subtracted.",
  ]);
});

const full: Step[] = [
  { comes: [user(1000)] },
  { comes: [result(40_000)] },
  { comes: [result(40_000)] },
  { comes: [result(2000)], cut: "auto" },
  { comes: [result(2000)] },
];

test("a compaction is spared when the prompt before it was smaller, and what it dropped stays", () => {
  const result = whatIf(inputOf({ steps: full }), { ...NO_POLICY, offload: 10_000 });
  expect(result.calls.map((call) => call.actual)).toEqual([11_000, 51_000, 91_000, 20_000, 22_000]);
  expect(result.calls.map((call) => call.predicted)).toEqual([11_000, 11_250, 11_500, 13_500, 15_500]);
  expect([result.actual.compactions, result.expected.compactions]).toEqual([1, 0]);
  // No cut, no break of the cache: the prompt before is read.
  const without = whatIf(inputOf({ steps: full.map((step) => ({ ...step, cut: undefined })) }), {
    ...NO_POLICY,
    offload: 10_000,
  });
  expect(result.expected.usd).toBeCloseTo(without.expected.usd!, 12);
});

test("a spared compaction comes when the prompt is as large as the one that made it", () => {
  const later: Step[] = [...full, { comes: [result(9000)] }, { comes: [result(70_000)] }, { comes: [user(10)] }];
  const answer = whatIf(inputOf({ steps: later }), { ...NO_POLICY, offload: 100_000, dedupe: true, mask: 1 });
  // Masked at call 3: 51,020 of 91,000. So the compaction waits, until call 7.
  expect(answer.calls.map((call) => call.predicted)).toEqual([
    11_000, 51_000, 51_020, 13_040, 13_060, 20_080, 81_100, 81_110,
  ]);
  const whole = whatIf(inputOf({ steps: later }), { ...NO_POLICY, offload: 39_999, envelope: 20_000 });
  expect(whole.calls.map((call) => call.predicted)).toEqual([
    11_000, 31_000, 51_000, 53_000, 55_000, 64_000, 84_000, 84_010,
  ]);
  const small = whatIf(inputOf({ steps: later }), { ...NO_POLICY, offload: 39_999, envelope: 39_000 });
  // 91,000 again at call 5, had it not come: 11,000 + 2 × 39,000 + 4,000 = 93,000.
  expect(small.calls.map((call) => call.predicted)).toEqual([
    11_000, 50_000, 89_000, 20_000, 22_000, 31_000, 70_000, 70_010,
  ]);
  expect([whole.expected.compactions, small.expected.compactions]).toEqual([0, 1]);
});

test("a compaction that came late leaves nothing of what it dropped, also when the next one comes late", () => {
  const said = (tokens: number) => ({ kind: "assistant" as const, tokens });
  const epoch = (cut?: "auto"): Step[] => [
    { comes: [user(50)], cut },
    { comes: [result(200)] },
    { comes: [said(20_000)] },
    { comes: [said(20_000)] },
  ];
  const answer = whatIf(inputOf({ steps: [...epoch(), ...epoch("auto"), ...epoch("auto")] }), {
    ...NO_POLICY,
    offload: 150,
    envelope: 100,
  });
  // Each is 100 short of full when the agent compacted: it comes a call later, with the 200 that fill it.
  expect(answer.calls.map((call) => call.actual)).toEqual([
    10_050, 10_250, 30_250, 50_250, 18_050, 18_250, 38_250, 58_250, 18_050, 18_250, 38_250, 58_250,
  ]);
  expect(answer.calls.map((call) => call.predicted)).toEqual([
    10_050, 10_150, 30_150, 50_150, 50_200, 18_100, 38_100, 58_100, 58_150, 18_100, 38_100, 58_100,
  ]);
  expect(answer.expected.compactions).toBe(2);
});

test("a compaction that a person asked for, and a cut that nothing explains, come as they did", () => {
  for (const cut of ["manual", "silent"] as const) {
    const result = whatIf(inputOf({ steps: full.map((step) => (step.cut ? { ...step, cut } : step)) }), {
      ...NO_POLICY,
      offload: 10_000,
    });
    const floor = cut === "manual" ? 18_000 : 15_000;
    expect(result.calls.map((call) => call.predicted)).toEqual([11_000, 11_250, 11_500, floor + 2000, floor + 4000]);
    expect(result.expected.compactions).toBe(result.actual.compactions);
  }
});

test("a compaction of our own leaves the newest turns and a summary on the prefix", () => {
  const turns: Step[] = [
    { comes: [user(1000)] },
    { comes: [result(30_000)] },
    { comes: [user(1000)] },
    { comes: [result(20_000)] },
    { comes: [user(500)] },
  ];
  const policy = { ...NO_POLICY, ratio: 0.6, tail: 1, summary: 2000 };
  const answer = whatIf(inputOf({ steps: turns, loadLine: 100_000 }), policy);
  // At call 4 the prompt would be 62,000: the turn that began at call 3 stays.
  expect(answer.calls.map((call) => call.predicted)).toEqual([11_000, 41_000, 42_000, 33_000, 33_500]);
  expect(answer.expected.compactions).toBe(1);
  expect(whatIf(inputOf({ steps: turns }), policy)).toMatchObject({
    expected: { compactions: 0 },
    warnings: ["Compaction was not simulated: this session's load line is unknown."],
  });
});

test("a turn longer than half of what triggers it is cut inside", () => {
  const long: Step[] = [
    { comes: [user(1000)] },
    ...Array.from({ length: 9 }, (): Step => ({ comes: [result(10_000)] })),
  ];
  const answer = predicted({ steps: long, loadLine: 100_000 }, { ratio: 0.5, tail: 2, summary: 2000 });
  // 51,000 at call 5: two of three older results fit in 25,000, and the newest is always there.
  expect(answer).toEqual([11_000, 21_000, 31_000, 41_000, 42_000, 42_000, 42_000, 42_000, 42_000, 42_000]);
});

test("without any usage all is estimated and nothing has a price", () => {
  const result = whatIf(
    inputOf({ steps: steps([user(1)], [user(1)]).map((s) => ({ ...s, usage: "none" as const })) }),
    NO_POLICY,
  );
  expect(result.actual.usd).toBeNull();
  expect(result.warnings).toEqual([
    "No call of this session reports its tokens: all figures are estimated, and none has a price.",
  ]);
});

test("a session without calls is answered", () => {
  expect(whatIf(inputOf({ steps: [] }), { ...NO_POLICY, offload: 0, mask: 0 })).toMatchObject({
    expected: { promptTokens: 0, peak: 0, usd: null, compactions: 0 },
    calls: [],
  });
});
