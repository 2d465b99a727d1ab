import { describe, expect, test } from "vitest";
import { blowUpsOf } from "./blow-ups.ts";
import { culpritsOf } from "./culprits/rank.ts";
import { DETECTORS, type SessionLoadFacts } from "./culprits/culprit-types.ts";
import { frameOf } from "./prompt-frame.ts";
import { planted } from "./testing-planted.ts";
import { firstSeqOf, loadOf, type LoadSpec } from "./testing-ledger.ts";
import { dollars } from "./load-labels.ts";
import { logSurplus } from "./log-surplus.ts";
import { completeRates } from "./rates.ts";
import { verdictOf, verdictText, type Verdict, type WhatIfPeak } from "./verdict.ts";

const judge = (session: SessionLoadFacts, peak: WhatIfPeak | null = null): Verdict =>
  verdictOf(session, blowUpsOf(session), culpritsOf(session), () => peak);
const text = (spec: LoadSpec, peak: WhatIfPeak | null = null): string => judge(loadOf(spec), peak).text;
const line = (spec: LoadSpec, n: number): string =>
  judge(loadOf(spec))
    .clauses.filter((clause) => clause.line === n)
    .map((clause) => clause.text)
    .join("");

const FULL: LoadSpec = {
  calls: 60,
  prefix: 40_000,
  loadLine: 156_699,
  items: [
    { tokens: 24_444, from: 9, to: 50, seq: 905, label: "Read strategy/manual_commit_test.go" },
    ...Array.from({ length: 40 }, (_, i) => ({ tokens: 2260, from: i + 10, to: 50, seq: 2000 + i })),
  ],
  at: { 50: { epoch: 2 } },
  compactions: [{ seq: firstSeqOf(50) - 50 }],
};

test("a full context: what happened and what filled it, the most expensive item, what to do first", () => {
  // Sent: 40,000 × 50 + 24,444 × 41 + 2,260 × (40 + 39 + … + 1) = 4,855,404; the ten largest of it 24,444 × 41 + 2,260 × 324.
  expect(text(FULL)).toBe(
    "Compacted (automatic) at call 50: 154,844 of 156,699. 10 items are 36 % of tokens sent in this epoch. " +
      "Most expensive: Read strategy/manual_commit_test.go, read at call 10 with 24.4k, sent 41×: $0.64. " +
      "First: offload it, then grep (~$0.64 avoidable).",
  );
});

test("what a line says of an item is what every table has of it, and it is named once", () => {
  const session = loadOf(FULL);
  const { clauses } = judge(session);
  expect(clauses.filter(({ text }) => text.includes("manual_commit_test")).length).toBe(1);
  const item = session.ledger.items.findIndex(({ seq }) => seq === 905);
  expect(line(FULL, 1)).toContain(dollars(frameOf(session).costs[item]!.lifetimeUsd!));
  expect(line(FULL, 2)).toContain(dollars(culpritsOf(session)[0]!.avoidableUsd!));
});

test("the peak is the largest reported prompt, as in lists, and an estimate only where nothing is reported", () => {
  const items = [{ tokens: 9000, from: 2, to: 3, seq: 201 }];
  const spec: LoadSpec = { calls: 4, prefix: 1000, loadLine: null, items };
  expect(line(spec, 0)).toMatch(/^Peak: 10,000 tokens at call 3\./);
  // The call with the largest prompt reports none.
  expect(line({ ...spec, at: { 2: { hasUsage: false } } }, 0)).toMatch(/^Peak: 1,000 tokens at call 1\./);
  const silent = { 0: { hasUsage: false }, 1: { hasUsage: false }, 2: { hasUsage: false }, 3: { hasUsage: false } };
  expect(line({ ...spec, at: silent }, 0)).toMatch(/^Peak: ~10,000 tokens at call 3\./);
});

test("where the base is half of everything sent, it is what is named", () => {
  expect(line({ ...FULL, prefix: 90_000, loadLine: 210_000 }, 0)).toBe(
    "Compacted (automatic) at call 50: 204,844 of 210,000. 61 % of tokens sent in this epoch: system prompt, tools, memory files.",
  );
});

test("each clause that names something leads to it", () => {
  const { clauses, worst } = judge(loadOf(FULL));
  expect(worst).toMatchObject({ kind: "compaction", call: 50 });
  expect(clauses.find(({ text }) => text === "Compacted (automatic) at call 50")).toEqual({
    line: 0,
    text: "Compacted (automatic) at call 50",
    strong: true,
    seq: firstSeqOf(50) - 50,
    call: 50,
  });
  expect(clauses.find(({ text }) => text.startsWith("Read strategy"))).toMatchObject({ seq: 905, call: 10 });
});

test("instructions are named by their file", () => {
  const items = [
    {
      tokens: 9000,
      from: 0,
      seq: 3,
      kind: "user",
      itemClass: "user",
      label: "# AGENTS.md instructions for /repo",
    } as const,
  ];
  expect(line({ calls: 9, items }, 1)).toMatch(/^Most expensive: AGENTS\.md, added at call 1 with 9\.0k, sent 9×: /);
});

