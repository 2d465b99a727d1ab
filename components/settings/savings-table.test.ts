import { expect, test } from "vitest";
import { replayedWords, replayingWords, savedShare, savedTokens, savedUsd, usdTitle } from "./preset-savings-words.ts";

const SAVINGS = {
  sessions: 50,
  priced: 48,
  full: 10,
  promptTokens: 428_183_552,
  unreportedTokens: 0,
  usd: 321.34,
  presets: [],
  label: "same turns assumed" as const,
};

test("what costs more than it saves has a minus", () => {
  expect([savedTokens(-1_200_000), savedUsd(-16.99), savedShare(-10, 100)]).toEqual([
    "−1.20M",
    "−$16.99",
    "−10\u2009%",
  ]);
  expect([savedTokens(0), savedUsd(27.73), savedShare(1, 0)]).toEqual(["0", "$27.73", ""]);
});

test("what was replayed is told with what it assumes, and what has no price is not hidden", () => {
  expect(replayedWords(SAVINGS)).toBe(
    "Replayed 50 sessions with 428.18M prompt tokens and $321.34 of input. 10 came to their load line. 2 sessions have no price. Upper bound: the same turns are assumed.",
  );
  expect(replayedWords({ ...SAVINGS, unreportedTokens: 3_402_038 })).toContain(
    "50 sessions with 428.18M prompt tokens (~3.40M not reported) and $321.34 of input.",
  );
  expect(replayedWords({ ...SAVINGS, sessions: 0 })).toBe("No session was replayed yet.");
  expect(replayedWords({ ...SAVINGS, usd: null, priced: 0, full: 0 })).toContain(
    "prompt tokens. None reached its load line. Upper bound",
  );
});

test("what runs says how far it is", () => {
  expect(replayingWords({ done: null, total: null })).toBe("Replaying: waiting for its turn…");
  expect(replayingWords({ done: 3, total: 50 })).toBe("Replaying: 3 of 50 sessions…");
});

test("a cost that is not known has no words", () => {
  const saved = { tokens: 1, usd: null };
  expect(usdTitle({ preset: "plimsoll", offloaded: 1, saved, savedHalfRead: saved, staysUnder: 0 })).toBeUndefined();
});
