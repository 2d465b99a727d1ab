import { describe, expect, test } from "vitest";
import { blowUpsOf } from "./blow-ups.ts";
import { culpritsOf } from "./culprits/rank.ts";
import { DETECTORS, type SessionLoadFacts } from "./culprits/types.ts";
import { planted } from "./testing-planted.ts";
import { firstSeqOf, loadOf, type LoadSpec } from "./testing-ledger.ts";
import { verdictMarkdown, verdictOf, type Verdict, type WhatIfPeak } from "./verdict.ts";

const judge = (session: SessionLoadFacts, peak: WhatIfPeak | null = null): Verdict =>
  verdictOf(session, blowUpsOf(session), culpritsOf(session), peak);
const text = (spec: LoadSpec, peak: WhatIfPeak | null = null): string => judge(loadOf(spec), peak).text;

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

test("a full context: how often, where, what filled it, what would have helped", () => {
  expect(text(FULL, { offload: 2000, peak: 113_600 })).toBe(
    "Full at call 50: 154,844 of 156,699. Ten items make 61 % of what this epoch sent again; the largest, " +
      "Read strategy/manual_commit_test.go, came in at call 10 with 24.4k and went out 41 times for $0.64. " +
      "Offload it, then grep. Offloading results over 2k would have peaked at ~113.6k.",
  );
});

test("each clause that names something leads to it", () => {
  const { clauses, worst } = judge(loadOf(FULL));
  expect(worst).toMatchObject({ kind: "compaction", call: 50 });
  expect(clauses.find(({ text }) => text === "Full at call 50")).toEqual({
    text: "Full at call 50",
    strong: true,
    seq: firstSeqOf(50) - 50,
    call: 50,
  });
  expect(clauses.find(({ text }) => text.startsWith("Read strategy"))).toMatchObject({ seq: 905, call: 10 });
});

test("Markdown is the same words with links", () => {
  const session = loadOf(FULL);
  const { clauses } = judge(session);
  const markdown = verdictMarkdown(session, clauses, "s_0123456789abcdef");
  expect(markdown).toContain(
    "[**Full at call 50**](/sessions/s_0123456789abcdef?tab=load&event=5050): **154,844 of 156,699.**",
  );
  expect(markdown).toContain(
    "[**Read strategy/manual\\_commit\\_test.go**](/sessions/s_0123456789abcdef?tab=load&event=905)",
  );
});

test("words of a session stay words: no link, picture or tag comes out of a label", () => {
  const label = "Bash ![x](http://a.example/p) <img src=x> [b](c) `d`";
  const session = loadOf({ ...FULL, items: FULL.items!.map((item) => (item.seq === 905 ? { ...item, label } : item)) });
  const markdown = verdictMarkdown(session, judge(session).clauses, "s_1");
  expect(markdown).toContain("Bash \\!\\[x\\](http://a.example/p) \\<img src=x\\> \\[b\\](c) \\`d\\`");
});

test("an estimate begins with a tilde", () => {
  const items = FULL.items!.map((item) => ({ ...item, grade: "estimated" as const }));
  expect(text({ ...FULL, items })).toContain("came in at call 10 with ~24.4k and");
});

test("where the room would have been filled again, fewer compactions are what is won", () => {
  const more = (compactions: number) => text(FULL, { offload: 2000, peak: 154_000, compactions });
  expect(more(0)).toMatch(/ Offloading results over 2k would have needed no compaction instead of 1\.$/);
  expect(more(1)).not.toContain("Offloading results");
});

describe("other ends", () => {
  const calm: LoadSpec = { calls: 20, prefix: 60_000, items: [{ tokens: 6000, from: 3, seq: 7 }] };

  test("a healthy session gets a calm sentence", () => {
    expect(text({ calls: 20, prefix: 60_000, items: [{ tokens: 3000, from: 3 }] })).toBe(
      "Never above 39 % of the line; nothing stands out.",
    );
    expect(text({ calls: 20, prefix: 60_000, loadLine: null })).toBe("Never above 60,000 tokens; nothing stands out.");
  });

  test("one that stayed low and could have cost less says what", () => {
    expect(text({ ...calm, prefix: 9000 })).toBe(
      "Never above 9 % of the line. Most to save: item 7, ~$0.08. Offload it, then grep.",
    );
  });

  test("a jump alone names what came in", () => {
    expect(
      text({ calls: 4, prefix: 60_000, items: [{ tokens: 24_000, from: 2, seq: 7, label: "Read big.json" }] }),
    ).toMatch(
      /^Grew by 24\.0k at call 3, to 53 % of the line\. Most of it is Read big\.json, 24\.0k\. Offload it, then grep\.$/,
    );
    const unseen = [
      { tokens: 900, from: 2, seq: 7, label: "Read small.json" },
      { tokens: 20_000, from: 2, seq: null, kind: "unattributed" as const },
    ];
    expect(text({ calls: 4, prefix: 60_000, items: unseen })).toBe(
      "Grew by 20.9k at call 3, to 51 % of the line. The largest that came in is Read small.json, 900; 20.0k are not in the file.",
    );
  });

  test("near the line, refused, compacted by hand, compacted early", () => {
    expect(text({ calls: 4, prefix: 130_000, items: [{ tokens: 10_000, from: 1, seq: 7 }] })).toMatch(
      /^Reached 88 % of the line at call 2: 140,000 of 160,000\./,
    );
    expect(text({ ...calm, overflows: [firstSeqOf(9) + 5] })).toMatch(
      /^Refused as too long after call 10: 66,000 of 160,000\./,
    );
    const cut = { ...calm, at: { 10: { epoch: 2 } }, compactions: [{ seq: firstSeqOf(10) - 50, trigger: "manual" }] };
    expect(text(cut)).toMatch(/^Compacted by hand at call 10: 66,000 of 160,000\./);
    expect(text({ ...cut, compactions: [{ seq: firstSeqOf(10) - 50 }] })).toMatch(/^Compacted at call 10: /);
  });

  test("without usage all is estimated, and says so", () => {
    const at = Object.fromEntries(Array.from({ length: 20 }, (_, k) => [k, { hasUsage: false }]));
    expect(text({ ...calm, items: [], at })).toBe(
      "Never above ~38 % of the line; nothing stands out. All of this is estimated: the session's file reports no tokens.",
    );
  });

  test("a session without a call", () => expect(text({ calls: 0 })).toBe("No model was called: nothing was loaded."));

  test("a lost cache is dear, and is not what filled the context", () => {
    const at = { ...FULL.at, 30: { read: 0, minutes: 30 }, 40: { read: 0, minutes: 30 } };
    expect(text({ ...FULL, at })).toMatch(
      /Offload it, then grep\. Dearest: Cache ended while idle, 2 times, ~\$1\.3\d\.$/,
    );
  });
});

test("text and clauses say the same for any session, and links lead to events that are there", () => {
  for (const detector of [...DETECTORS, null])
    for (let seed = 0; seed < 4; seed++) {
      const { session } = planted(detector, seed);
      const { clauses, text } = judge(session, { offload: 2000, peak: 1000 });
      expect(clauses.map((clause) => clause.text).join("")).toBe(text);
      expect(text).not.toMatch(/NaN|undefined|null|Infinity/);
      const seqs = new Set([
        ...session.ledger.items.map(({ seq }) => seq),
        ...session.ledger.calls.map(({ firstSeq }) => firstSeq),
        ...session.compactions.map(({ seq }) => seq),
      ]);
      for (const { seq } of clauses) if (seq !== null) expect(seqs.has(seq)).toBe(true);
    }
});
