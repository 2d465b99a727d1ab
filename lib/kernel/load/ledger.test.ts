import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CLIP, CONSTANTS, familyOf } from "./constants.ts";
import { costsOf } from "./cost.ts";
import { buildLedger, type LedgerInput } from "./ledger.ts";
import type { CompactionPosition } from "./residency.ts";
import { answered, event } from "./testing-load.ts";
import type { Ledger, LedgerItem } from "./ledger-types.ts";
import type { WeighingCategory } from "./weigh.ts";
import { completeRates } from "./rates.ts";

const ledgerOf = (input: Partial<LedgerInput>): Ledger =>
  buildLedger({ calls: [], events: [], compactions: [], format: "claude-code", ...input });
const itemOf = (ledger: Ledger, seq: number): LedgerItem => ledger.items.find((item) => item.seq === seq)!;
const hidden = (ledger: Ledger, kind: LedgerItem["kind"]): LedgerItem[] =>
  ledger.items.filter((item) => item.seq === null && item.kind === kind);

test("the last answer, which no call was sent yet, weighs what the provider said that it took", () => {
  const said = event(3, "assistant", 90, { call: 1 });
  const { unsent } = ledgerOf({
    calls: [answered(1, 2, 5000, 0, { output: 120, outputLowerBound: false })],
    events: [said],
  });
  expect(unsent).toMatchObject([{ seq: 3, tokens: 120, basis: "reported" }]);
});

test("where the file holds system prompt and tools nothing is hidden: what is charged beyond the text stays unattributed", () => {
  const events = [
    event(1, "prefix", 3000, { isFrame: true }),
    event(2, "user", 100),
    event(4, "user", 50),
    event(6, "prefix", 200, { isFrame: true }),
  ];
  const ledger = ledgerOf({ calls: [answered(1, 3, 9000), answered(2, 5, 9060), answered(3, 7, 9300)], events });
  expect(hidden(ledger, "prefix")).toEqual([]);
  const came = itemOf(ledger, 1).tokens + itemOf(ledger, 2).tokens;
  expect(came).toBeLessThanOrEqual(Math.ceil((3000 * 1.1 + 110) * (1 + CLIP)));
  expect(hidden(ledger, "unattributed")[0]).toMatchObject({
    from: 0,
    tokens: 9000 - came,
    label: "Charged beyond the text that was sent",
  });
  expect(ledger.calls.map(({ sum }) => sum)).toEqual([9000, 9060, 9300]);
  // Within reach of the estimates the text takes it all.
  const whole = ledgerOf({ calls: [answered(1, 3, 3600)], events });
  expect(hidden(whole, "unattributed")).toEqual([]);
  expect(whole.calls[0]).toMatchObject({ prefix: 0, visible: 3600, unattributed: 0 });
});

test("where they come into the file behind copied records they take what was hidden until then", () => {
  const ledger = ledgerOf({
    calls: [answered(1, 2, 4100), answered(2, 5, 4250)],
    events: [event(1, "user", 100), event(3, "prefix", 3500, { isFrame: true }), event(4, "user", 100)],
  });
  expect(hidden(ledger, "prefix")).toMatchObject([{ from: 0, to: 1, tokens: 3990 }]);
  expect(hidden(ledger, "unattributed")).toEqual([]);
  expect(ledger.calls[1]).toMatchObject({
    sum: 4250,
    prefix: 0,
    visible: 4250,
    unattributed: 0,
    epoch: 1,
    growthReported: null,
  });
});

