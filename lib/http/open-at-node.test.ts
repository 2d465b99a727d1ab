// What needs no credential asks nothing of a node's fleet, whatever the request names: a balancer's question is answered also while
// the database is frozen.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inFolder } from "#lib/archive/testing-archive.ts";
import type { Fleet } from "#lib/fleet/open-fleet.ts";
import { openTestFleet, skippedFor, testFleet } from "#lib/fleet/testing-fleet.ts";
import { withNodeDoors } from "./testing-nodes.ts";

const found = await testFleet();

describe.skipIf("missing" in found)(`open endpoints of a node${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  test("ask nothing of the database for whoever names a session", () =>
    inFolder((dir) => {
      let asked = 0;
      const ask: Fleet["ask"] = (run, withinMs) => {
        asked++;
        return fleet.ask(run, withinMs);
      };
      return withNodeDoors({ ...fleet, ask }, join(dir, "node"), async ({ server }) => {
        const get = async (path: string): Promise<readonly [number, number]> => {
          const before = asked;
          const { status } = await fetch(server.url + path);
          return [status, asked - before];
        };
        expect(await get("/api/health")).toEqual([200, 0]);
        expect(await get("/api/health?session=s_0123456789abcdef")).toEqual([200, 0]);
        const [, own] = await get("/api/ready");
        expect(await get("/api/ready?session=s_0123456789abcdef")).toEqual([200, own]);
      });
    }));
});
