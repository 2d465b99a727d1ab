import fc from "fast-check";
import { expect, test } from "vitest";
import { CATEGORIES } from "#lib/wire/common-schema.ts";
import type { LoadAnswer, LoadCall } from "#lib/wire/load-schema.ts";
import type { WhatIfAnswer } from "#lib/wire/what-if-schema.ts";
import { loadView } from "../shared/load-view.ts";
import { overlayOf } from "./overlay.ts";

const callOf = (stack: readonly number[], i: number): LoadCall => ({
  call: i * 2 + 1,
  seq: i * 10 + 1,
  ts: null,
  turn: 1,
  epoch: 1,
  model: null,
  prompt: stack.reduce((sum, tokens) => sum + tokens, 0),
  origin: "reported",
  uncached: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  webSearches: 0,
  output: 0,
  outputLowerBound: false,
  inherited: false,
  stack: [...stack],
  estimated: stack.map(() => 0),
  entered: [],
  cacheBreak: false,
});

const viewOf = (stacks: readonly (readonly number[])[]) =>
  loadView({
    calls: stacks.map(callOf),
    window: { tokens: null, origin: null },
    loadLine: { tokens: null, origin: null },
    rewinds: [],
    compactions: [],
    turns: [],
    jumps: [],
    lost: 0,
    counting: false,
    version: "1",
  } satisfies LoadAnswer);

const whatIfOf = (calls: WhatIfAnswer["calls"]) => ({ calls }) as WhatIfAnswer;

const stacks = fc.array(
  fc.array(fc.integer({ min: 0, max: 50_000 }), { minLength: CATEGORIES.length, maxLength: CATEGORIES.length }),
  { minLength: 1, maxLength: 12 },
);

test("what is kept ends at the predicted curve, and what is offloaded at the real one", () => {
  fc.assert(
    fc.property(stacks, fc.array(fc.double({ min: 0, max: 1.4, noNaN: true }), { minLength: 12 }), (list, shares) => {
      const view = viewOf(list);
      const calls = view.calls.map((call, i) => ({
        call: call.call,
        actual: call.prompt,
        predicted: call.prompt * (shares[i] ?? 1),
      }));
      const overlay = overlayOf(view, { ledger: undefined, whatIf: whatIfOf(calls) });
      calls.forEach(({ actual, predicted }, i) => {
        expect(overlay.predicted?.[i]).toBeCloseTo(predicted, 3);
        expect(overlay.tops?.at(-1)?.[i]).toBeCloseTo(Math.min(actual, predicted), 3);
        for (const [c, tops] of (overlay.tops ?? []).entries())
          if (c > 0) expect(tops[i]!).toBeGreaterThanOrEqual((overlay.tops?.[c - 1]?.[i] ?? 0) - 0.001);
      });
    }),
  );
});

test("calls that the answer does not know stay as they were", () => {
  const view = viewOf([
    [10, 0, 0, 50, 0, 0, 0, 0],
    [10, 0, 0, 80, 0, 0, 0, 0],
  ]);
  const overlay = overlayOf(view, {
    ledger: undefined,
    whatIf: whatIfOf([{ call: 1, actual: 60, predicted: 20 }]),
  });
  expect([...(overlay.predicted ?? [])]).toEqual([20, 90]);
});
