import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blowUpsOf, waterfallAt, worstOf } from "./blow-ups.ts";
import { planted } from "./testing-planted.ts";
import { firstSeqOf, loadOf, type LoadSpec } from "./testing-ledger.ts";
import { DETECTORS } from "./culprits/culprit-types.ts";

const kinds = (spec: LoadSpec): string[] => blowUpsOf(loadOf(spec)).map(({ kind, call }) => `${kind} at ${call}`);

test("a session that stays low has none", () => {
  expect(kinds({ calls: 9, items: [{ tokens: 9000, from: 3 }] })).toEqual([]);
  expect(worstOf([])).toBeNull();
});

test("the first call over four fifths of the line", () => {
  expect(
    kinds({
      calls: 6,
      prefix: 120_000,
      items: [
        { tokens: 7999, from: 1 },
        { tokens: 1, from: 3 },
      ],
    }),
  ).toEqual(["near-line at 4"]);
  expect(kinds({ calls: 3, prefix: 150_000, loadLine: null })).toEqual([]);
});

describe("jumps", () => {
  const jump = (tokens: number, more: Partial<LoadSpec> = {}) =>
    kinds({ calls: 4, items: [{ tokens, from: 2, seq: 7 }], ...more });

  test("10,000 tokens at once, or 5 % of a longer line", () => {
    expect(jump(10_000)).toEqual(["jump at 3"]);
    expect(jump(9999)).toEqual([]);
    expect(jump(49_999, { loadLine: 1_000_000 })).toEqual([]);
    expect(jump(50_000, { loadLine: 1_000_000 })).toEqual(["jump at 3"]);
  });

  test("what a new epoch brings is no jump", () => expect(jump(50_000, { at: { 2: { epoch: 2 } } })).toEqual([]));

  test("it leads to the largest that came in", () => {
    const items = [
      { tokens: 4000, from: 2, seq: 6 },
      { tokens: 9000, from: 2, seq: 7 },
      { tokens: 90_000, from: 1, seq: 5 },
    ];
    expect(blowUpsOf(loadOf({ calls: 4, items })).filter(({ call }) => call === 3)).toMatchObject([
      { seq: 7, tokens: 13_000, index: 2 },
    ]);
  });
});

test("a compaction stands at the call before it, with its trigger; a clearing of results is none", () => {
  const session = loadOf({
    calls: 6,
    prefix: 20_000,
    at: { 3: { epoch: 2 } },
    compactions: [
      { seq: firstSeqOf(3) - 50, trigger: "auto" },
      { seq: firstSeqOf(4) - 50, kind: "micro" },
    ],
  });
  expect(blowUpsOf(session)).toMatchObject([{ kind: "compaction", call: 3, tokens: 20_000, trigger: "auto" }]);
});

test("a compaction that a person asked for is no blow-up", () => {
  const by = (trigger: string | null) =>
    kinds({ calls: 6, prefix: 20_000, at: { 3: { epoch: 2 } }, compactions: [{ seq: firstSeqOf(3) - 50, trigger }] });
  expect(by("manual")).toEqual([]);
  expect(by("/compact command")).toEqual([]);
  expect(by(null)).toEqual(["compaction at 3"]);
});

test("two compactions without a call between them are one, and one before the first call is none", () => {
  const compactions = [{ seq: 1 }, { seq: firstSeqOf(3) - 50 }, { seq: firstSeqOf(3) - 49 }];
  expect(blowUpsOf(loadOf({ calls: 6, compactions }))).toMatchObject([{ call: 3, seq: firstSeqOf(3) - 49 }]);
});

test("the worst is a refusal, else the fullest context, else the largest jump", () => {
  const items = [
    { tokens: 60_000, from: 1 },
    { tokens: 70_000, from: 3, to: 5 },
  ];
  const compactions = [{ seq: firstSeqOf(5) - 50 }];
  const all = { calls: 8, items, compactions, at: { 5: { epoch: 2 } } };
  const worst = (spec: LoadSpec) => worstOf(blowUpsOf(loadOf(spec)));
  expect(worst({ ...all, overflows: [firstSeqOf(1) + 5] })).toMatchObject({
    kind: "overflow",
    call: 2,
    tokens: 70_000,
  });
  expect(worst(all)).toMatchObject({ kind: "compaction", call: 5, tokens: 140_000 });
  expect(worst({ ...all, compactions: [] })).toMatchObject({ kind: "near-line", call: 4 });
  expect(worst({ ...all, compactions: [], loadLine: 900_000 })).toMatchObject({
    kind: "jump",
    tokens: 70_000,
    call: 4,
  });
});

test("a waterfall is the prefix, ten items, the rest and what is unattributed", () => {
  const session = loadOf({
    calls: 2,
    items: [
      ...Array.from({ length: 14 }, (_, i) => ({ tokens: 100 * (i + 1), from: 0, seq: i + 1 })),
      { tokens: 70, from: 1, seq: null, kind: "unattributed" as const },
      { tokens: 30, from: 0, seq: null, kind: "assistant" as const, label: "Answer, not in the file" },
    ],
  });
  const { items, ...rest } = waterfallAt(session, 1);
  expect(rest).toEqual({ prefix: 10_000, rest: 100 + 200 + 300 + 400 + 30, restItems: 5, unattributed: 70 });
  expect(items.map(({ tokens }) => tokens)).toEqual([1400, 1300, 1200, 1100, 1000, 900, 800, 700, 600, 500]);
});

test("for any session every waterfall sums to the prompt of its call", () => {
  fc.assert(
    fc.property(fc.constantFrom(...DETECTORS), fc.nat(10_000), (detector, seed) => {
      const { session } = planted(detector, seed);
      for (const { index, waterfall, call } of blowUpsOf(session)) {
        const { prefix, items, rest, unattributed } = waterfall;
        const { sum, call: number } = session.ledger.calls[index]!;
        expect(prefix + items.reduce((all, { tokens }) => all + tokens, 0) + rest + unattributed).toBe(sum);
        expect(rest).toBeGreaterThanOrEqual(0);
        expect(call).toBe(number);
      }
    }),
    { numRuns: 40 },
  );
});
