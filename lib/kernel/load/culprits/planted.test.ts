import { describe, expect, test } from "vitest";
import { isPlanted, planted, plantedRates } from "../testing-planted.ts";
import { culpritsOf } from "./rank.ts";
import { DETECTORS } from "./culprit-types.ts";

/** 700 sessions: 50 of each detector and 200 healthy ones. */
const SESSIONS = 700;

describe("sessions with a planted culprit", () => {
  const rates = plantedRates(SESSIONS, 1);
  const share = (part: number): string => `${(part * 100).toFixed(1)} %`;
  console.info(
    `planted culprits: first in ${share(rates.top1)}, among three in ${share(rates.top3)} of ${rates.planted}; ` +
      `nothing named in ${share(rates.quiet)} of ${rates.healthy} healthy sessions`,
  );

  test("it is named first in 95 of 100, and among the first three always", () => {
    expect(rates.planted).toBe(500);
    expect(rates.top1).toBeGreaterThanOrEqual(0.95);
    expect(rates.top3).toBe(1);
  });

  test("nothing is named in 95 of 100 healthy ones", () => {
    expect(rates.healthy).toBe(200);
    expect(rates.quiet).toBeGreaterThanOrEqual(0.95);
  });

  test("no detector is left out, and none does badly", () => {
    for (const detector of DETECTORS) {
      expect(rates.byDetector[detector].planted).toBe(50);
      expect(rates.byDetector[detector].top1, detector).toBeGreaterThanOrEqual(45);
    }
  });
});

test("the same seed makes the same session", () => {
  const [a, b] = [planted("re-read", 7), planted("re-read", 7)];
  expect(a.session.ledger).toEqual(b.session.ledger);
  expect(a.seqs).toEqual(b.seqs);
});

test("a generated session meets its provider's numbers on every call", () => {
  for (const detector of [...DETECTORS, null])
    for (const call of planted(detector, 3).session.ledger.calls) {
      expect(call.sum).toBe(call.reported);
      expect(call.prefix + call.visible + call.unattributed).toBe(call.sum);
    }
});

test("what the ledger says of a planted item is not what was hidden: the noise is there", () => {
  const errors = Array.from({ length: 20 }, (_, i) => planted("oversized-output", 100 + i)).map((one) => {
    const item = one.session.ledger.items.find(({ seq }) => seq === one.seqs[0])!;
    return Math.abs(item.tokens / item.estimated - 1);
  });
  expect(Math.max(...errors)).toBeGreaterThan(0.1);
  expect(errors.filter((error) => error > 0.02).length).toBeGreaterThan(10);
});

test("nothing is avoided of an item that it did not cost, in any tier of prices", () => {
  for (const detector of [...DETECTORS, null])
    for (let seed = 0; seed < 12; seed++) {
      const { session } = planted(detector, 500 + seed);
      // Twice the price over 100,000 tokens: a cure may bring the rest of a prompt under it.
      const tiered: typeof session = {
        ...session,
        ratesOf: (call, prompt) => {
          const rates = session.ratesOf(call, prompt);
          const dear = prompt > 100_000 ? 2 : 1;
          return (
            rates && { ...rates, uncached: dear * rates.uncached, read: dear * rates.read, write: dear * rates.write }
          );
        },
      };
      for (const one of culpritsOf(tiered, { leastShare: 0, leastTokens: 1 })) {
        expect(one.avoidableUsd === null).toBe(one.lifetimeUsd === null);
        if (one.avoidableUsd !== null) expect(one.avoidableUsd, one.label).toBeLessThanOrEqual(one.lifetimeUsd! + 1e-9);
        expect(one.also.every(({ usd }) => usd === null || usd > 0)).toBe(true);
      }
    }
});

test("no event is named by two culprits", () => {
  for (const detector of DETECTORS)
    for (let seed = 0; seed < 8; seed++) {
      const one = planted(detector, seed);
      const culprits = culpritsOf(one.session, { leastShare: 0, leastTokens: 1 });
      const taken = culprits.flatMap(({ cure }) => (cure.do === "prefix" || cure.do === "keep-cache" ? [] : cure.seqs));
      expect(new Set(taken).size).toBe(taken.length);
      expect(culprits.some((culprit) => isPlanted(culprit, one))).toBe(true);
    }
});
