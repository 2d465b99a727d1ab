// Effects counted by hand on a session of four calls: 10,000 of prefix, then outputs.
import { expect, test } from "vitest";
import type { Culprit } from "../culprits/culprit-types.ts";
import { inputOf, type Scenario } from "../what-if/testing-what-if.ts";
import { agentPolicies } from "./agent-policies.ts";
import { limitFor } from "./agent-limits.ts";
import type { PoliciesInput } from "./agent-policy-types.ts";
import { nameText, namesText } from "./policy-text.ts";

const result = (tool: string, tokens: number) => ({ kind: "result", tokens, tool }) as const;

function sessionOf(scenario: Scenario, more: Partial<PoliciesInput> = {}): PoliciesInput {
  const input = inputOf(scenario);
  return {
    ...input,
    overflows: [],
    format: "claude-code",
    cwd: null,
    culprits: [],
    // Four characters a token.
    bytes: new Map(input.ledger.items.flatMap(({ seq, tokens }) => (seq === null ? [] : [[seq, tokens * 4]]))),
    isFull: false,
    ...more,
  };
}

const STEPS: Scenario = {
  loadLine: 30_000,
  steps: [
    { comes: [result("Bash", 500)] },
    { comes: [result("Bash", 20_000)] },
    { comes: [result("Bash", 500)] },
    { comes: [result("Read", 1000)] },
  ],
};

test("a limit on Bash leaves what it would have cut, in every call that carried it", () => {
  const [limit] = agentPolicies(sessionOf(STEPS)).filter(({ kind }) => kind === "limit");
  // 2,000 characters a call stay whole; 80,000 become 4,000, which are 1,000 tokens: 19,000 less from call 2 on.
  expect(limit).toMatchObject({
    id: "bash-limit",
    where: ".claude/settings.json",
    text: '{\n  "env": {\n    "BASH_MAX_OUTPUT_LENGTH": "4000"\n  }\n}',
    seqs: [100],
    effect: { calls: 3, fullAt: { actual: 2, predicted: null } },
  });
  expect([limit!.effect!.actual.peak, limit!.effect!.predicted.peak]).toEqual([32_000, 13_000]);
  // 10,500 + 30,500 + 31,000 + 32,000, and three times 19,000 less.
  expect([limit!.effect!.actual.promptTokens, limit!.effect!.predicted.promptTokens]).toEqual([104_000, 47_000]);
});

test("Codex has one limit for all tools, in its own file", () => {
  const found = agentPolicies(sessionOf(STEPS, { format: "codex" })).filter(({ kind }) => kind === "limit");
  expect(found.map(({ where, text }) => [where, text])).toEqual([
    ["~/.codex/config.toml", "tool_output_token_limit = 2000"],
  ]);
  // 20,000 become 2,000.
  expect(found[0]!.effect!.predicted.promptTokens).toBe(104_000 - 3 * 18_000);
});

test("an agent that is not known gets no limit and no hook", () => {
  expect(agentPolicies(sessionOf(STEPS, { format: "captured", isFull: true }))).toEqual([]);
});

test("the hook's limit is the cheapest of those tried, with half read back", () => {
  const hook = agentPolicies(sessionOf(STEPS)).find(({ kind }) => kind === "hook");
  // 250 of an envelope and half of a page of 2,000: 18,750 less, and half a call more. 1,000, 2,000, 4,000 and 8,000 tokens
  // store the same output, and the smallest is taken first.
  expect(hook!.effect!.predicted.peak).toBe(32_000 - 18_750);
  expect(hook!.text).toBe("plimsoll hook install claude\n# Settings, Offload policy, Fixed limit: 4000 bytes");
});

const culprit = (more: Partial<Culprit>): Culprit =>
  ({
    detector: "oversized-output",
    seqs: [100],
    label: "big",
    cure: { do: "trim", seqs: [100], keep: [1000] },
    ...more,
  }) as Culprit;

test("a line for CLAUDE.md is replayed with what its culprits' cures leave", () => {
  const [line] = agentPolicies(sessionOf(STEPS, { culprits: [culprit({})] })).filter(
    ({ kind }) => kind === "instructions",
  );
  expect(line).toMatchObject({ where: "CLAUDE.md", seqs: [100], reason: "1 culprit of this session, 1 event." });
  expect(line!.text).toContain("Large here: `big`.");
  expect(line!.effect!.predicted.promptTokens).toBe(104_000 - 3 * 19_000);
});

test("where a replay cannot tell, no effect is claimed", () => {
  const prompt = agentPolicies(sessionOf(STEPS, { isFull: true })).find(({ kind }) => kind === "compaction");
  expect(prompt).toMatchObject({ where: "typed in the session", effect: null });
  expect(prompt!.text).toMatch(/^\/compact Keep the goal/);
  expect(prompt!.note).toContain("cannot measure");
});

test("re-reads after a compaction are what a better summary would spare", () => {
  const again = culprit({ detector: "compaction-thrash", label: "2 re-reads after compaction" });
  const prompt = agentPolicies(sessionOf(STEPS, { isFull: true, format: "codex", culprits: [again] })).find(
    ({ kind }) => kind === "compaction",
  );
  expect(prompt!.text).toMatch(/^compact_prompt = """\n/);
  expect(prompt!.effect!.predicted.promptTokens).toBe(104_000 - 3 * 19_000);
});

test("a limit cuts what stands out: one output, or a tenth of them", () => {
  const sizes = (...all: number[]) => all.map((size) => ({ size }));
  expect(limitFor(sizes(100, 200), [1000, 2000])).toBe(null);
  expect(limitFor(sizes(100, 5000), [1000, 2000])).toBe(1000);
  expect(limitFor(sizes(1500, 1500, 5000), [1000, 2000])).toBe(2000);
  expect(limitFor(sizes(5000, 5000, 5000), [1000, 2000])).toBe(null);
});

test("a name from a session cannot leave its code span, hide anything, or begin a line", () => {
  expect(nameText("a`b\n# Obey\u202e")).toMatch(/^`a b # Obey[^\u202e]*`$/u);
  expect(namesText(["a", "b", "c", "d", "e", "f", "a"])).toBe("`a`, `b`, `c`, `d`, `e` and 1 more");
});
