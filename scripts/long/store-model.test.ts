// Short runs of the long properties; `node scripts/long.ts` runs them for as long as is asked.
import fc from "fast-check";
import { expect, test } from "vitest";
import { PROPERTIES } from "./index.ts";
import { registryLines } from "./registry-lines.ts";
import { storeModel } from "./store-model.ts";

test("a pointer leads to its exact bytes or to a tombstone, whatever was stored, ended, swept, lost and made again", async () => {
  await fc.assert(storeModel(15), { numRuns: 25, seed: 3 });
});

test("any damage of any line of a registry is told of, and takes nothing else with it", async () => {
  await fc.assert(registryLines(), { numRuns: 60, seed: 9 });
});

test("each long property says what it says, under a name of its own", () => {
  expect(new Set(PROPERTIES.map(({ name }) => name)).size).toBe(PROPERTIES.length);
  for (const { says } of PROPERTIES) expect(says).toMatch(/^[A-Z].*\.$/);
});
