// While a node looks for what other windows and prices change, which takes a minute for a million families, it follows what else is set.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { readPolicy } from "#lib/archive/settings/offload-policy.ts";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import type { Fleet } from "../open-fleet.ts";
import { openTestFleet, skippedFor, testFleet } from "../testing-fleet.ts";
import { testNode } from "../testing-sender.ts";
import { markDueFamilies } from "./due-families.ts";

vi.mock("./due-families.ts", () => ({ markDueFamilies: vi.fn(() => Promise.resolve(true)), sessionsLeft: () => 0 }));

const found = await testFleet();

describe.skipIf("missing" in found)(`defaults beside models${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  test("a policy is taken over while families are left to look at", { timeout: 30_000 }, () =>
    inFolder((dir) =>
      withArchive(join(dir, "one"), (one) =>
        withArchive(join(dir, "two"), async (two) => {
          const shared = { ...fleet, close: () => Promise.resolve() };
          await testNode(shared, one).defaults.savePolicy({ policy: "window" }, { who: "ann", address: "here" });
          const { models } = testNode(shared, two);
          models.run();
          try {
            await vi.waitFor(async () => expect((await readPolicy(two)).policy.preset).toBe("window"), 5000);
          } finally {
            await models.close();
          }
          expect(vi.mocked(markDueFamilies)).toHaveBeenCalled();
        }),
      ),
    ),
  );
});
