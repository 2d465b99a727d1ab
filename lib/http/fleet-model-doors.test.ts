// Windows and prices of a fleet at the doors of two nodes: who may set them, and that both have the same.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import type { Fleet } from "#lib/fleet/open-fleet.ts";
import { FOLLOW_MS } from "#lib/fleet/models/followed-lately.ts";
import { openTestFleet, skippedFor, testFleet, testToken } from "#lib/fleet/testing-fleet.ts";
import { testNode } from "#lib/fleet/testing-sender.ts";
import { auditAnswer } from "#lib/wire/fleet-people-schema.ts";
import { modelsAnswer, policyAnswer } from "#lib/wire/settings-schema.ts";
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
    (await testToken(fleet, { project, scope })).token;

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
      expect(await read(one)).toEqual(list);
      // What it read a moment ago is not asked for anew.
      await vi.waitFor(async () => expect(await read(two)).toEqual(list), { timeout: FOLLOW_MS + 1000, interval: 100 });
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

  test("so are the offload policy and the level of warnings", () =>
    withTwo(async (one, two) => {
      const [all, shop] = [await tokenFor(null, "admin"), await tokenFor("shop", "admin")];
      const [policy, warning] = ["/api/settings/policy", "/api/settings/warning"];
      const put = (server: DoorServer, path: string, token: string, json: object) =>
        server.ask("PUT", path, { token, json });
      const read = async (server: DoorServer, path: string): Promise<object> =>
        (await (await server.ask("GET", path, { token: all })).json()) as object;
      expect((await put(one, policy, shop, { policy: "window" })).status).toBe(403);
      expect((await put(one, warning, shop, { warnAt: 0.5 })).status).toBe(403);
      const before = policyAnswer.parse(await read(two, policy));
      expect((await put(one, policy, all, { policy: "window", seen: before.policy })).status).toBe(200);
      // What it read a moment ago is not asked for anew.
      await vi.waitFor(
        async () => expect(await read(two, policy)).toMatchObject({ policy: { preset: "window" }, isSet: true }),
        { timeout: FOLLOW_MS + 1000, interval: 100 },
      );
      const late = await put(two, policy, all, { policy: "agentium", seen: before.policy });
      expect([late.status, await late.text()]).toEqual([409, expect.stringContaining("changed meanwhile")]);
      expect((await put(two, warning, all, { warnAt: 0.5 })).status).toBe(200);
      expect(await read(one, warning)).toEqual({ warnAt: 0.5 });
    }));
});
