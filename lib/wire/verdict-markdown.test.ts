import { expect, test } from "vitest";
import type { CulpritRow, LedgerAnswer } from "./ledger-schema.ts";
import type { SessionSummary } from "./sessions-schema.ts";
import { verdictMarkdown } from "./verdict-markdown.ts";

const culprit = (label: string): CulpritRow =>
  ({
    label,
    seq: 905,
    fromCall: 10,
    tokens: 24_444,
    grade: "counted",
    callsResident: 41,
    lifetimeTokens: 1_002_204,
    avoidableUsd: 0.98,
    avoidableTokens: 900_000,
    fix: "Read only the lines needed",
  }) as unknown as CulpritRow;

const ledgerOf = (label: string): LedgerAnswer =>
  ({
    sessionId: "s_0123456789abcdef",
    title: "Compare | line\nattribution",
    unattributedShare: 0.019,
    calls: [{ reported: 1000, sum: 1000, unattributed: 19 }],
    verdictClauses: [
      { line: 0, text: "Full at call 50", strong: true, seq: null, call: 50 },
      { line: 0, text: ": the largest, ", strong: false, seq: null, call: null },
      { line: 0, text: label, strong: true, seq: 905, call: 10 },
      { line: 0, text: ".", strong: false, seq: null, call: null },
      { line: 1, text: "First: read less.", strong: false, seq: null, call: null },
    ],
    culprits: [culprit(label)],
    items: [
      { ...culprit("System"), seq: null, enteredAt: 1 },
      { ...culprit("Read a.go"), enteredAt: 2, lifetimeTokens: 10 },
      { ...culprit("Read b.go"), enteredAt: 3, lifetimeTokens: 20, grade: "estimated" },
    ],
  }) as unknown as LedgerAnswer;

const SESSION = {
  agent: "Claude Code",
  agentVersion: "2.1.7",
  model: "claude-opus-4-5",
  startedAt: "2026-01-23T14:21:07.000Z",
  endedAt: "2026-01-23T17:51:40.000Z",
  turns: 42,
  modelCalls: { own: 225, inherited: 0 },
  compactions: 3,
  peak: { tokens: 155_023, origin: "reported", call: 127, window: 200_000, loadLine: 156_699, loadLineOrigin: "x" },
  cost: {
    usd: 23.95,
    calls: 225,
    atLeast: [],
    origin: "list",
    unpriced: 0,
    placeholders: 0,
    notes: [],
    inherited: null,
  },
} as unknown as SessionSummary;

test("Markdown has the title, the sentence, absolute facts and the culprits as a table, and no link", () => {
  expect(verdictMarkdown(ledgerOf("Read manual_commit_test.go"), SESSION)).toBe(
    [
      "## Compare \\| line attribution",
      "",
      "**Full at call 50**: the largest, **Read manual\\_commit\\_test.go** (event 905).",
      "",
      "First: read less.",
      "",
      "- Session: `s_0123456789abcdef`",
      "- Agent: Claude Code, 2.1.7, claude-opus-4-5",
      "- Time: 2026-01-23 14:21 UTC to 2026-01-23 17:51 UTC",
      "- Model calls: 225 in 42 turns, 3 compactions",
      "- Peak: 155,023 of 156,699 (99 %) tokens at call 127, reported",
      "- Cost: $23.95 (list price)",
      "- Unattributed: 1.9 % of prompt tokens",
      "",
      "| # | Item | Event | First call | Tokens | Sent | Lifetime tokens | Avoidable | What to do |",
      "| --: | --- | --: | --: | --: | --: | --: | --: | --- |",
      "| 1 | Read manual\\_commit\\_test.go | 905 | 10 | 24,444 | 41× | 1,002,204 | ~$0.98 | Read only the lines needed |",
      "",
    ].join("\n"),
  );
});

test("words of a session stay words: no link, picture, tag, line or cell comes out of a label", () => {
  const label = "Bash ![x](http://a.example/p) <img src=x> [b](c) `d` | e\nf\u202E";
  const markdown = verdictMarkdown(ledgerOf(label), undefined);
  const row = markdown.split("\n").find((line) => line.startsWith("| 1 |"));
  expect(row).toContain("Bash \\!\\[x\\](http://a.example/p) \\<img src=x\\> \\[b\\](c) \\`d\\` \\| e f\uFFFD");
  expect(row?.match(/(?<!\\)\|/g)).toHaveLength(10);
  expect(markdown).not.toContain("](/");
});

test("where nothing could have been avoided the heaviest items are the table", () => {
  const markdown = verdictMarkdown({ ...ledgerOf("x"), culprits: [] }, undefined);
  expect(markdown).toContain(
    [
      "| # | Item | Event | First call | Tokens | Sent | Lifetime tokens |",
      "| --: | --- | --: | --: | --: | --: | --: |",
      "| 1 | Read b.go | 905 | 3 | ~24,444 | 41× | ~20 |",
      "| 2 | Read a.go | 905 | 2 | 24,444 | 41× | 10 |",
    ].join("\n"),
  );
});

test("a log that holds more than the reported prompts is said so, rather than over 100 % unattributed", () => {
  const calls = [{ reported: 100, sum: 100, unattributed: -158 }] as unknown as LedgerAnswer["calls"];
  expect(verdictMarkdown({ ...ledgerOf("Read a.go"), unattributedShare: 1.58, calls }, SESSION)).toContain(
    "- Unattributed: none: the log holds 158.0 % more than the reported prompts",
  );
});
