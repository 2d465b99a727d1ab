// A node of a fleet at its doors: tokens that its database knows, and what each lets its holder do.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { fleetNode, type FleetNode } from "#lib/fleet/fleet-node.ts";
import type { Fleet } from "#lib/fleet/open-fleet.ts";
import { listFleetTokens } from "#lib/fleet/people/fleet-tokens.ts";
import { KNOWN_MS } from "#lib/fleet/people/known-credentials.ts";
import { openTestFleet, skippedFor, testFleet, testToken } from "#lib/fleet/testing-fleet.ts";
import type { CreatedFleetToken, FleetTokenRow } from "#lib/wire/fleet-people-schema.ts";
import type { MissingAnswer } from "#lib/wire/fleet-schema.ts";
import { ENDPOINTS } from "./routes.ts";
import { withDoors, type DoorServer } from "./testing-http.ts";

const found = await testFleet();
/** Somebody who may write, in some project. */
const ABLE = { id: "person:mary@example.com", kind: "person", scope: "write", session: null };
const DIGEST = "a".repeat(64);
const asked = { objects: [{ digest: DIGEST, bytes: 10, kind: "segment" }] };
const commitTo = (project: string): object => ({ project, sender: "laptop", family: { manifest: {}, entries: {} } });

describe.skipIf("missing" in found)(`a node's doors${skippedFor(found)}`, () => {
  let fleet: Fleet;
  let clock = Date.now();
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  const atNode = (run: (server: DoorServer, node: FleetNode) => Promise<void>): Promise<void> =>
    inFolder((dir) =>
      withArchive(join(dir, "node"), async (archive) => {
        const node = fleetNode(
          { ...fleet, close: () => Promise.resolve() },
          { archive, importBundle: () => Promise.resolve(), judge: () => Promise.resolve() },
          1e9,
          () => clock,
        );
        await withDoors(archive, (server) => run(server, node), undefined, node);
        await node.close();
      }),
    );

  test("what is no session is refused, and keeps no id for its project", () =>
    atNode(async (server) => {
      const tokenOf = async (project: string): Promise<string> =>
        (await testToken(fleet, { project, scope: "write" })).token;
      const begin = async (project: string, json: object): Promise<number> =>
        (await server.ask("POST", "/api/sessions", { token: await tokenOf(project), json })).status;
      expect(await begin("other", { id: "free-id", nope: "fine" })).toBe(400);
      expect(await begin("other", { nope: "fine" })).toBe(400);
      expect(await fleet.sql`SELECT session FROM held_sessions`).toEqual([]);
      expect(await begin("shop", { id: "free-id" })).toBe(201);
      expect(await begin("other", { id: "free-id" })).toBe(409);
    }));

  test("a sender's token asks for missing objects and commits to its project, and does nothing else", () =>
    atNode(async (server) => {
      const { token, id } = await testToken(fleet, { project: "shop" });
      const said = await server.ask("POST", "/api/fleet/missing", { token, json: asked });
      expect([said.status, ((await said.json()) as { missing: object[] }).missing.length]).toEqual([200, 1]);
      // The manifest is none: the project was right.
      const own = await server.ask("POST", "/api/fleet/commits", { token, json: commitTo("shop") });
      expect(await own.text()).toContain("manifest");
      const other = await server.ask("POST", "/api/fleet/commits", { token, json: commitTo("harbour") });
      expect([other.status, await other.text()]).toEqual([
        403,
        expect.stringContaining("You may not send to the project harbour. Yours: shop."),
      ]);
      for (const { method, path, scope, auth } of ENDPOINTS) {
        if (scope === "send" || auth === "open") continue;
        const at = path.replaceAll(/:\w+/g, "x");
        const json = method === "GET" ? {} : { json: {} };
        expect([method, path, (await server.ask(method, at, { token, ...json })).status]).toEqual([method, path, 403]);
      }
      expect((await listFleetTokens(fleet, ["shop"])).find((row) => row.id === id)).toMatchObject({
        ...{ project: "shop", scope: "send", state: "live", createdBy: "test" },
        usedAt: expect.any(String),
      });
    }));

  test("a sender who names no project sends to that of the token", () =>
    atNode(async (server, node) => {
      const asking = { objects: [], family: { sessions: [], bytes: 0 } };
      const noneNamed = { sender: "laptop", family: { manifest: {}, entries: {} } };
      const projectFor = async (token: string): Promise<unknown> =>
        ((await (await server.ask("POST", "/api/fleet/missing", { token, json: asking })).json()) as MissingAnswer)
          .project;
      const { token: own } = await testToken(fleet, { project: "shop" });
      const { token: every } = await testToken(fleet, { project: null });
      expect([await projectFor(own), await projectFor(every)]).toEqual(["shop", "default"]);
      // The manifest is none: the project was right.
      const handed = await server.ask("POST", "/api/fleet/commits", { token: own, json: noneNamed });
      expect(await handed.text()).toContain("manifest");

      // A person may be in more than one project. Who only reads one does not send to it.
      const askAs = async (access: object): Promise<[number, string]> => {
        const token = await node.held.passFor({ ...ABLE, access });
        const answer = await server.ask("POST", "/api/fleet/missing", { token, json: asking });
        return [answer.status, await answer.text()];
      };
      expect(await askAs({ shop: "writer", quay: "sender", mill: "reader", yard: "admin" })).toEqual([
        400,
        expect.stringContaining("You may send to 3 projects: shop, quay, yard. Name the one you mean."),
      ]);
      expect((await askAs({ shop: "writer", mill: "reader" }))[1]).toContain('"project":"shop"');
      const { family, ...rest } = asking;
      const toMill = { ...rest, family: { ...family, project: "mill" } };
      const token = await node.held.passFor({ ...ABLE, access: { shop: "writer", mill: "reader" } });
      expect((await server.ask("POST", "/api/fleet/missing", { token, json: toMill })).status).toBe(403);
      expect(await askAs({})).toEqual([
        403,
        expect.stringContaining("You may not send to the project default. You have no project."),
      ]);
    }));

  test("what somebody may not do is refused with 403, and the same request with its key succeeds once they may", () =>
    atNode(async (server, node) => {
      const askAs = async (access: object): Promise<unknown[]> => {
        const token = await node.held.passFor({ ...ABLE, scope: "admin", access });
        const json = { period: "month", limitUsd: 5, project: "shop" };
        const headers = { "idempotency-key": "a-budget-of-the-shop" };
        const answer = await server.ask("PUT", "/api/usage/budgets", { token, json, headers });
        return [answer.status, ((await answer.json()) as { error?: object }).error ?? null];
      };
      const error = { code: "refused", message: "You may not manage the project shop. Yours: shop." };
      expect(await askAs({ shop: "writer" })).toEqual([403, error]);
      expect(await askAs({ shop: "admin" })).toEqual([200, null]);
    }));

  test("a token that is revoked on one node is refused on all of them within seconds", () =>
    atNode((one) =>
      atNode(async (two) => {
        const { token, id } = await testToken(fleet, { project: "shop" });
        const statuses = (): Promise<number[]> =>
          Promise.all(
            [one, two].map(async (at) => (await at.ask("POST", "/api/fleet/missing", { token, json: asked })).status),
          );
        expect(await statuses()).toEqual([200, 200]);
        const ended = await one.ask("DELETE", `/api/fleet/tokens/${id}`, { json: {} });
        expect(await ended.json()).toMatchObject({ id, state: "revoked" });
        clock += KNOWN_MS;
        expect(await statuses()).toEqual([401, 401]);
        expect((await one.ask("GET", "/api/tools", { token: "plf_guessed" })).status).toBe(401);
      }),
    ));

  test("an admin of a project makes tokens of it alone, and sees no others", () =>
    atNode(async (server) => {
      const boss = await testToken(fleet, { project: "harbour", scope: "admin" });
      const { token } = boss;
      const make = (json: object) => server.ask("POST", "/api/fleet/tokens", { token, json });
      const made = (await (await make({ project: "harbour", scope: "read" })).json()) as CreatedFleetToken;
      expect(made).toMatchObject({ project: "harbour", scope: "read", createdBy: `token:${boss.id}` });
      for (const project of ["shop", "no-such-project", null])
        expect([project, (await make({ project })).status]).toEqual([project, 403]);
      const listed = (await (await server.ask("GET", "/api/fleet/tokens", { token })).json()) as {
        tokens: FleetTokenRow[];
      };
      expect(new Set(listed.tokens.map(({ project }) => project))).toEqual(new Set(["harbour"]));
      const foreign = (await listFleetTokens(fleet, ["shop"]))[0]!.id;
      const answers = await Promise.all(
        [foreign, "ft_000000000000"].map((id) =>
          server.ask("DELETE", `/api/fleet/tokens/${id}`, { token, json: {} }).then(async (one) => [
            one.status,
            // The id itself is what was asked.
            (await one.text()).replaceAll(id, "ID"),
          ]),
        ),
      );
      expect(answers[0]).toEqual(answers[1]);
      expect((await server.ask("GET", "/api/fleet/tokens", { token: made.token })).status).toBe(403);
    }));
});
