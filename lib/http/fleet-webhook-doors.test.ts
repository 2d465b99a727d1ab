// Webhooks of a fleet at the doors of two nodes: who may set them, and that both have the same.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { listWebhooks } from "#lib/archive/settings/webhooks.ts";
import type { Fleet } from "#lib/fleet/open-fleet.ts";
import { setFleetAdmin, setRole } from "#lib/fleet/people/people-rows.ts";
import { createLink, redeemLink } from "#lib/fleet/people/sign-ins.ts";
import { openTestFleet, skippedFor, testFleet, testToken } from "#lib/fleet/testing-fleet.ts";
import { testNode } from "#lib/fleet/testing-sender.ts";
import { savedWebhook, webhooksAnswer } from "#lib/wire/webhooks-schema.ts";
import { withDoors } from "./testing-http.ts";

const found = await testFleet();

describe.skipIf("missing" in found)(`webhooks at a node${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  test("are set by admins of the fleet who signed in, and every node has them", () =>
    inFolder((dir) =>
      withArchive(join(dir, "one"), (archive) =>
        withArchive(join(dir, "two"), async (other) => {
          const [one, two] = [testNode(fleet, archive), testNode(fleet, other)];
          await withDoors(
            archive,
            async (server) => {
              await setFleetAdmin(fleet, "ann@example.com", true);
              await setRole(fleet, "mary@example.com", "shop", "admin");
              const cookieOf = async (email: string): Promise<string> =>
                `plimsoll_fleet=${(await redeemLink(fleet, await createLink(fleet, email, 5)))!}`;
              const [ann, mary] = [await cookieOf("ann@example.com"), await cookieOf("mary@example.com")];
              const ask = (cookie: string, method: string, path = "", json?: object) =>
                fetch(`${server.url}/api/webhooks${path}`, {
                  ...{ method, headers: { cookie, origin: server.url, "content-type": "application/json" } },
                  ...(json !== undefined && { body: JSON.stringify(json) }),
                });
              const money = { name: "money", url: "https://example.com/hook", kinds: ["budget"] };
              expect((await ask(mary, "POST", "", money)).status).toBe(403);
              expect((await ask(mary, "GET")).status).toBe(403);
              // What is of the node's machine is for whoever runs it.
              const tokens = await fetch(`${server.url}/api/tokens`, { headers: { cookie: ann } });
              expect([tokens.status, await tokens.text()]).toEqual([
                403,
                expect.stringContaining("Only a browser with the link that the node prints") as string,
              ]);
              const { token } = await testToken(fleet, { project: null, scope: "admin" });
              expect((await server.ask("GET", "/api/webhooks", { token })).status).toBe(403);
              const made = await ask(ann, "POST", "", money);
              const { id, secret } = savedWebhook.parse(await made.json());
              expect([made.status, secret]).toEqual([201, expect.stringMatching(/^whsec_/) as string]);
              expect(webhooksAnswer.parse(await (await ask(ann, "GET")).json()).webhooks).toMatchObject([{ id }]);
              expect(await two.webhooks.list()).toMatchObject([{ id, name: "money", titles: false, local: false }]);
              expect(listWebhooks(archive)).toEqual([]);
              expect((await ask(ann, "DELETE", `/${id}`, {})).status).toBe(200);
              expect(await two.webhooks.list()).toEqual([]);
            },
            undefined,
            one,
          );
          await Promise.all([one.close(), two.close()]);
        }),
      ),
    ));
});
