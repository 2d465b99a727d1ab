import { expect, test } from "vitest";
import type { CalibrationAnswer } from "#lib/wire/calibration-schema.ts";
import {
  fitRefusal,
  formatError,
  formatWeighting,
  headline,
  heldOut,
  inUse,
  runningWords,
} from "./calibration-words.ts";

type FamilyErrors = CalibrationAnswer["families"][number];

const family = (given: Partial<FamilyErrors>): FamilyErrors => ({
  family: "claude-4",
  models: ["claude-opus-4-6"],
  source: "somewhere",
  isFitted: false,
  missing: 0,
  perSignatureChar: { current: 0.18, fitted: null },
  transitions: 600,
  sessions: 4,
  charsOver4: { wape: 0.33, median: 200 },
  shipped: { wape: 0.094, median: 32 },
  current: { wape: 0.089, median: 31 },
  fitted: { wape: 0.09, median: 31 },
  ...given,
});

const answerOf = (...families: FamilyErrors[]): CalibrationAnswer => ({
  families,
  models: [],
  classes: [],
  sessions: [],
  clearings: [],
  overheads: [],
  looked: 9,
  transitions: families.reduce((sum, { transitions }) => sum + transitions, 0),
  leastTransitions: 500,
});

test("the sentence is the most used family's, and never judges a fit by what it was fitted to", () => {
  expect(headline(answerOf(family({})))).toBe(
    "Estimates miss 9.4\u2009% of what prompts grow by; characters ÷ 4 would miss 33.0\u2009%. Measured on 600 transitions of 4 sessions.",
  );
  const openai = family({
    family: "openai",
    transitions: 900,
    isFitted: true,
    current: { wape: 0.01, median: 1 },
    fitted: { wape: 0.036, median: 1 },
  });
  expect(headline(answerOf(family({}), openai))).toMatch(
    /^Estimates miss 3\.6\u2009% of what prompts of OpenAI, the most/,
  );
  expect(headline(answerOf(family({ isFitted: true, fitted: null })))).toBeNull();
  expect(headline(answerOf())).toBeNull();
  expect(headline(answerOf(family({ charsOver4: { wape: null, median: null } })))).toBeNull();
});

test("the error in use is the shipped one until something was fitted", () => {
  expect(inUse(family({}), false).wape).toBe(0.094);
  expect(inUse(family({}), true).wape).toBe(0.089);
  expect(heldOut(family({}), false)?.wape).toBe(0.094);
  expect(heldOut(family({}), true)?.wape).toBe(0.09);
  expect(heldOut(family({ fitted: null }), true)).toBeNull();
});

test("why nothing can be fitted is said with the transitions that are missing", () => {
  expect(fitRefusal(answerOf(family({})))).toBeNull();
  expect(fitRefusal(answerOf(family({ transitions: 287, missing: 213 })))).toBe(
    "A fit needs 500 transitions of one kind of model; Claude up to 4.6 has 287, 213 are missing.",
  );
  expect(fitRefusal(answerOf(family({ family: "other" })))).toContain("there are none yet");
  expect(fitRefusal(answerOf())).toContain("500 transitions");
});

test("errors have a tenth of a percent, constants what they multiply and add", () => {
  expect(formatError(0.0936)).toBe("9.4\u2009%");
  expect(formatWeighting({ perToken: 1.1, base: 26 })).toBe("× 1.100 + 26");
  expect(formatWeighting({ perToken: 1.008, base: 21.94 })).toBe("× 1.008 + 21.9");
});

test("what runs says how far it is", () => {
  expect(runningWords({ do: "look", done: null, total: null })).toBe("Measuring: waiting for its turn…");
  expect(runningWords({ do: "fit", done: 3, total: 56 })).toBe("Fitting: 3 of 56 sessions…");
});
