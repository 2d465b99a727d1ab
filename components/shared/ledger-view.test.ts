import fc from "fast-check";
import { expect, test } from "vitest";
import type { CulpritRow, LedgerAnswer, LedgerCallRow, LedgerItemRow } from "#lib/wire/ledger-schema.ts";
import {
  barsOf,
  culpritOrigin,
  leftOvers,
  nextBlowUp,
  openingCall,
  rankCulprits,
  residentsAt,
  waterfallAt,
  withoutTool,
} from "./ledger-view.ts";

const KINDS = ["prefix", "memory", "result", "call", "reasoning", "assistant", "user", "unattributed"] as const;

const item = fc.record({
  seq: fc.option(fc.integer({ min: 1, max: 500 })),
  kind: fc.constantFrom(...KINDS),
  tool: fc.constantFrom(null, "Read"),
  label: fc.constantFrom("Read keel.ts", "Read hull.ts", "System prompt"),
  enteredAt: fc.integer({ min: 1, max: 20 }),
  stay: fc.integer({ min: 1, max: 20 }),
  tokens: fc.integer({ min: -500, max: 30_000 }),
  grade: fc.constantFrom("exact" as const, "tight" as const, "estimated" as const),
  basis: fc.constantFrom("reported" as const, "counted" as const, "estimated" as const),
  origin: fc.constantFrom("reported" as const, "counted" as const, "estimated" as const),
});

const items = fc.array(item, { maxLength: 40 }).map((list) =>
  list.map(({ stay, ...one }): LedgerItemRow => {
    const leftAt = one.enteredAt + stay > 20 ? null : one.enteredAt + stay;
    return {
      ...one,
      leftBy: null,
      leftAt,
      estimated: one.tokens,
      plusMinus: 10,
      callsResident: (leftAt ?? 21) - one.enteredAt,
      lifetimeTokens: one.tokens * ((leftAt ?? 21) - one.enteredAt),
      lifetimeUsd: 0.5,
      textTokens: one.tokens,
    };
  }),
);

const answerOf = (list: readonly LedgerItemRow[]): LedgerAnswer =>
  ({
    items: list,
    calls: Array.from({ length: 20 }, (_, i) => ({ call: i + 1, epoch: 1 }) as LedgerCallRow),
  }) as unknown as LedgerAnswer;

test("the steps of a waterfall sum to what stood in the prompt, and each begins where the last one ended", () => {
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 20 }), (list, call) => {
      const answer = answerOf(list);
      const sum = residentsAt(answer, call).reduce((total, { tokens }) => total + tokens, 0);
      const { bars, prompt, highest } = barsOf(waterfallAt(answer, call));
      expect(prompt).toBe(sum);
      let at = 0;
      for (const { step, from, to } of bars) {
        expect([from, to]).toContain(at);
        at += step.tokens;
        expect([from, to]).toContain(at);
        expect(highest).toBeGreaterThanOrEqual(at);
      }
    }),
  );
});

test("a waterfall names at most ten items, in the order in which they came", () => {
  fc.assert(
    fc.property(items, (list) => {
      const named = waterfallAt(answerOf(list), 10).filter(({ item: one, kind }) => one !== null && kind !== "prefix");
      expect(named.length).toBeLessThanOrEqual(10);
      const entered = named.map(({ call }) => call ?? 0);
      expect(entered).toEqual(entered.toSorted((a, b) => a - b));
    }),
  );
});

test("what is in no file comes to the same tokens, whatever it is grouped by", () => {
  fc.assert(
    fc.property(items, (list) => {
      const hidden = list.filter(({ seq, kind }) => seq === null && (kind === "prefix" || kind === "unattributed"));
      const wanted = hidden.reduce((sum, one) => sum + one.lifetimeTokens, 0);
      const rows = leftOvers(answerOf(list));
      expect(rows.reduce((sum, one) => sum + one.lifetimeTokens, 0)).toBe(wanted);
      const unattributed = rows.find(({ kind }) => kind === "unattributed");
      const perCall = answerOf(list).calls.map(({ call }) =>
        residentsAt(answerOf(list), call)
          .filter(({ seq, kind }) => seq === null && kind === "unattributed")
          .reduce((sum, { tokens }) => sum + tokens, 0),
      );
      expect(unattributed?.calls ?? 0).toBe(perCall.filter((tokens) => tokens !== 0).length);
      expect(Math.abs(unattributed?.tokens ?? 0)).toBe(Math.max(0, ...perCall.map(Math.abs)));
    }),
  );
});

const culprit = (avoidableUsd: number | null, avoidableTokens: number, offPeak: number) =>
  ({ avoidableUsd, avoidableTokens, offPeak, lifetimeTokens: 1, seqs: [], grade: "tight" }) as unknown as CulpritRow;

test("culprits are ranked by dollars where all have a price, else by tokens; by peak on demand", () => {
  const a = culprit(0.5, 10, 100);
  const b = culprit(0.2, 900, 300);
  const c = culprit(null, 400, 200);
  expect(rankCulprits([b, a], "cost")).toEqual([a, b]);
  expect(rankCulprits([a, c, b], "cost")).toEqual([b, c, a]);
  expect(rankCulprits([a, c, b], "peak")).toEqual([b, c, a]);
});

test("a culprit of many parts is known as well as its least known part", () => {
  const part = (seq: number, origin: LedgerItemRow["origin"]) => [seq, { seq, origin } as LedgerItemRow] as const;
  const bySeq = new Map([part(1, "reported"), part(2, "counted"), part(3, "estimated")]);
  const made = (seqs: number[]) => ({ ...culprit(0, 0, 0), seqs });
  expect(culpritOrigin(made([1]), bySeq)).toBe("reported");
  expect(culpritOrigin(made([1, 2]), bySeq)).toBe("counted");
  expect(culpritOrigin(made([1, 2, 3]), bySeq)).toBe("estimated");
  expect(culpritOrigin(made([]), bySeq)).toBe("estimated");
});

test("a label does not say its tool twice", () => {
  expect(withoutTool("Read keel.ts", "Read")).toBe("keel.ts");
  expect(withoutTool("Reader keel.ts", "Read")).toBe("Reader keel.ts");
  expect(withoutTool("write_stdin", "write_stdin")).toBe("");
  expect(withoutTool("keel.ts", null)).toBe("keel.ts");
});

test("the next place in trouble is the nearest that way, and after the last the first", () => {
  const at = [{ call: 50 }, { call: 13 }, { call: 50 }, { call: 127 }];
  expect(nextBlowUp(at, 13, 1)).toBe(50);
  expect(nextBlowUp(at, 50, 1)).toBe(127);
  expect(nextBlowUp(at, 127, 1)).toBe(13);
  expect(nextBlowUp(at, 60, -1)).toBe(50);
  expect(nextBlowUp(at, 13, -1)).toBe(127);
  expect(nextBlowUp([], 13, 1)).toBeNull();
});

test("Load opens on the call that the verdict begins with", () => {
  const clause = (call: number | null) => ({ line: 0, text: "", strong: false, seq: 1, call });
  expect(openingCall({ verdictClauses: [clause(null), clause(36), clause(6)], worst: 28 })).toBe(36);
  expect(openingCall({ verdictClauses: [clause(null)], worst: 28 })).toBe(28);
  expect(openingCall({ verdictClauses: [], worst: null })).toBeNull();
});
