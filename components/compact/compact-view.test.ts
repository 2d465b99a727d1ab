import fc from "fast-check";
import { expect, test } from "vitest";
import {
  barsOf,
  evidenceTotal,
  hiddenOf,
  shownLine,
  stripOf,
  summarySections,
  summaryTokens,
  totalsOf,
  turnAt,
} from "./compact-view.ts";
import { NOTHING_HIDDEN } from "#lib/wire/outside-messages.ts";
import { ledgerGroups } from "./plan-ledger.ts";
import { callFixture, compactFixture, partFixture } from "./testing-compact.ts";

const TURNS = [
  { turn: 1, seq: 2, title: "Find the leak" },
  { turn: 2, seq: 10, title: "Mend the pump" },
  { turn: 3, seq: 30, title: "Write it down" },
];

test("an event belongs to the last turn that began at or before it", () => {
  expect([1, 2, 9, 10, 31].map((seq) => turnAt(TURNS, seq)?.turn ?? 0)).toEqual([0, 1, 1, 2, 3]);
  expect(turnAt([], 5)).toBeNull();
});

test("the ledger's groups name the turns, the newest first, and the heaviest of what is dropped singly", () => {
  const groups = ledgerGroups(
    compactFixture({
      tokensBefore: 700,
      tokensAfter: 150,
      whole: [partFixture(30, 40, "user"), partFixture(31, 60)],
      summarised: [partFixture(2, 10, "user"), partFixture(10, 20, "user")],
      dropped: [3, 4, 5, 6, 11, 12].map((seq) => partFixture(seq, seq * 10)),
    }),
    TURNS,
    [callFixture({ prompt: 1200, stack: [500, 0, 0, 700, 0, 0, 0, 0] })],
  );
  expect(groups.map(({ fate }) => fate)).toEqual(["kept", "summarised", "dropped"]);
  const [kept, summarised, dropped] = groups;
  expect(kept?.note).toBe("1 turn, the prefix and the summary");
  expect(kept?.rows.map(({ label, before, after }) => [label, before, after])).toEqual([
    ["System prompt and tools", 500, 500],
    ["The summary and its memory", null, 50],
    ["Write it down", 100, 100],
  ]);
  expect(summarised?.rows.map(({ turn, before }) => [turn, before])).toEqual([
    ["2", 20],
    ["1", 10],
  ]);
  expect(dropped?.rows.map(({ label }) => label)).toEqual([
    "Read 12.ts",
    "Read 11.ts",
    "Read 6.ts",
    "Read 5.ts",
    "Read 4.ts",
    "More of Find the leak",
  ]);
});

const parts = fc.uniqueArray(
  fc.record({ seq: fc.nat({ max: 300 }), tokens: fc.nat({ max: 900 }), fate: fc.nat({ max: 2 }) }),
  { selector: ({ seq }) => seq },
);

test("the rows of the ledger, the strip and the bar before all sum to what was there", () => {
  fc.assert(
    fc.property(parts, fc.nat({ max: 100 }), (all, rest) => {
      const of = (fate: number) =>
        all.filter((one) => one.fate === fate).map(({ seq, tokens }) => partFixture(seq, tokens));
      const sum = all.reduce((total, { tokens }) => total + tokens, 0);
      const answer = compactFixture({
        whole: of(0),
        summarised: of(1),
        dropped: of(2),
        tokensBefore: sum + rest,
        tokensAfter: sum,
      });
      const rows = ledgerGroups(answer, TURNS, []).flatMap((group) => group.rows);
      expect(rows.reduce((total, { before }) => total + (before ?? 0), 0)).toBe(sum);
      const strip = stripOf(answer);
      expect(strip.reduce((total, { tokens }) => total + tokens, 0)).toBe(sum);
      expect(strip.every((stretch, i) => stretch.fate !== strip[i + 1]?.fate)).toBe(true);
      expect(strip.every((stretch, i) => stretch.start + stretch.tokens === (strip[i + 1]?.start ?? sum))).toBe(true);
      const { before, after } = barsOf(answer, []);
      expect(before.reduce((total, { tokens }) => total + tokens, 0)).toBe(sum + rest);
      expect(after.reduce((total, { tokens }) => total + tokens, 0)).toBe(
        of(0).reduce((total, { tokens }) => total + tokens, 0) + summaryTokens(answer),
      );
    }),
  );
});

test("where a call was sent just this, the total is what the provider reported, and what it adds is not freed", () => {
  const calls = [callFixture({ seq: 41, prompt: 1600, stack: [420, 0, -30, 900, 0, 0, 0, 0] })];
  expect(hiddenOf(calls, compactFixture())).toEqual({ prefix: 420, unattributed: 180 });
  expect(totalsOf(compactFixture(), calls)).toEqual({
    before: 1600,
    after: 1000,
    freed: 600,
    beforeOrigin: "reported",
  });
});

test("elsewhere the call before says what the provider is likely to add, and a system message is not added twice", () => {
  const calls = [
    callFixture({ seq: 30, prompt: 1600, stack: [420, 0, 7, 900, 0, 0, 0, 0] }),
    callFixture({ seq: 90, prompt: 9000, stack: [9000, 0, 0, 0, 0, 0, 0, 0] }),
  ];
  const answer = compactFixture({ whole: [partFixture(1, 20, "system")] });
  expect(hiddenOf(calls, answer)).toEqual({ prefix: 400, unattributed: 7 });
  expect(totalsOf(answer, calls).beforeOrigin).toBe("counted");
});

test("messages that weigh more than the provider reported hide nothing, and without its word nothing is known", () => {
  expect(totalsOf(compactFixture(), [callFixture({ seq: 41, prompt: 900, stack: [] })]).before).toBe(1000);
  expect(hiddenOf([callFixture({ origin: "counted", prompt: 5000, stack: [400] })], compactFixture())).toEqual(
    NOTHING_HIDDEN,
  );
  expect(hiddenOf([], compactFixture())).toEqual(NOTHING_HIDDEN);
});

test("headings part the lines of a summary, and a line that is linked is never one", () => {
  const line = (text: string, seqs: number[] = []) => ({ text, seqs });
  expect(
    summarySections([
      line("Goal", [1]),
      line("## Files"),
      line(""),
      line("pump.ts", [3]),
      line("## not a heading", [4]),
    ]),
  ).toEqual([
    { heading: null, lines: [line("Goal", [1])] },
    { heading: "Files", lines: [line("pump.ts", [3]), line("## not a heading", [4])] },
  ]);
});

test("a line is shown without the mark of a list and the reference that its link gives, and else as it is", () => {
  expect(shownLine({ text: "- keep the field [event 48]", seqs: [48] })).toBe("keep the field");
  expect(shownLine({ text: "- said by another [event 48]", seqs: [7] })).toBe("said by another [event 48]");
  expect(shownLine({ text: "[event 48] first", seqs: [48] })).toBe("[event 48] first");
});

test("evidence is summed over its kinds", () => {
  const { kept } = compactFixture();
  expect(evidenceTotal({ ...kept, files: { kept: 2, total: 3 }, errors: { kept: 1, total: 1 } })).toEqual({
    kept: 3,
    total: 4,
  });
});
