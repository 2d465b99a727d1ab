// Real agents, in the few scenarios that are quick. Where an agent cannot be had, or a namespace of its own cannot be made, it is
// said what was not run. That lines came is tested here; how soon they came is a figure of `npm run agents`.
import { expect, test } from "vitest";
import { failuresOf, runScenarios, SCENARIOS } from "./agents.ts";

test("real agents: what is shown is what was sent", { timeout: 400_000 }, async ({ skip }) => {
  const core = SCENARIOS.filter(({ isCore }) => isCore);
  expect(core.map(({ name }) => name)).toEqual(["hello", "mcp", "auto-compaction", "codex-hello", "codex-compaction"]);
  const outcome = await runScenarios(core);
  const { notRun } = outcome;
  // Texts are counted in the background, and how far that is decides about the ledger: a figure of `npm run agents` too.
  const compared = outcome.compared.map((one) => ({
    ...one,
    checks: one.checks.filter(({ name }) => name !== "ledger"),
  }));
  for (const line of notRun) console.warn(`agents.test.ts: ${line}`);
  expect(compared.flatMap(failuresOf)).toEqual([]);
  expect(compared.every(({ checks }) => checks.length >= 8)).toBe(true);
  if (notRun.length > 0) skip(notRun.join(" "));
});
