// Windows and prices of a fleet at the doors of two nodes: who may set them, and that both have the same.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import type { Fleet } from "#lib/fleet/open-fleet.ts";
import { createFleetToken } from "#lib/fleet/people/fleet-tokens.ts";
import { openTestFleet, skippedFor, testFleet } from "#lib/fleet/testing-fleet.ts";
import { testNode } from "#lib/fleet/testing-sender.ts";
import { auditAnswer } from "#lib/wire/fleet-people-schema.ts";
import { modelsAnswer } from "#lib/wire/settings-schema.ts";
import { withDoors, type DoorServer } from "./testing-http.ts";

const found = await testFleet();
const PATH = "/api/settings/models";

describe.skipIf("missing" in found)(`windows and prices at a node${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  const withTwo = (run: (one: DoorServer, two: DoorServer) => Promise<void>): Promise<void> =>
    inFolder((dir) =>
      withArchive(join(dir, "one"), (first) =>
        withArchive(join(dir, "two"), async (second) => {
          const nodes = [testNode(fleet, first), testNode(fleet, second)] as const;
          const atSecond = (one: DoorServer) => withDoors(second, (two) => run(one, two), undefined, nodes[1]);
          await withDoors(first, atSecond, undefined, nodes[0]);
          await Promise.all(nodes.map((node) => node.close()));
        }),
      ),
    );
  const tokenFor = async (project: string | null, scope: "read" | "write" | "admin"): Promise<string> =>
    (await createFleetToken(fleet, { project, scope }, "test")).token;

  test("are set by admins of the fleet, and asked for at the other node they are there", () =>
    withTwo(async (one, two) => {
      const [all, shop, write] = [
        await tokenFor(null, "admin"),
        await tokenFor("shop", "admin"),
        await tokenFor(null, "write"),
      ];
      const put = (server: DoorServer, token: string, overrides: object[]) =>
        server.ask("PUT", PATH, { token, json: { overrides } });
      const read = async (server: DoorServer): Promise<object[]> =>
        modelsAnswer
          .parse(await (await server.ask("GET", PATH, { token: all })).json())
          .overrides.map(({ override: { match, project, window } }) => ({ match, project, window }));
      const list = [{ match: "claude-*", project: null, window: 150_000 }];
      for (const token of [shop, write]) expect((await put(one, token, list)).status).toBe(403);
      expect((await two.ask("GET", PATH, { token: shop })).status).toBe(403);
      expect(await read(two)).toEqual([]);
      const saved = await put(one, all, list);
      expect([saved.status, modelsAnswer.parse(await saved.json()).left]).toEqual([200, 0]);
      expect([await read(two), await read(one)]).toEqual([list, list]);
      // A home folder is another one on each machine.
      const short = await put(two, all, [{ match: "claude-*", project: "~/shop", window: 150_000 }]);
      expect([short.status, await short.json()]).toMatchObject([
        400,
        { error: { message: '"~/shop" is another folder on each machine. Write its whole path.' } },
      ]);
      expect(await read(two)).toEqual(list);
      // The same again is no change.
      await put(two, all, list);
      const audit = await one.ask("GET", "/api/fleet/audit", { token: all });
      const rows = auditAnswer.parse(await audit.json()).rows.filter(({ action }) => action === "models");
      expect(rows).toMatchObject([{ project: "*", detail: "claude-*: window 150000", session: null }]);
    }));
});
