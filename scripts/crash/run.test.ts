// A sample of the points at which a writer is killed; `node scripts/crash/run.ts` goes through all of them.
import { expect, test } from "vitest";
import { hasStrace } from "./points.ts";
import { crash } from "./run.ts";
import { SCENARIOS } from "./scenarios.ts";

const POINTS = 3;

const canTrace = hasStrace();
if (!canTrace) console.log("SKIPPED: nothing is killed here, strace is missing or not allowed.");

test.skipIf(!canTrace).each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))(
  "killed while it does a %s, a writer loses nothing that it acknowledged",
  { timeout: 180_000 },
  async (_, scenario) => {
    const outcome = await crash(scenario, POINTS, "SIGKILL");
    expect(outcome.failures).toEqual([]);
    expect(outcome.points).toBe(POINTS);
    // A point may be passed when a thread makes fewer calls this time; mostly it is met.
    expect(outcome.killed).toBeGreaterThanOrEqual(POINTS - 1);
  },
);
