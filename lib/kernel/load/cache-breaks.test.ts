import { expect, test } from "vitest";
import { cacheBreaksOf, cacheLifetimeMs } from "./cache-breaks.ts";
import { firstSeqOf, loadOf, RATES, type LoadSpec } from "./testing-ledger.ts";

const breaks = (spec: Partial<LoadSpec>) => cacheBreaksOf(loadOf({ calls: 8, prefix: 20_000, ...spec }));

test("a call that reads less than half of what was sent before it, with what that cost", () => {
  expect(breaks({ at: { 4: { read: 10_000 } } })).toEqual([]);
  const [one, ...more] = breaks({ at: { 4: { read: 9999 } } });
  expect(more).toEqual([]);
  expect(one).toMatchObject({ call: 4, tokens: 10_001 });
  expect(one!.usd).toBeCloseTo(10_001 * (RATES.write - RATES.read));
  const [hour] = breaks({ write1h: 1, at: { 4: { read: 9999 } } });
  expect(hour!.usd).toBeCloseTo(10_001 * (RATES.write1h - RATES.read));
});

test("a five-minute cache that nobody read for five minutes had expired", () => {
  expect(breaks({ at: { 4: { read: 0, minutes: 12 } } })).toMatchObject([
    { cause: "idle", text: "No call for 12 minutes: the 5-minute cache had expired." },
  ]);
  expect(breaks({ at: { 4: { read: 0, minutes: 4 } } })).toMatchObject([{ cause: "unknown" }]);
  // What another agent kept warm once says nothing of the next gap.
  expect(breaks({ at: { 2: { minutes: 40 }, 4: { read: 0, minutes: 12 } } })).toMatchObject([{ cause: "idle" }]);
});

test("a cache that was written for an hour does not expire within it", () => {
  const hour = (minutes: number) => breaks({ write1h: 1, at: { 4: { read: 0, minutes } } });
  expect(hour(12)).toMatchObject([{ cause: "unknown" }]);
  expect(hour(59)).toMatchObject([{ cause: "unknown" }]);
  expect(hour(200)).toMatchObject([{ cause: "idle", text: "No call for 3 hours: the 1-hour cache had expired." }]);
});

test("the last call before it that wrote to the same model's cache decides", () => {
  const items = [1, 2, 3, 4, 5, 6, 7].map((from) => ({ tokens: 100, from }));
  const { calls } = loadOf({ calls: 8, items, at: { 2: { write1h: 1 }, 5: { write1h: 1 } } }).ledger;
  expect(calls.map((_, k) => cacheLifetimeMs(calls, k) / 60_000)).toEqual([5, 5, 5, 60, 5, 5, 60, 5]);
  const silent = calls.map((call, k) => (k === 3 ? { ...call, cacheWrite: 0 } : call));
  expect(cacheLifetimeMs(silent, 4) / 60_000, "a call that wrote nothing says nothing").toBe(60);
  const other = calls.map((call, k) => (k < 3 ? { ...call, model: "claude-haiku-4-5" } : call));
  expect(cacheLifetimeMs(other, 3) / 60_000, "another model's cache is another cache").toBe(5);
});

test("a provider that reports no cache writes keeps a cache as long as this session saw", () => {
  const read = { writes: false, at: { 2: { minutes: 40 }, 4: { read: 0, minutes: 12 } } };
  expect(breaks(read)).toMatchObject([{ cause: "unknown" }]);
  expect(breaks({ ...read, at: { ...read.at, 4: { read: 0, minutes: 41 } } })).toMatchObject([
    { cause: "idle", text: "No call for 41 minutes: the cache had expired." },
  ]);
});

test("another model has a cache of its own", () => {
  expect(
    breaks({ at: { 4: { read: 0, model: "claude-haiku-4-5", minutes: 30 }, 5: { model: "claude-haiku-4-5" } } })[0],
  ).toMatchObject({
    cause: "model",
    text: "The model changed from claude-opus-4-5 to claude-haiku-4-5. Each model has its own cache.",
  });
});

test("a clearing just before it is the cause, in the log or out of it", () => {
  const compactions = [{ seq: firstSeqOf(4) - 50, kind: "micro" as const, cleared: new Set([7]) }];
  expect(breaks({ at: { 4: { read: 0 } }, compactions })).toMatchObject([{ cause: "edited" }]);
  const items = [{ tokens: -3000, from: 4, seq: null, kind: "unattributed" as const }];
  expect(breaks({ at: { 4: { read: 0 } }, items })).toMatchObject([{ cause: "edited" }]);
});

test("what came in with it says why: a listing of tools, a prompt, or nothing that is known", () => {
  const broken = (items: LoadSpec["items"]) => breaks({ items, at: { 4: { read: 9000 } } });
  const user = { tokens: 200, from: 4, seq: 7, kind: "user", itemClass: "user" } as const;
  const listing = { tokens: 300, from: 4, seq: 8, kind: "prefix", itemClass: "listing" } as const;
  expect(broken([user])).toMatchObject([
    {
      cause: "turn",
      text: "Only 9,000 of 20,000 tokens were read: the agent rebuilt the conversation at a new prompt.",
    },
  ]);
  expect(broken([user, listing])).toMatchObject([
    { cause: "prefix", text: "Only 9,000 of 20,000 tokens were read: tools, skills or instructions changed." },
  ]);
  expect(broken([{ ...user, from: 3 }])).toMatchObject([{ cause: "unknown" }]);
});

test.each([
  ["the first call of an epoch", { at: { 4: { read: 0, epoch: 2 } } }],
  ["a call without usage", { at: { 4: { read: 0, hasUsage: false } } }],
  ["a prompt under 2,000 tokens", { prefix: 1900, at: { 4: { read: 0 } } }],
  ["a prompt under half of the last one", { items: [{ tokens: 60_000, from: 1, to: 4 }], at: { 4: { read: 0 } } }],
  ["a provider that caches nothing", { at: Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((k) => [k, { read: 0 }])) }],
] satisfies [string, Partial<LoadSpec>][])("%s breaks no cache", (_, spec) => {
  expect(breaks(spec)).toEqual([]);
});

test("clocks that go backwards are no gap, and without a price there are no dollars", () => {
  expect(breaks({ at: { 4: { read: 0, minutes: -90 } }, rates: null })).toMatchObject([
    { cause: "unknown", usd: null },
  ]);
});
