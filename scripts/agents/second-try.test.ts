// A scenario that fails is run again alone, and is named when it passes then; what fails twice has failed.
import { expect, test } from "vitest";
import { failuresOf, SCENARIOS, type AnyScenario, type Outcome } from "../agents.ts";
import type { Compared } from "./compare-scenario.ts";
import { runWithSecondTry } from "./second-try.ts";

const [sound, late, broken] = SCENARIOS.slice(0, 3) as [AnyScenario, AnyScenario, AnyScenario];

const outcomeOf = (name: string, problems: readonly string[]): Compared => ({
  name,
  agent: "claude",
  checks: [{ name: "live", saw: "30 lines", problems }],
  requests: { requests: 0, equal: 0 },
  latencies: { first: [], later: [] },
  outputs: { known: 0, whole: 0 },
  ledger: null,
  spend: { charged: 0, shown: 0 },
  ms: 1,
});

test("a scenario that fails is run again alone, and named when it passes", async () => {
  const runs: string[][] = [];
  const run = async (scenarios: readonly AnyScenario[]): Promise<Outcome> => {
    const names = scenarios.map(({ name }) => name);
    runs.push(names);
    const problemsOf = (name: string): string[] =>
      name === broken.name || (name === late.name && runs.length === 1) ? ["a line never came"] : [];
    return { compared: names.map((name) => outcomeOf(name, problemsOf(name))), notRun: ["One was not run."] };
  };
  const outcome = await runWithSecondTry([sound, late, broken], run);
  expect(runs).toEqual([[sound.name, late.name, broken.name], [late.name], [broken.name]]);
  expect(outcome.compared.map(({ name }) => name)).toEqual([sound.name, late.name, broken.name]);
  expect(outcome.compared.flatMap(failuresOf)).toEqual([`${broken.name} live: a line never came`]);
  expect(outcome.secondTries).toEqual([`${late.name} live: a line never came`]);
  expect(outcome.notRun).toEqual(["One was not run."]);
});