test("an estimate begins with a tilde", () => {
  const items = FULL.items!.map((item) => ({ ...item, grade: "estimated" as const }));
  expect(text({ ...FULL, items })).toContain("read at call 10 with ~24.4k, ");
  // 24,444 × 41.
  expect(text({ ...FULL, items, rates: null })).toContain("sent 41×: ~1.00M tokens in all.");
});

describe("other ends", () => {
  const calm: LoadSpec = { calls: 20, prefix: 60_000, items: [{ tokens: 6000, from: 3, seq: 7 }] };

  test("a healthy session gets a calm sentence", () => {
    expect(text({ calls: 20, prefix: 60_000, items: [{ tokens: 3000, from: 3, seq: 7 }] })).toBe(
      "Never above 39 % of the line. 96 % of tokens sent: system prompt, tools, memory files. " +
        "Most expensive: item 7, read at call 4 with 3.0k, sent 17×: $0.04. Nothing stands out.",
    );
    expect(line({ calls: 20, prefix: 60_000, loadLine: null }, 0)).toMatch(/^Peak: 60,000 tokens at call 1\. /);
  });

  test("under half a percent of the line is said as below one", () => {
    expect(line({ calls: 2, prefix: 700 }, 0)).toMatch(/^Always below 1 % of the line\. /);
    expect(line({ calls: 2, prefix: 900 }, 0)).toMatch(/^Never above 1 % of the line\. /);
  });

  test("a log that holds more than the reported prompts says so: no share is over 100 %, no item costs more than all", () => {
    const taken = { tokens: -600, from: 1, seq: null, kind: "unattributed", label: "Taken out" } as const;
    const spec: LoadSpec = { calls: 3, prefix: 0, items: [{ tokens: 700, from: 0, seq: 7 }, taken] };
    // 3 × 700 in the log, 700 + 100 + 100 reported.
    expect(text(spec)).toContain("The log holds 133 % more than the reported prompts.");
    expect(text({ ...spec, rates: completeRates({ uncached: 5e-6, read: 5e-6, write: 5e-6, output: 0 }) })).toMatch(
      /sent 3×: (?:~)?2\.1k tokens in all\./,
    );
    const prefix = { calls: 3, prefix: 700, items: [taken] };
    expect(text(prefix)).toContain("The log holds 133 % more than the reported prompts.");
    expect(logSurplus(loadOf(spec).ledger.calls)).toBeCloseTo(1200 / 900, 10);
    expect(logSurplus(loadOf(calm).ledger.calls)).toBeNull();
  });

  test("what it says to do first is told with what that saves", () => {
    expect(line({ ...calm, prefix: 9000 }, 2)).toBe("First: offload it, then grep (~$0.08 avoidable).");
    const at = { 10: { read: 0, minutes: 30 } };
    expect(line({ calls: 20, prefix: 60_000, at }, 1)).toMatch(
      /^First: Cache expired while idle: reply within 5 minutes or use the 1-hour cache \(~\$0\.3\d avoidable\)\.$/,
    );
  });

  test("near the line, refused, compacted by hand, compacted often", () => {
    expect(text({ calls: 4, prefix: 130_000, items: [{ tokens: 10_000, from: 1, seq: 7 }] })).toMatch(
      /^Near the limit: 88 % of the line at call 2: 140,000 of 160,000\./,
    );
    expect(text({ ...calm, overflows: [firstSeqOf(9) + 5] })).toMatch(
      /^Refused as too long after call 10: 66,000 of 160,000\./,
    );
    expect(text({ ...calm, overflows: [firstSeqOf(9) + 5, firstSeqOf(9) + 6] })).toMatch(
      /^Refused as too long 2×, first after call 10: /,
    );
    const cut = { ...calm, at: { 10: { epoch: 2 } }, compactions: [{ seq: firstSeqOf(10) - 50, trigger: "manual" }] };
    expect(text(cut)).toMatch(/^Never above 41 % of the line\./);
    expect(judge(loadOf(cut))).toMatchObject({ state: "fine", automatic: 0, worst: null });
    const twice = [10, 15].map((k) => ({ seq: firstSeqOf(k) - 50 }));
    expect(text({ ...calm, at: { 10: { epoch: 2 }, 15: { epoch: 3 } }, compactions: twice })).toMatch(
      /^Compacted 2× \(automatic\), fullest at call 10: 66,000 of 160,000\./,
    );
  });

  test("a compaction before its first call is told as the list counts it", () => {
    const cut = { ...calm, compactions: [{ seq: 1 }] };
    expect(text(cut)).toMatch(/^Compacted \(automatic\), own calls at most 41 % of the line\. /);
    expect(judge(loadOf(cut))).toMatchObject({ state: "compacted", automatic: 1 });
  });

  test("a compaction is told at its own call, also where another prompt was fuller", () => {
    const items = [
      { tokens: 90_000, from: 3, to: 6, seq: 7 },
      { tokens: 2000, from: 10, seq: 8 },
    ];
    const spec = { ...calm, items, at: { 12: { epoch: 2 } }, compactions: [{ seq: firstSeqOf(12) - 50 }] };
    expect(text(spec)).toMatch(/^Compacted \(automatic\) at call 12: 62,000 of 160,000\. /);
  });

  test("of several compactions the fullest call is the fullest of the session, also where no compaction followed", () => {
    const items = [{ tokens: 90_000, from: 3, to: 6, seq: 7 }];
    const cuts = [12, 15].map((k) => ({ seq: firstSeqOf(k) - 50 }));
    const spec = { ...calm, items, at: { 12: { epoch: 2 }, 15: { epoch: 3 } }, compactions: cuts };
    // Sent in the first epoch: 60,000 × 12 + 90,000 × 3 = 990,000.
    expect(line(spec, 0)).toBe(
      "Compacted 2× (automatic), fullest at call 4: 150,000 of 160,000. " +
        "73 % of tokens sent in this epoch: system prompt, tools, memory files.",
    );
    const [first] = judge(loadOf(spec)).clauses;
    expect(first).toMatchObject({ seq: null, call: 4 });
  });

  test("where the log does not hold what was sent, that is what is said", () => {
    const items = [
      { tokens: 34_000, from: 1, seq: null, kind: "unattributed", itemClass: null, toolName: null },
      { tokens: 1460, from: 0, seq: 7 },
    ] as const;
    // Sent: 600 × 4 + 1,460 × 4 + 34,000 × 3 = 110,240, of which 102,000 are unattributed.
    expect(text({ calls: 4, prefix: 600, items, loadLine: null, rates: null })).toBe(
      "Peak: 36,060 tokens at call 2. 93 % of tokens sent: not explained by the log. " +
        "Most expensive: item 7, read at call 1 with 1.5k, sent 4×: 5.8k tokens in all.",
    );
  });

  test("an item of calls without a price costs no more than one with a price, and one without a name has that of its kind", () => {
    const session = loadOf({
      calls: 6,
      prefix: 600,
      loadLine: null,
      items: [
        { tokens: 500, from: 0, to: 3, seq: 7, label: "", kind: "reasoning", itemClass: null, toolName: null },
        { tokens: 20_000, from: 3, seq: 8, label: "Read tide-tables.csv" },
      ],
    });
    const isUnpriced = ({ call }: { call: number }): boolean => call <= 3;
    const partly = judge({
      ...session,
      ratesOf: (call, prompt) => (isUnpriced(call) ? null : session.ratesOf(call, prompt)),
    });
    expect(partly.text).toContain("Most expensive: Read tide-tables.csv, read at call 4 with 20.0k, sent 3×: $");
    // Without any price the tokens tell: 500 × 3 against none.
    const items = [
      { tokens: 500, from: 0, seq: 7, label: "", kind: "reasoning", itemClass: null, toolName: null },
    ] as const;
    expect(text({ calls: 3, prefix: 600, items, loadLine: null, rates: null })).toContain(
      "Most expensive: Reasoning, added at call 1 with 500, sent 3×: 1.5k tokens in all.",
    );
  });

  test("where nobody is to blame for a full context, what offloading would have done", () => {
    const full = { calls: 4, prefix: 150_000, rates: null };
    expect(text(full, { offload: 2000, peak: 113_600 })).toMatch(
      / First: offload results over 2k tokens: peak ~113\.6k\.$/,
    );
    expect(text(full, { offload: 2000, peak: 149_999 })).not.toContain("First");
  });

  test("without usage all is estimated, and says so", () => {
    const at = Object.fromEntries(Array.from({ length: 20 }, (_, k) => [k, { hasUsage: false }]));
    expect(text({ ...calm, items: [], at })).toMatch(
      /^Never above ~38 % of the line\. .* All figures are estimated: the file reports no prompt tokens\. Nothing stands out\.$/,
    );
  });

  test("a session without a call", () => expect(text({ calls: 0 })).toBe("No model call yet."));

  test("a refused prompt needs room: what takes tokens off its peak comes before what only costs", () => {
    const at = { 30: { read: 0, minutes: 30 }, 40: { read: 0, minutes: 30 } };
    const spec = { ...FULL, compactions: [], at };
    expect(line(spec, 2)).toMatch(/^First: Cache expired while idle \(2×\): /);
    expect(line({ ...spec, overflows: [firstSeqOf(49) + 5] }, 2)).toMatch(/^First: offload it, then grep /);
  });
});

test("text and clauses say the same for any session, and links lead to events that are there", () => {
  for (const detector of [...DETECTORS, null])
    for (let seed = 0; seed < 4; seed++) {
      const { session } = planted(detector, seed);
      const { clauses, text } = judge(session, { offload: 2000, peak: 1000 });
      expect(text).toBe(verdictText(clauses));
      expect(new Set(clauses.map((clause) => clause.line)).size).toBeLessThanOrEqual(3);
      expect(text).not.toMatch(/NaN|undefined|null|Infinity/);
      const seqs = new Set([
        ...session.ledger.items.map(({ seq }) => seq),
        ...session.ledger.calls.map(({ firstSeq }) => firstSeq),
        ...session.compactions.map(({ seq }) => seq),
      ]);
      for (const { seq } of clauses) if (seq !== null) expect(seqs.has(seq)).toBe(true);
    }
});
