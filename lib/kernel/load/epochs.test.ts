import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildLedger, type LedgerInput } from "./ledger.ts";
import { answered, event } from "./testing-load.ts";
import type { Ledger } from "./ledger-types.ts";

const ledgerOf = (input: Partial<LedgerInput>): Ledger =>
  buildLedger({ calls: [], events: [], compactions: [], format: "claude-code", ...input });
const stayOf = (ledger: Ledger, seq: number) => {
  const { from, to } = ledger.items.find((item) => item.seq === seq)!;
  return { from, to };
};
const prompts = (...list: [prompt: number, read: number][]) =>
  list.map(([prompt, read], k) => answered(k + 1, 4 * k + 2, prompt, read));

describe("a fall under a fifth of the prompt, which nothing in the log explains", () => {
  // Three results of about 11,000, then a person's prompt at which 22,000 tokens are gone.
  const events = [
    event(1, "user", 100),
    event(3, "result", 10_000),
    event(7, "result", 10_000),
    event(11, "result", 10_000),
    event(15, "user", 300),
  ];
  const withLast = (prompt: number, read: number, more: Partial<LedgerInput> = {}) =>
    ledgerOf({
      calls: prompts([90_000, 0], [101_000, 90_000], [112_000, 101_000], [123_000, 112_000], [prompt, read]),
      events,
      ...more,
    });

  test("took the oldest results where only the prefix was read from the cache", () => {
    const ledger = withLast(101_300, 40_000);
    expect([3, 7, 11].map((seq) => stayOf(ledger, seq).to)).toEqual([4, 4, 5]);
    expect(ledger.calls[4]).toMatchObject({ epoch: 1, growthReported: null });
    expect(Math.abs(ledger.calls[4]!.unattributed)).toBeLessThan(1000);
    expect(ledger.calls[4]!.cleared).toBeGreaterThan(21_000);
  });

  test("took the oldest results where the cache had expired as well", () => {
    expect([3, 7, 11].map((seq) => stayOf(withLast(101_300, 0), seq).to)).toEqual([4, 4, 5]);
  });

  test("took the newest where all that is left was read from the cache", () => {
    expect([3, 7, 11].map((seq) => stayOf(withLast(101_300, 100_900), seq).to)).toEqual([5, 4, 4]);
  });

  test("took nothing where the whole prompt before it was read: it is an error of the estimate", () => {
    const ledger = ledgerOf({
      calls: prompts([90_000, 0], [101_000, 90_000], [112_000, 101_000], [113_000, 111_900]),
      events: [...events.slice(0, 3), event(11, "result", 10_000)],
    });
    expect([3, 7, 11].map((seq) => stayOf(ledger, seq).to)).toEqual([4, 4, 4]);
    expect(ledger.calls[3]).toMatchObject({ cleared: 0, growthReported: 1000 });
  });

  test("took nothing where no cache can say so", () => {
    const bare = (call: number, seq: number, prompt: number) =>
      answered(call, seq, prompt, 0, { uncached: prompt, cacheWrite: 0 });
    const ledger = ledgerOf({
      calls: [
        bare(1, 2, 90_000),
        bare(2, 6, 101_000),
        bare(3, 10, 112_000),
        bare(4, 14, 123_000),
        bare(5, 18, 112_300),
      ],
      events,
    });
    expect([3, 7, 11].map((seq) => stayOf(ledger, seq).to)).toEqual([5, 5, 5]);
  });

  test("took nothing that a later record names as still there", () => {
    const blanked = withLast(112_300, 40_000, { compactions: [{ seq: 30, kind: "micro", seqs: new Set([3]) }] });
    expect([3, 7].map((seq) => stayOf(blanked, seq).to)).toEqual([5, 4]);
    const kept = withLast(112_300, 40_000, { compactions: [{ seq: 30, kind: "full", seqs: new Set([3]) }] });
    expect([3, 7].map((seq) => stayOf(kept, seq).to)).toEqual([5, 4]);
  });

  test("took what came in unexplained, where that is as large", () => {
    const ledger = ledgerOf({
      calls: prompts([90_000, 0], [101_000, 90_000], [127_000, 101_000], [138_000, 127_000], [126_300, 40_000]),
      events: [...events.slice(0, 2), event(7, "user", 100), ...events.slice(3)],
    });
    const came = ledger.items.find(({ kind, tokens }) => kind === "unattributed" && tokens > 20_000)!;
    // 25,900 came and stayed: 12,000 left, so it was not that.
    expect(came.to).toBe(5);
    const again = ledgerOf({
      calls: prompts([90_000, 0], [101_000, 90_000], [127_000, 101_000], [138_000, 127_000], [112_500, 40_000]),
      events: [...events.slice(0, 2), event(7, "user", 100), ...events.slice(3)],
    });
    const left = again.items.find(({ kind, tokens }) => kind === "unattributed" && tokens > 20_000)!;
    expect(left).toMatchObject({ from: 2, to: 4 });
    expect([3, 11].map((seq) => stayOf(again, seq).to)).toEqual([5, 5]);
  });
});

test("a large fall is no other context where the cache held the whole prompt", () => {
  // Counted as 30,000, in truth 1,000: an image that was made smaller, an output that was cut.
  const ledger = ledgerOf({
    calls: prompts([40_000, 0], [41_000, 40_000]),
    events: [event(1, "user", 100), event(3, "result", 30_000)],
  });
  expect(ledger.calls[1]).toMatchObject({ epoch: 1, growthReported: 1000, cleared: 0 });
});

test("a context that was cut keeps what a later record names", () => {
  const cut = (seqs: readonly number[]) =>
    ledgerOf({
      calls: prompts([30_000, 0], [60_000, 30_000], [90_000, 60_000], [60_500, 20_000]),
      events: [event(1, "user", 10), event(3, "result", 27_000), event(7, "result", 27_000), event(11, "user", 300)],
      compactions: [{ seq: 20, kind: "micro", seqs: new Set(seqs) }],
    });
  expect([3, 7].map((seq) => stayOf(cut([]), seq).to)).toEqual([3, 4]);
  expect([3, 7].map((seq) => stayOf(cut([3]), seq).to)).toEqual([4, 3]);
});

test("for any fall and any cache, what a later record names stays, and the sums are the provider's", () => {
  const call = fc.record({ tokens: fc.nat(20_000), fall: fc.nat(60_000), read: fc.nat(100), isUser: fc.boolean() });
  fc.assert(
    fc.property(fc.array(call, { minLength: 2, maxLength: 12 }), fc.array(fc.nat(12)), (steps, named) => {
      let prompt = 50_000;
      const calls = [answered(1, 2, prompt)];
      const events = [event(1, "user", 10)];
      for (const [i, step] of steps.entries()) {
        events.push(event(2 * i + 3, step.isUser ? "user" : "result", step.tokens));
        prompt = Math.max(1000, prompt + step.tokens - step.fall);
        calls.push(answered(i + 2, 2 * i + 4, prompt, Math.floor((prompt * step.read) / 100)));
      }
      const seqs = new Set(named.map((i) => 2 * i + 3));
      const compactions = [{ seq: 100, kind: "micro" as const, seqs }];
      const ledger = ledgerOf({ calls, events, compactions });
      for (const item of ledger.items) if (item.seq !== null && seqs.has(item.seq)) expect(item.to).toBe(calls.length);
      for (const one of ledger.calls) expect(one.sum).toBe(one.reported);
    }),
    { numRuns: 300 },
  );
});
