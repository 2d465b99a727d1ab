import { expect, test } from "vitest";
import type { GrepManyEnd, GrepManyFound } from "#lib/wire/grep-many-schema.ts";
import { NOTHING_FOUND, withPiece, type ContentsFound } from "./contents-search.ts";
import { leftWords, lineHref, stateWords } from "./contents-words.ts";

const END: GrepManyEnd = {
  ...{ type: "end", failure: null, artifacts: 6000, searched: 5990, matched: 12, shown: 12, matches: 37 },
  ...{ noText: 7, gone: 2, unreadable: 1, leftOut: 0, isWhole: true, ms: 800, deadlineMs: 60_000 },
};
const found = (pointer: string, sameBytes = 0): GrepManyFound => ({
  type: "found",
  artifact: { pointer } as GrepManyFound["artifact"],
  ...{ sameBytes, lines: [], matches: 3, omitted: 0, isCounted: true },
});

test("how far a search is, and what it came to", () => {
  let now: ContentsFound = { ...NOTHING_FOUND, isRunning: true };
  expect(stateWords(now)).toBe("0 artifacts searched, 0 with matches");
  now = withPiece(now, { type: "start", artifacts: 6000 });
  now = withPiece(now, found("art:1"));
  expect(stateWords(now)).toBe("0 of 6,000 artifacts searched, 1 with matches");
  now = withPiece(now, { type: "progress", searched: 128, matched: 1, matches: 3 });
  expect(stateWords(now)).toBe("128 of 6,000 artifacts searched, 1 with matches");
  expect(stateWords({ ...now, isRunning: false })).toBe("Stopped. 128 of 6,000 artifacts searched, 1 with matches");
  now = withPiece({ ...now, isRunning: false }, END);
  expect(stateWords(now)).toBe("37 lines in 12 of 6,000 artifacts, the first 1 shown");
  // Artifacts of equal bytes are shown as one.
  expect(stateWords({ ...now, found: [found("art:1", 11)] })).toBe("37 lines in 12 of 6,000 artifacts");
  expect(stateWords({ ...now, end: { ...END, matched: 0 } })).toBe("No match in 5,990 artifacts");
});

test("what was not searched is said, each with its reason", () => {
  expect(leftWords(END)).toEqual(["Not searched: 7 not text, 2 deleted or expired, 1 missing or damaged."]);
  expect(leftWords({ ...END, noText: 0, gone: 0, unreadable: 0 })).toEqual([]);
  expect(leftWords({ ...END, noText: 0, gone: 0, unreadable: 0, leftOut: 1234, isWhole: false })).toEqual([
    "Only the first 20,000 are searched; 1,234 are left out.",
    "Stopped after 1 min: there may be more.",
  ]);
});

test("a line opens its artifact there, with the same search", () => {
  expect(lineHref("art:a b", 12, "a|b&c", ["-i", "-w"])).toBe(
    "/artifacts/art%3Aa%20b?panel=grep&pattern=a%7Cb%26c&grep=-i+-w&view=lines&line=12",
  );
  expect(lineHref("art:1", null, "x", [])).toBe("/artifacts/art%3A1?panel=grep&pattern=x");
});
