import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { crossValidated, errorsOf, fit, predicted } from "./calibrate.ts";
import { CONSTANTS } from "./constants.ts";
import { buildLedger } from "./ledger.ts";
import { answered, event } from "./testing-load.ts";
import { FEATURES, SIGNATURE, transitionsOf, type Transition } from "./transitions.ts";
import { ITEM_CLASSES } from "./ledger-types.ts";

const shipped = CONSTANTS["claude-4"];
const RESULT = 2 * ITEM_CLASSES.indexOf("result");
const CALL = 2 * ITEM_CLASSES.indexOf("call");

/** Transitions of a provider that weighs results 1.5 a token and 40 each, calls 0.8 and 10, a signature 0.3 a character. */
function samples(count: number, seed: number, noise: number): Transition[] {
  let state = seed;
  const random = (): number => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
  return Array.from({ length: count }, (_, i) => {
    const features = Array.from({ length: FEATURES }, () => 0);
    [features[RESULT], features[RESULT + 1]] = [Math.round(random() * 6000), 1 + Math.round(random() * 2)];
    [features[CALL], features[CALL + 1]] = [Math.round(random() * 900), 1];
    features[SIGNATURE] = random() < 0.4 ? Math.round(random() * 3000) : 0;
    const truth =
      1.5 * features[RESULT]! + 40 * features[RESULT + 1]! + 0.8 * features[CALL]! + 10 + 0.3 * features[SIGNATURE]!;
    // One in fifty is a hidden injection: a fit by squares would follow it.
    const injected = random() < 0.02 ? 9000 : 0;
    return {
      family: "claude-4",
      model: "claude-opus-4-6",
      session: `s${i % 12}`,
      group: `s${i % 12}`,
      grown: Math.round(truth * (1 + noise * (random() - 0.5)) + injected),
      known: 0,
      features,
      bytes: features[RESULT]! * 4,
      mostly: "result",
      estimated: 0,
    };
  });
}

test("constants that a provider has are found again, hidden injections or not", () => {
  const { classes, perSignatureChar } = fit(samples(1500, 7, 0.05), shipped);
  expect(classes.result!.perToken).toBeCloseTo(1.5, 1);
  expect(classes.result!.base).toBeGreaterThan(20);
  expect(classes.call!.perToken).toBeCloseTo(0.8, 1);
  expect(perSignatureChar).toBeCloseTo(0.3, 1);
});

test("classes without a sample keep the shipped constants", () => {
  expect(fit(samples(600, 3, 0.05), shipped).classes).not.toHaveProperty("user");
});

test("a session is judged by constants that were fitted without its group", () => {
  const all = samples(600, 11, 0.02);
  // One group's provider counts double: a fit that had seen it would be nearer.
  const odd = all.map((one) => (one.group === "s3" ? { ...one, grown: one.grown * 2 } : one));
  const answers = crossValidated(odd, shipped);
  const at = odd.flatMap((one, i) => (one.group === "s3" ? [i] : []));
  const own = errorsOf(
    at.map((i) => odd[i]!),
    at.map((i) => answers[i]!),
  );
  expect(own.wape).toBeGreaterThan(0.4);
});

test("errors are sums of misses over sums of growth", () => {
  const [one] = samples(1, 5, 0);
  expect(
    errorsOf(
      [
        { ...one!, grown: 100 },
        { ...one!, grown: -50 },
      ],
      [80, -40],
    ),
  ).toEqual({ wape: 30 / 150, median: 20 });
  expect(errorsOf([], [])).toEqual({ wape: null, median: null });
});

describe("transitions of a ledger", () => {
  const events = [
    event(1, "user", 100),
    event(2, "call", 40, { call: 1 }),
    event(3, "result", 2000),
    event(5, "reasoning", 0, { bytes: 400, signatureChars: 1200, call: 2 }),
  ];
  const calls = [
    answered(1, 2, 20_000),
    answered(2, 4, 22_300),
    answered(3, 6, 22_600),
    answered(4, 8, 22_700, 0, { model: "claude-opus-5" }),
  ];
  const ledger = buildLedger({ calls, events, compactions: [], format: "claude-code" });
  const found = transitionsOf(ledger, events, { session: "a", group: "a", isOwn: (call) => call !== 3 });

  test("hold what came in by class, of calls that are the session's own, inside an epoch and under one model", () => {
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ grown: 2300, known: 0, mostly: "result", session: "a" });
    expect([found[0]!.features[RESULT], found[0]!.features[RESULT + 1], found[0]!.features[CALL]]).toEqual([
      2000, 1, 40,
    ]);
  });

  test("are predicted by the shipped constants as the ledger estimates them", () => {
    const all = transitionsOf(ledger, events, { session: "a", group: "a", isOwn: () => true });
    for (const one of all) expect(Math.abs(predicted(one, shipped, shipped) - one.estimated)).toBeLessThanOrEqual(1);
  });
});

test("a fit of anything is finite", () => {
  const any = fc.array(
    fc.record({
      grown: fc.integer({ min: -50_000, max: 200_000 }),
      known: fc.nat(5000),
      features: fc.array(fc.nat(20_000), { minLength: FEATURES, maxLength: FEATURES }),
    }),
    { minLength: 1, maxLength: 30 },
  );
  fc.assert(
    fc.property(any, (rows) => {
      const [one] = samples(1, 1, 0);
      const { classes, perSignatureChar } = fit(
        rows.map((row) => ({ ...one!, ...row })),
        shipped,
      );
      for (const { perToken, base } of [...Object.values(classes), { perToken: perSignatureChar, base: 0 }]) {
        expect(Number.isFinite(perToken) && perToken >= 0).toBe(true);
        expect(Number.isFinite(base) && base >= 0).toBe(true);
      }
    }),
  );
});
