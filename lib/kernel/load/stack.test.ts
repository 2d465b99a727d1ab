import fc from "fast-check";
import { expect, test } from "vitest";
import type { CompactionPlace } from "./residency.ts";
import { STACK, stackLoad, type Item, type LoadedCall, type StackedCall } from "./stack.ts";
import { WEIGHING } from "./weigh.ts";

const item = (seq: number, tokens: number, category: Item["category"] = "result", estimated = true): Item => ({
  seq,
  tokens,
  category,
  estimated,
  label: `item ${seq}`,
});
const call = (n: number, firstSeq: number, prompt: number | null, cacheRead = 0): LoadedCall => ({
  call: n,
  firstSeq,
  prompt,
  cacheRead,
});
const part = (stacked: StackedCall, name: (typeof STACK)[number]): number => stacked.stack[STACK.indexOf(name)]!;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

test("what the first call had beside what is visible is the prefix, and stays", () => {
  const [first, second] = stackLoad(
    [call(1, 2, 20_000), call(2, 5, 26_000)],
    [item(1, 100, "user"), item(3, 5000)],
    [],
  );
  expect(part(first!, "prefix")).toBe(19_900);
  expect(part(first!, "unattributed")).toBe(0);
  expect(part(second!, "prefix")).toBe(19_900);
  expect(part(second!, "result")).toBe(5000);
  expect(part(second!, "unattributed")).toBe(26_000 - 19_900 - 100 - 5000);
});

test("an overestimate shows as a negative rest, and is never smeared", () => {
  const [, second] = stackLoad([call(1, 2, 1000), call(2, 4, 1500)], [item(3, 9000)], []);
  expect(part(second!, "result")).toBe(9000);
  expect(part(second!, "unattributed")).toBe(1500 - 9000 - 1000);
});

test("a call without a report is the sum of what is visible, and says that it is not reported", () => {
  const [only] = stackLoad([call(1, 2, null)], [item(1, 700, "user")], []);
  expect(only).toMatchObject({ prompt: 700, reported: false });
  expect(part(only!, "unattributed")).toBe(0);
});

test("a compaction begins an epoch, and takes away what it did not keep", () => {
  const compactions: CompactionPlace[] = [{ seq: 4, kind: "full", seqs: new Set([1]) }];
  const [before, after] = stackLoad(
    [call(1, 3, 9000), call(2, 6, 4000)],
    [item(1, 50, "user"), item(2, 8000), item(5, 700, "memory")],
    compactions,
  );
  expect([before!.epoch, after!.epoch]).toEqual([1, 2]);
  expect([part(after!, "result"), part(after!, "user"), part(after!, "memory")]).toEqual([0, 50, 700]);
});

test("what entered with a call is named, the largest first, three at most", () => {
  const items = [1, 2, 3, 4, 5, 6].map((seq) => item(seq, seq * 10));
  const [first, second] = stackLoad([call(1, 5, 1000), call(2, 8, 2000)], items, []);
  expect(first!.entered.map(({ seq }) => seq)).toEqual([4, 3, 2]);
  expect(second!.entered.map(({ seq }) => seq)).toEqual([6, 5]);
});

test("a cache break is a prompt as large as before of which little was read from the cache", () => {
  const breaks = (...prompts: [number, number][]): boolean[] =>
    stackLoad(
      prompts.map(([prompt, read], i) => call(i + 1, i * 2 + 2, prompt, read)),
      [],
      [],
    ).map(({ cacheBreak }) => cacheBreak);
  expect(breaks([10_000, 0], [11_000, 10_000], [12_000, 500])).toEqual([false, false, true]);
  expect(breaks([10_000, 0], [3000, 0])).toEqual([false, false]);
  expect(breaks([1000, 0], [1000, 0])).toEqual([false, false]);
});

const items = fc.array(
  fc.record({
    seq: fc.integer({ min: 1, max: 60 }),
    tokens: fc.integer({ min: 0, max: 100_000 }),
    category: fc.constantFrom(...WEIGHING),
    estimated: fc.boolean(),
    label: fc.constant("x"),
  }),
  { maxLength: 40 },
);
const places = fc.array(
  fc.record({
    seq: fc.nat(60),
    kind: fc.constantFrom("full" as const, "micro" as const),
    seqs: fc.array(fc.nat(60)).map((list) => new Set(list)),
  }),
  { maxLength: 4 },
);
const prompts = fc.uniqueArray(
  fc.record({ firstSeq: fc.nat(60), prompt: fc.option(fc.nat(300_000)), cacheRead: fc.nat(200_000) }),
  {
    selector: ({ firstSeq }) => firstSeq,
    maxLength: 20,
  },
);

test("for any log the parts of a call sum to its prompt, to the token", () => {
  fc.assert(
    fc.property(prompts, items, places, (given, list, compactions) => {
      const calls = given.toSorted((a, b) => a.firstSeq - b.firstSeq).map((one, i) => ({ call: i + 1, ...one }));
      const stacked = stackLoad(
        calls,
        list,
        compactions.toSorted((a, b) => a.seq - b.seq),
      );
      expect(stacked).toHaveLength(calls.length);
      stacked.forEach((one, i) => {
        expect(sum(one.stack)).toBe(one.prompt);
        expect(one.stack.every(Number.isInteger)).toBe(true);
        expect(one.stack.every((tokens, k) => tokens >= 0 || STACK[k] === "unattributed")).toBe(true);
        expect(one.reported).toBe(calls[i]!.prompt !== null);
        if (one.reported) expect(one.prompt).toBe(calls[i]!.prompt);
        else expect(Math.abs(part(one, "unattributed"))).toBeLessThanOrEqual(STACK.length);
        expect(one.epoch).toBeGreaterThanOrEqual(stacked[i - 1]?.epoch ?? 1);
      });
    }),
    { numRuns: 500 },
  );
});
