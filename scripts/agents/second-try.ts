// Real agents start servers and wait for each other: on a busy machine one of 24 may fail that passes alone. It is run again on its own, and named.
import { failuresOf, type AnyScenario, type Outcome } from "../agents.ts";

declare module "vitest" {
  interface TaskMeta {
    /** What failed and passed the second time; `npm test` prints it. */
    secondTries?: readonly string[];
  }
}

type Run = (scenarios: readonly AnyScenario[]) => Promise<Outcome>;

/** Runs scenarios; each that fails again alone. The second outcome holds, and `secondTries` says what the first one was. */
export async function runWithSecondTry(
  scenarios: readonly AnyScenario[],
  run: Run,
): Promise<Outcome & { readonly secondTries: readonly string[] }> {
  const first = await run(scenarios);
  const secondTries: string[] = [];
  const compared: Outcome["compared"][number][] = [];
  for (const one of first.compared) {
    const failures = failuresOf(one);
    const scenario = scenarios.find(({ name }) => name === one.name);
    if (failures.length === 0 || scenario === undefined) {
      compared.push(one);
      continue;
    }
    const again = (await run([scenario])).compared;
    compared.push(...again);
    if (again.flatMap(failuresOf).length === 0) secondTries.push(...failures);
  }
  return { compared, notRun: first.notRun, secondTries };
}
