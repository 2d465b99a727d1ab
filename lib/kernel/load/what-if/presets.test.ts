import fc from "fast-check";
import { expect, test } from "vitest";
import { decideOffload } from "../../artifacts/offload.ts";
import { PRESETS, PRESET_NAMES, policyOf } from "../../artifacts/offload-presets.ts";
import { READ_TOOLS } from "../../artifacts/tool-names.ts";
import { goesOut, replayPresets } from "./presets.ts";
import { inputOf, type Step } from "./testing-what-if.ts";

test("the short decision is the long one, for every preset and for policies of one's own", () => {
  const own = policyOf({
    exempt_tools: ["Read"],
    always_tools: ["Grep"],
    exclude_from_context: ["Glob"],
    max_chars: 900,
  });
  const policies = [...PRESET_NAMES.map((name) => PRESETS[name]), own, { ...own, context_window_tokens: 30_000 }];
  fc.assert(
    fc.property(
      fc.constantFrom(...policies),
      fc.constantFrom("", "Read", "Grep", "Glob", "artifact_read", "Bash"),
      fc.oneof(fc.nat(5000), fc.nat(80_000), fc.nat(2_000_000)),
      fc.option(fc.nat(250_000)),
      (policy, toolName, sizeBytes, usedInputTokens) => {
        const output = { toolName, sizeBytes, chars: sizeBytes };
        const { action } = decideOffload(output, {
          policy,
          availableTools: READ_TOOLS,
          usedInputTokens,
          writesClosed: false,
        });
        expect(goesOut(policy)(toolName, sizeBytes, usedInputTokens)).toBe(action !== "inline");
      },
    ),
    { numRuns: 2000 },
  );
});

const result = (tokens: number) => ({ kind: "result" as const, tokens });
/** Full at the third call: the agent compacts. */
const steps: Step[] = [
  { comes: [{ kind: "user", tokens: 100 }] },
  { comes: [result(4000)] },
  { comes: [result(30_000)] },
  { comes: [result(1000)], cut: "auto" },
];

test("each preset stores what it would have stored, and a session that was full may have stayed under its line", () => {
  const input = inputOf({ steps, loadLine: 50_000 });
  const results = input.ledger.items.filter(({ kind }) => kind === "result");
  const sizes = new Map(results.map(({ seq, tokens }) => [seq!, tokens * 4]));
  const { actual, wasFull, presets } = replayPresets(input, sizes, null);
  expect([wasFull, actual.compactions]).toEqual([true, 1]);
  const stored = Object.fromEntries(presets.map(({ preset, offloaded }) => [preset, offloaded]));
  // 16,000, 120,000 and 4,000 bytes.
  expect(stored).toEqual({
    plimsoll: 2,
    window: 1,
    agentium: 1,
    secondbrain: 2,
    "vectara-2026-03": 1,
    "vectara-current": 0,
    openclaw: 3,
    off: 0,
  });
  const of = (name: string) => presets.find(({ preset }) => preset === name)!;
  expect(of("plimsoll")).toMatchObject({ staysUnder: true, none: { compactions: 0 } });
  expect(of("off")).toMatchObject({ staysUnder: false, none: actual, half: actual });
  expect(of("plimsoll").half.promptTokens).toBeGreaterThan(of("plimsoll").none.promptTokens);
});

test("a window of the session's own decides before the policy's", () => {
  const input = inputOf({ steps: [{ comes: [result(4000)] }] });
  const sizes = new Map([[0, 16_000]]);
  const goes = (window: number | null) =>
    replayPresets(input, sizes, window).presets.find(({ preset }) => preset === "window")!.offloaded;
  // 5 % of 200,000 tokens are 32,768 bytes at most; of 50,000 they are 10,000.
  expect([goes(null), goes(50_000)]).toEqual([0, 1]);
});

test("calls that another session was billed for are not summed up", () => {
  const input = inputOf({ steps });
  const all = replayPresets(input, new Map(), null).actual;
  const own = replayPresets({ ...input, inherited: new Set([0, 1]) }, new Map(), null).actual;
  const [first, second] = input.ledger.calls;
  expect(own.promptTokens).toBe(all.promptTokens - first!.sum - second!.sum);
  expect(own.usd).toBeLessThan(all.usd!);
});