describe("any log", () => {
  const category = fc.constantFrom<WeighingCategory>(
    "prefix",
    "memory",
    "result",
    "call",
    "reasoning",
    "assistant",
    "user",
  );
  /** A log is a row of steps; seqs count up over it. Numbers of the provider are as wild as a provider likes. */
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        does: fc.constant("event" as const),
        category,
        tokens: fc.nat(30_000),
        own: fc.boolean(),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        does: fc.constant("call" as const),
        prompt: fc.option(fc.oneof(fc.nat(400_000), fc.constant(0)), { nil: null }),
        read: fc.nat(100),
        output: fc.nat(4000),
        isSound: fc.boolean(),
        model: fc.constantFrom("claude-opus-4-6", "claude-opus-5", "gpt-5.5", null),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ does: fc.constantFrom("full" as const, "micro" as const), seqs: fc.array(fc.nat(60)) }),
    },
  );
  const log = fc.array(step, { maxLength: 80 }).map((steps) => {
    const input = {
      calls: [] as ReturnType<typeof answered>[],
      events: [] as ReturnType<typeof event>[],
      compactions: [] as CompactionPosition[],
    };
    for (const [i, one] of steps.entries()) {
      const seq = i + 1;
      const last = input.calls.length;
      if (one.does === "event")
        input.events.push(event(seq, one.category, one.tokens, { call: one.own && last > 0 ? last : null }));
      else if (one.does === "call")
        input.calls.push(
          answered(last + 1, seq, one.prompt, Math.floor(((one.prompt ?? 0) * one.read) / 100), {
            output: one.output,
            outputLowerBound: !one.isSound,
            model: one.model,
            ts: 1e12 - last,
          }),
        );
      else input.compactions.push({ seq, kind: one.does, seqs: new Set(one.seqs) });
    }
    return input;
  });

  test("sums to what the provider reported, on every call that it reported", () => {
    fc.assert(
      fc.property(log, fc.constantFrom("claude-code", "codex", "other"), (input, format) => {
        for (const call of buildLedger({ ...input, format }).calls) {
          expect(call.sum).toBe(call.prefix + call.visible + call.unattributed);
          if (call.reported !== null) expect(call.sum).toBe(call.reported);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("is sums of its items: whole tokens, resident from one call to another", () => {
    fc.assert(
      fc.property(log, (input) => {
        const { calls, items } = ledgerOf(input);
        for (const item of items) {
          expect(Number.isInteger(item.tokens)).toBe(true);
          expect(item.from).toBeLessThan(item.to);
          expect(item.to).toBeLessThanOrEqual(calls.length);
          if (item.kind !== "unattributed") expect(item.tokens).toBeGreaterThanOrEqual(0);
        }
        for (const [k, call] of calls.entries()) {
          if (call.reported === 0) continue;
          const resident = items.filter(({ from, to }) => from <= k && k < to);
          expect(resident.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(call.sum);
        }
      }),
    );
  });

  test("moves no event further than the clip from what its constants say, but where the prompt has no room for it", () => {
    fc.assert(
      fc.property(log, (input) => {
        const { calls, items } = ledgerOf(input);
        for (const item of items.filter(({ seq }) => seq !== null)) {
          expect(item.tokens).toBeLessThanOrEqual(Math.ceil(item.estimated * (1 + CLIP)) + 1);
          if (item.tokens >= Math.floor(item.estimated * (1 - CLIP)) - 1) continue;
          const counted = calls.findIndex(({ reported }, k) => k >= item.from && (reported ?? 0) > 0);
          const came = items.filter(({ kind, from, to }) => kind !== "unattributed" && from <= counted && to > counted);
          // What came with it fills all of it.
          expect(came.reduce((sum, { tokens }) => sum + tokens, 0)).toBeGreaterThanOrEqual(calls[counted]!.reported!);
        }
      }),
    );
  });

  test("lets no event be larger than the prompt that it came with", () => {
    fc.assert(
      fc.property(log, (input) => {
        const { calls, items } = ledgerOf(input);
        for (const item of items.filter(({ seq, basis }) => seq !== null && basis !== "reported")) {
          const counted = calls.findIndex(({ reported }, k) => k >= item.from && (reported ?? 0) > 0);
          const isThere = counted >= 0 && counted < item.to && calls[counted]!.epoch === calls[item.from]!.epoch;
          if (isThere) expect(item.tokens).toBeLessThanOrEqual(calls[counted]!.reported!);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("costs its items what its calls cost, where every call has a price", () => {
    const ratesOf = () => completeRates({ uncached: 5e-6, read: 5e-7, write: 6.25e-6, output: 25e-6 });
    fc.assert(
      fc.property(log, (input) => {
        const ledger = ledgerOf(input);
        // Negative leftovers and calls without numbers have no position in the cached part: those logs are passed over.
        fc.pre(ledger.calls.every(({ reported }) => reported !== null && reported > 0));
        fc.pre(ledger.items.every(({ tokens }) => tokens >= 0));
        const { items, calls } = costsOf(ledger, ratesOf);
        const sum = (values: readonly (number | null)[]): number => values.reduce<number>((all, one) => all + one!, 0);
        expect(sum(items.map(({ lifetimeUsd }) => lifetimeUsd))).toBeCloseTo(sum(calls), 9);
      }),
    );
  });
});

test("an item that came alone weighs exactly what the prompt grew by", () => {
  const ledger = ledgerOf({
    calls: [answered(1, 2, 20_000), answered(2, 4, 25_500)],
    events: [event(3, "result", 5000)],
  });
  expect(itemOf(ledger, 3)).toMatchObject({ tokens: 5500, grade: "exact", plusMinus: 0, estimated: 5531 });
});

test("items that came together keep their proportion, and are tight when the growth confirms them", () => {
  const ledger = ledgerOf({
    calls: [answered(1, 2, 20_000), answered(2, 5, 26_000)],
    events: [event(3, "result", 4000), event(4, "result", 1500)],
  });
  expect(itemOf(ledger, 3).tokens + itemOf(ledger, 4).tokens).toBe(6000);
  expect([itemOf(ledger, 3).grade, itemOf(ledger, 4).grade]).toEqual(["tight", "tight"]);
  expect(itemOf(ledger, 3).plusMinus).toBeGreaterThan(0);
});

test("growth beyond the clip is an item of its own, and says that it is not in the file", () => {
  const ledger = ledgerOf({
    calls: [answered(1, 2, 20_000), answered(2, 4, 40_000)],
    events: [event(3, "result", 1000)],
  });
  const [rest] = hidden(ledger, "unattributed");
  expect(itemOf(ledger, 3)).toMatchObject({ tokens: Math.round(1127 * 1.35), grade: "estimated" });
  expect(rest).toMatchObject({ tokens: 20_000 - itemOf(ledger, 3).tokens, label: "Came in, not in the file", from: 1 });
});

test("an output that is larger in the file than the whole prompt that it came with was not sent in full", () => {
  const ledger = ledgerOf({
    calls: [answered(1, 2, 9000), answered(2, 4, 9400), answered(3, 6, 9600)],
    events: [event(1, "user", 10), event(3, "result", 193_000), event(5, "result", 20)],
  });
  expect(itemOf(ledger, 3).tokens).toBe(9400);
  expect(ledger.calls.map(({ sum }) => sum)).toEqual([9000, 9400, 9600]);
});

test("a call's prompt holds what came before the first line of its answer, not between its lines", () => {
  // Parallel calls: the first result is written between the two blocks of one answer.
  const ledger = ledgerOf({
    calls: [answered(1, 2, 20_000), answered(2, 6, 24_000)],
    events: [
      event(1, "user", 50),
      event(2, "call", 30, { call: 1 }),
      event(3, "result", 2000),
      event(4, "call", 30, { call: 1 }),
      event(5, "result", 1500),
    ],
  });
  for (const seq of [2, 3, 4, 5]) expect(itemOf(ledger, seq).from).toBe(1);
  expect(itemOf(ledger, 1).from).toBe(0);
});

test("an output count of the start of the stream is never a size", () => {
  const said = (more: object) =>
    ledgerOf({
      calls: [answered(1, 2, 20_000, 0, { output: 2, ...more }), answered(2, 4, 21_000)],
      events: [event(2, "assistant", 900, { call: 1 })],
    });
  expect(itemOf(said({ outputLowerBound: true }), 2).basis).toBe("counted");
  // Not marked, but two tokens are not an answer of 900.
  expect(itemOf(said({ outputLowerBound: false }), 2).basis).toBe("counted");
  expect(itemOf(said({ outputLowerBound: false, output: 1000 }), 2)).toMatchObject({
    basis: "reported",
    tokens: 1000,
    grade: "exact",
  });
});

test("reasoning weighs by its signature, and by its words where the signature was cut out of the file", () => {
  const weigh = (signatureChars: number): number =>
    itemOf(
      ledgerOf({
        calls: [answered(1, 1, 20_000), answered(2, 4, null)],
        events: [event(2, "reasoning", 0, { bytes: 1000, signatureChars, call: 1 })],
      }),
      2,
    ).estimated;
  expect(weigh(3000)).toBe(Math.round(3000 * CONSTANTS["claude-4"].perSignatureChar));
  expect(weigh(20)).toBe(Math.round(1000 * CONSTANTS["claude-4"].perReasoningByte));
});

test("reasoning of earlier turns leaves a Codex context when a turn starts, and its size is what was reported", () => {
  const model = "gpt-5.5";
  const sound = { outputLowerBound: false, model };
  const ledger = buildLedger({
    format: "codex",
    compactions: [],
    calls: [
      answered(1, 2, 10_000, 0, { ...sound, output: 1500, reasoning: 1200 }),
      answered(2, 5, 11_800, 0, { ...sound, output: 50 }),
      answered(3, 8, 10_700, 0, { ...sound, output: 50 }),
    ],
    events: [
      event(1, "user", 100),
      event(2, "reasoning", 0, { call: 1 }),
      event(3, "call", 290, { call: 1 }),
      event(4, "result", 290),
      event(5, "assistant", 50, { call: 2 }),
      event(6, "user", 40),
    ],
  });
  expect(itemOf(ledger, 2)).toMatchObject({ tokens: 1200, from: 1, to: 2 });
  expect(ledger.calls[2]!.growthEstimated).toBe(50 + 45 - 1200);
  expect(hidden(ledger, "unattributed").reduce((sum, { tokens }) => sum + Math.abs(tokens), 0)).toBeLessThan(60);
});

test("reasoning that the file does not hold is an item of the answer that had it", () => {
  const ledger = buildLedger({
    format: "codex",
    compactions: [],
    calls: [
      answered(1, 2, 10_000, 0, { model: "gpt-5.5", outputLowerBound: false, output: 900, reasoning: 700 }),
      answered(2, 4, 10_900, 0, { model: "gpt-5.5" }),
    ],
    events: [event(2, "assistant", 200, { call: 1 })],
  });
  expect(ledger.items.find(({ label }) => label === "Reasoning, not in the file")).toMatchObject({
    tokens: 700,
    from: 1,
  });
});

test("an output that the agent cut counts as the preview that the model saw", () => {
  // The archive gives the preview's tokens: 500 of an output of 50,000.
  const ledger = ledgerOf({
    calls: [answered(1, 2, 20_000), answered(2, 4, 20_580)],
    events: [event(3, "result", 500)],
  });
  expect(itemOf(ledger, 3).tokens).toBe(580);
});

test("an image of unknown size weighs what the table says", () => {
  const ledger = ledgerOf({ calls: [answered(1, 3, null)], events: [event(1, "user", 0, { imageTokens: 1550 })] });
  expect(itemOf(ledger, 1).tokens).toBe(1560);
});

test("a file that begins mid-history has a large hidden prefix, and still sums", () => {
  const ledger = ledgerOf({
    calls: [answered(1, 2, 90_000), answered(2, 4, 91_100)],
    events: [event(1, "user", 100), event(3, "result", 1000)],
  });
  expect(ledger.calls[0]!.prefix).toBe(89_890);
  expect(ledger.calls[1]!.sum).toBe(91_100);
});

test("what an agent attaches again after a compaction stands beside the system's prefix", () => {
  const ledger = ledgerOf({
    calls: [answered(1, 2, 40_000), answered(2, 4, 150_000), answered(3, 8, 65_000)],
    events: [event(1, "user", 100), event(3, "result", 100_000), event(6, "memory", 4000)],
    compactions: [{ seq: 5, kind: "full", seqs: new Set() }],
  });
  const parts = hidden(ledger, "prefix").filter(({ from }) => from === 2);
  expect(parts.map(({ tokens }) => tokens)).toEqual([39_890, 65_000 - 39_890 - itemOf(ledger, 6).tokens]);
  expect(ledger.calls[2]).toMatchObject({ epoch: 2, growthReported: null });
});

test("a fall that nothing explains cuts an epoch; what had no room is gone", () => {
  const cleared = ledgerOf({
    calls: [answered(1, 2, 38_000), answered(2, 4, 80_000), answered(3, 6, 40_000)],
    events: [event(1, "user", 100), event(3, "result", 38_000), event(5, "user", 1500)],
  });
  expect(cleared.calls.map(({ epoch }) => epoch)).toEqual([1, 1, 2]);
  expect(itemOf(cleared, 3)).toMatchObject({ from: 1, to: 2 });
  expect(cleared.calls[2]!.prefix).toBeGreaterThan(35_000);
});

test("an edited prompt takes out what came after it, the newest first", () => {
  const ledger = ledgerOf({
    // All that was sent before the edited prompt was read from the cache.
    calls: [answered(1, 2, 30_000), answered(2, 4, 60_000), answered(3, 6, 90_000), answered(4, 8, 60_500, 60_000)],
    events: [event(1, "user", 10), event(3, "result", 27_000), event(5, "result", 27_000), event(7, "user", 300)],
  });
  expect(itemOf(ledger, 3).to).toBe(4);
  expect(itemOf(ledger, 5).to).toBe(3);
});

test("results that the agent cleared leave by name, and the fall is theirs", () => {
  const ledger = ledgerOf({
    calls: [answered(1, 2, 30_000), answered(2, 5, 60_000), answered(3, 8, 33_500)],
    events: [event(3, "result", 24_000), event(4, "result", 3000), event(7, "user", 300)],
    compactions: [{ seq: 6, kind: "micro", seqs: new Set([3]) }],
  });
  expect(itemOf(ledger, 3).to).toBe(2);
  expect(ledger.calls.map(({ epoch }) => epoch)).toEqual([1, 1, 1]);
  expect(Math.abs(ledger.calls[2]!.unattributed)).toBeLessThan(500);
});

test("what a rewind took back leaves, with what came unexplained behind it, and the epoch goes on", () => {
  const ledger = ledgerOf({
    calls: [answered(1, 2, 30_000), answered(2, 5, 60_000), answered(3, 8, 92_000), answered(4, 12, 30_800)],
    events: [
      event(1, "user", 300),
      event(3, "user", 29_500),
      event(6, "result", 24_000),
      event(7, "user", 300),
      event(11, "user", 300),
    ],
    compactions: [{ seq: 10, kind: "rewind", seqs: new Set([3, 4, 5, 6, 7, 8, 9]), after: 2 }],
  });
  expect([1, 3, 6, 7, 11].map((seq) => itemOf(ledger, seq).to)).toEqual([4, 3, 3, 3, 4]);
  expect(hidden(ledger, "unattributed").filter(({ from, to }) => from === 2 && to > 3)).toEqual([]);
  expect(ledger.calls.map(({ epoch }) => epoch)).toEqual([1, 1, 1, 1]);
  expect(ledger.calls.map(({ isRewound }) => isRewound === true)).toEqual([false, false, false, true]);
  expect(Math.abs(ledger.calls[3]!.unattributed)).toBeLessThan(500);
  expect(ledger.calls[3]).toMatchObject({ sum: 30_800, growthReported: null });
});

test("two compactions in a row count as two epochs", () => {
  const ledger = ledgerOf({
    calls: [answered(1, 2, 30_000), answered(2, 6, 25_000)],
    compactions: [3, 4].map((seq) => ({ seq, kind: "full" as const, seqs: new Set<number>() })),
  });
  expect(ledger.calls[1]!.epoch).toBe(3);
});

test("calls without usage are sums of estimates, and the growth over them is given to what came", () => {
  const ledger = ledgerOf({
    calls: [answered(1, 2, 20_000), answered(2, 4, null), answered(3, 6, 26_000)],
    events: [event(3, "result", 3000), event(5, "result", 2300)],
  });
  expect(ledger.calls[1]).toMatchObject({ reported: null, growthReported: null });
  expect(ledger.calls[1]!.sum).toBeGreaterThan(23_000);
  expect(ledger.calls[2]!.sum).toBe(26_000);
  expect(itemOf(ledger, 3).tokens + itemOf(ledger, 5).tokens).toBe(6000);
});

test("a session without any usage is estimated throughout", () => {
  const { calls, items } = ledgerOf({
    calls: [answered(1, 2, null), answered(2, 4, null)],
    events: [event(1, "user", 100), event(3, "result", 400)],
  });
  expect(calls.every(({ reported }) => reported === null)).toBe(true);
  expect(items.every(({ grade }) => grade === "estimated")).toBe(true);
});

test("usage that tells of no prompt in any call, as Copilot CLI writes it, leaves the estimates", () => {
  const { calls } = ledgerOf({
    calls: [answered(1, 2, 0, 0, { output: 40 }), answered(2, 4, 0, 0, { output: 30 })],
    events: [event(1, "user", 100), event(3, "user", 50)],
  });
  expect(calls.map(({ reported, visible, sum }) => [reported, visible, sum])).toEqual([
    [null, 110, 110],
    [null, 170, 170],
  ]);
});

test("a prompt of no tokens holds nothing, and the calls around it are compared with each other", () => {
  const ledger = ledgerOf({
    calls: [answered(1, 2, 20_000), answered(2, 4, 0), answered(3, 6, 21_100)],
    events: [event(3, "result", 1000)],
  });
  expect(ledger.calls[1]).toMatchObject({ reported: 0, sum: 0, prefix: 0, visible: 0, unattributed: 0 });
  expect(itemOf(ledger, 3).tokens).toBe(1100);
  expect(ledger.calls[2]!.epoch).toBe(1);
});

test("a change of model is no growth to compare, and its family weighs what comes after", () => {
  const ledger = ledgerOf({
    calls: [answered(1, 2, 20_000), answered(2, 4, 26_000, 0, { model: "claude-opus-5" })],
    events: [event(3, "result", 4000)],
  });
  expect(ledger.calls[1]).toMatchObject({ family: "claude-5", growthReported: null, sum: 26_000 });
  expect(itemOf(ledger, 3).estimated).toBe(Math.round(4000 * CONSTANTS["claude-5"].classes.result.perToken + 9));
});

test("names tell the generation of a tokenizer", () => {
  const families = [
    "claude-opus-4-5-20251101",
    "claude-sonnet-4-20250514",
    "claude-3-5-haiku-20241022",
    "claude-opus-5",
    "claude-fable-5",
    "gpt-5.3-codex",
    "o3",
    "gemini-3-pro",
  ];
  expect(families.map((model) => familyOf(model, ""))).toEqual([
    "claude-4",
    "claude-4",
    "claude-4",
    "claude-5",
    "claude-5",
    "openai",
    "openai",
    "other",
  ]);
  expect([familyOf(null, "codex"), familyOf(null, "claude-code"), familyOf(null, "pi")]).toEqual([
    "openai",
    "claude-4",
    "other",
  ]);
});
