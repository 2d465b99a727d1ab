// People of a fleet at a node's doors: who may give and take which role, and who is told of whom.
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { fleetNode } from "#lib/fleet/fleet-node.ts";
import type { Fleet } from "#lib/fleet/open-fleet.ts";
import { listAudit } from "#lib/fleet/people/audit.ts";
import { listFleetTokens, revokeFleetToken } from "#lib/fleet/people/fleet-tokens.ts";
import { KNOWN_MS } from "#lib/fleet/people/known-credentials.ts";
import { applyClaims, listPeople, setFleetAdmin, setRole } from "#lib/fleet/people/people-rows.ts";
import { nodePeople } from "#lib/fleet/people/node-people.ts";
import { MOST_SAVED } from "#lib/fleet/people/people-searches.ts";
import { createLink, redeemLink } from "#lib/fleet/people/sign-ins.ts";
import { openTestFleet, skippedFor, testFleet, testToken } from "#lib/fleet/testing-fleet.ts";
import { readerOf } from "#lib/fleet/testing-sender.ts";
import { searchesAnswer } from "#lib/wire/marks-schema.ts";
import type { CreatedFleetToken, FleetPerson } from "#lib/wire/fleet-people-schema.ts";
import { withDoors, type DoorServer } from "./testing-http.ts";

const found = await testFleet();
const [ANN, BOB, EVE, MARY] = ["ann", "bob", "eve", "mary"].map((name) => `${name}@example.com`) as [
  ...[string, string, string, string],
];

describe.skipIf("missing" in found)(`people at a node's doors${skippedFor(found)}`, () => {
  let fleet: Fleet;
  let clock = Date.now();
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  beforeEach(async () => {
    for (const table of ["people", "audit", "saved_searches", "fleet_tokens"])
      await fleet.sql`DELETE FROM ${fleet.sql(table)}`;
  });
  afterAll(() => fleet.close());

  type Door = {
    /** What is answered to a token, or to a cookie of a person. */
    ask(who: string, method: string, path: string, json?: object): Promise<{ status: number; text: string }>;
    readonly server: DoorServer;
  };

  const atNode = (run: (door: Door) => Promise<void>): Promise<void> =>
    inFolder((dir) =>
      withArchive(join(dir, "node"), async (archive) => {
        const node = fleetNode({ ...fleet, close: () => Promise.resolve() }, readerOf(archive), 1e9, () => clock);
        const ask =
          (server: DoorServer): Door["ask"] =>
          async (who, method, path, json) => {
            const headers: Record<string, string> = who.startsWith("plf_")
              ? { authorization: `Bearer ${who}` }
              : { cookie: `plimsoll_fleet=${who}`, origin: server.url, "sec-fetch-site": "same-origin" };
            const body = json === undefined ? {} : { body: JSON.stringify(json) };
            if (json !== undefined) headers["content-type"] = "application/json";
            const answer = await fetch(server.url + path, { method, headers, ...body });
            return { status: answer.status, text: await answer.text() };
          };
        await withDoors(archive, (server) => run({ ask: ask(server), server }), undefined, node);
        await node.close();
      }),
    );

  const signedIn = async (email: string): Promise<string> =>
    (await redeemLink(fleet, await createLink(fleet, email, 5)))!;
  const rolesOf = async (email: string): Promise<object | undefined> =>
    (await listPeople(fleet)).find((one) => one.email === email)?.roles;
  const peopleIn = (text: string): FleetPerson[] => (JSON.parse(text) as { people: FleetPerson[] }).people;

  const NOTHING = { objects: [] };

  test("an admin of a project manages its roles, and is told of nothing else", () =>
    atNode(async ({ ask }) => {
      await setRole(fleet, BOB, "shop", "admin");
      await setRole(fleet, BOB, "quay", "reader");
      await setRole(fleet, EVE, "quay", "admin");
      await setRole(fleet, MARY, "quay", "writer");
      await setFleetAdmin(fleet, ANN, true);
      const bob = await signedIn(BOB);
      const { token } = await testToken(fleet, { project: "shop", scope: "admin" });
      for (const who of [bob, token]) {
        const listed = peopleIn((await ask(who, "GET", "/api/fleet/people")).text);
        expect(listed.map(({ email, isAdmin, roles }) => [email, isAdmin, roles])).toEqual([
          [BOB, null, { shop: "admin" }],
        ]);
      }
      const put = (email: string, project: string | null, role: string | null, who = bob) =>
        ask(who, "PUT", "/api/fleet/people", { email, project, role });
      // Whether somebody is known elsewhere is not told.
      for (const email of [MARY, "new@example.com"])
        expect(await put(email.toUpperCase(), "shop", "writer")).toEqual({
          ...{
            status: 200,
            text: JSON.stringify({ email, project: "shop", role: "writer", isChanged: true, revokedTokens: 0 }),
          },
        });
      expect(JSON.parse((await put(MARY, "shop", "writer")).text)).toMatchObject({ isChanged: false });
      expect(await rolesOf(MARY)).toEqual({ quay: "writer", shop: "writer" });
      expect((await put(MARY, "shop", "reader", token)).status).toBe(200);
      expect((await put(MARY, "shop", null)).status).toBe(200);
      expect(await rolesOf(MARY)).toEqual({ quay: "writer" });

      // Of another project nothing, in the same words as of one that there is not; and nothing of the whole fleet.
      expect((await put(BOB, "quay", "admin")).status).toBe(403);
      for (const project of ["quay", "none"])
        expect(await put(MARY, project, null, token)).toEqual({
          status: 403,
          text: expect.stringContaining(`You may not manage the project ${project}. Yours: shop.`) as string,
        });
      for (const role of ["admin", "reader", null]) expect((await put(BOB, null, role)).status).toBe(403);
      expect((await put(ANN, null, null, token)).status).toBe(403);
      for (const who of [bob, token])
        expect((await ask(who, "DELETE", `/api/fleet/people/${MARY}`, {})).status).toBe(403);
      expect(await rolesOf(BOB)).toEqual({ quay: "reader", shop: "admin" });
      expect((await listPeople(fleet)).filter(({ isAdmin }) => isAdmin).map(({ email }) => email)).toEqual([ANN]);

      const rows = await listAudit(fleet, { visible: ["shop"], limit: 10 });
      expect(rows.map(({ who, action, project, detail }) => [who, action, project, detail])).toEqual([
        [`person:${BOB}`, "person", "shop", `${MARY}: no role`],
        [expect.stringMatching(/^token:ft_/), "person", "shop", `${MARY}: reader`],
        [`person:${BOB}`, "person", "shop", "new@example.com: writer"],
        [`person:${BOB}`, "person", "shop", `${MARY}: writer`],
      ]);
      // What was given lets in, and what was taken does not.
      const fresh = await signedIn("new@example.com");
      expect((await ask(fresh, "GET", "/api/sessions")).status).toBe(200);
      expect((await put("new@example.com", "shop", null)).status).toBe(200);
      clock += KNOWN_MS;
      expect((await ask(fresh, "GET", "/api/fleet/people")).status).toBe(403);
      expect(await ask(fresh, "POST", "/api/fleet/missing", NOTHING)).toMatchObject({
        ...{ status: 403, text: expect.stringContaining("You may not send to any project.") as string },
      });
    }));

  test("who is no admin of a project, or has a token that is none, changes nothing", () =>
    atNode(async ({ ask }) => {
      await setRole(fleet, MARY, "shop", "writer");
      const mary = await signedIn(MARY);
      const tokenOf = async (project: string | null, scope: "read" | "write"): Promise<string> =>
        (await testToken(fleet, { project, scope })).token;
      const askers = [mary, await tokenOf("shop", "write"), await tokenOf(null, "write"), await tokenOf(null, "read")];
      for (const who of askers) {
        expect((await ask(who, "GET", "/api/fleet/people")).status).toBe(403);
        for (const project of ["shop", null]) {
          const json = { email: MARY, project, role: "admin" };
          expect((await ask(who, "PUT", "/api/fleet/people", json)).status).toBe(403);
        }
        expect((await ask(who, "DELETE", `/api/fleet/people/${MARY}`, {})).status).toBe(403);
      }
      expect(await rolesOf(MARY)).toEqual({ shop: "writer" });
      expect(await listAudit(fleet, { visible: "all", limit: 10 })).toEqual([]);
    }));

  test("an admin of the fleet manages everybody, and one admin stays", () =>
    atNode(async ({ ask }) => {
      await setFleetAdmin(fleet, ANN, true);
      await setRole(fleet, MARY, "quay", "writer");
      const ann = await signedIn(ANN);
      const put = (email: string, project: string | null, role: string | null) =>
        ask(ann, "PUT", "/api/fleet/people", { email, project, role });
      const remove = (email: string) => ask(ann, "DELETE", `/api/fleet/people/${encodeURIComponent(email)}`, {});
      expect(
        peopleIn((await ask(ann, "GET", "/api/fleet/people")).text).map(({ email, isAdmin, roles }) => [
          ...[email, isAdmin, roles],
        ]),
      ).toEqual([
        [ANN, true, {}],
        [MARY, false, { quay: "writer" }],
      ]);
      const last = { status: 409, text: expect.stringContaining(`${ANN} is the last admin of the fleet`) as string };
      expect([await put(ANN, null, null), await remove(ANN)]).toEqual([last, last]);
      expect((await put(BOB, null, "reader")).text).toContain("The role reader is of one project.");
      expect((await put("nobody", "shop", "reader")).text).toContain("is not an e-mail address");
      expect((await put(BOB, null, "admin")).status).toBe(200);
      // Both at once: one is refused.
      const both = await Promise.all([put(ANN, null, null), put(BOB, null, null)]);
      expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
      await setFleetAdmin(fleet, ANN, true);
      await setFleetAdmin(fleet, BOB, false);
      // One whom the provider calls an admin counts, too.
      await fleet.sql.begin((tx) => applyClaims(tx, EVE, { isAdmin: true, roles: {} }));
      expect((await remove(EVE)).status).toBe(200);
      expect((await remove(EVE)).status).toBe(404);
      await put(MARY, "shop", "reader");
      expect((await remove(MARY)).status).toBe(200);
      expect(await rolesOf(MARY)).toBe(undefined);
      await fleet.sql.begin((tx) => applyClaims(tx, EVE, { isAdmin: true, roles: {} }));
      expect((await put(ANN, null, null)).status).toBe(200);
      const rows = await listAudit(fleet, { visible: "all", limit: 4 });
      expect(rows.map(({ who, project, detail }) => [who, project, detail])).toEqual([
        [`person:${ANN}`, "*", `${ANN}: no admin of the fleet`],
        [`person:${ANN}`, "*", `${MARY}: removed`],
        [`person:${ANN}`, "shop", `${MARY}: reader`],
        [`person:${ANN}`, "*", `${EVE}: removed`],
      ]);
    }));

  test("an admin of the fleet makes a link that signs a person in once; others do not, and it is noted", () =>
    atNode(async ({ ask }) => {
      await setFleetAdmin(fleet, ANN, true);
      await setRole(fleet, BOB, "shop", "admin");
      await setRole(fleet, MARY, "shop", "reader");
      const [ann, bob] = [await signedIn(ANN), await signedIn(BOB)];
      const { token } = await testToken(fleet, { project: "shop", scope: "admin" });
      const link = (who: string, email: string, more = {}) => ask(who, "POST", "/api/fleet/links", { email, ...more });
      // A link to an admin of the fleet would make whoever has it one.
      for (const who of [bob, token])
        for (const email of [MARY, ANN]) expect((await link(who, email)).status).toBe(403);
      expect(await link(ann, EVE)).toMatchObject({ status: 404, text: expect.stringContaining(EVE) as string });
      for (const minutes of [0, 1441]) expect((await link(ann, MARY, { minutes })).status).toBe(400);
      // Whose last role was taken does not come in.
      await setRole(fleet, EVE, "shop", "reader");
      await setRole(fleet, EVE, "shop", null);
      expect(await link(ann, EVE)).toMatchObject({ status: 404, text: expect.stringContaining("no role") as string });

      const made = await link(ann, MARY.toUpperCase());
      expect([made.status, JSON.parse(made.text)]).toEqual([
        ...[
          201,
          { email: MARY, path: expect.stringMatching(/^\/sign-in\/link\?token=[\w-]{43}$/) as string, minutes: 15 },
        ],
      ]);
      const secret = (JSON.parse(made.text) as { path: string }).path.split("=")[1]!;
      const mary = await redeemLink(fleet, secret);
      expect((await ask(mary!, "GET", "/api/sessions")).status).toBe(200);
      expect(await redeemLink(fleet, secret)).toBe(null);
      expect(
        (await listAudit(fleet, { visible: "all", limit: 5 })).map(({ who, action, project, detail }) => [
          ...[who, action, project, detail],
        ]),
      ).toEqual([[`person:${ANN}`, "person", "*", `${MARY}: sign-in link`]]);
    }));

  test("each person saves searches of their own, whatever their role, and every node has them", async () => {
    await setRole(fleet, BOB, "shop", "reader");
    await setRole(fleet, EVE, "quay", "writer");
    await setFleetAdmin(fleet, ANN, true);
    const { token: bare } = await testToken(fleet, { project: "shop", scope: "admin" });
    const { token: bobs } = await testToken(fleet, { project: "shop", scope: "read", person: BOB });
    const [ann, bob, eve] = [await signedIn(ANN), await signedIn(BOB), await signedIn(EVE)];
    const path = "/api/searches";
    const namesIn = ({ text }: { text: string }): string[][] =>
      searchesAnswer.parse(JSON.parse(text)).searches.map(({ name, query }) => [name, query]);
    await atNode(async ({ ask }) => {
      const put = (who: string, name: string, query: string) => ask(who, "PUT", path, { name, query });
      expect(namesIn(await ask(bob, "GET", path))).toEqual([]);
      expect(JSON.parse((await put(bob, "leaks", "heap")).text)).toEqual({
        ...{ name: "leaks", query: "heap", createdAt: expect.any(String) as string },
      });
      for (const [name, query] of [
        ["Errors", "is:error"],
        ["leaks", "heap type:result"],
      ])
        expect((await put(bob, name!, query!)).status).toBe(200);
      for (const who of [ann, eve])
        expect((await put(who, "leaks", `of ${who === ann ? "ann" : "eve"}`)).status).toBe(200);
      expect((await put(bare, "leaks", "of a token")).status).toBe(200);
      // A token that only reads stores nothing; it lists what its person has.
      expect((await put(bobs, "more", "x")).status).toBe(403);
      expect((await put(bob, " ", "x")).status).toBe(400);
    });
    // The first node is gone.
    await atNode(async ({ ask }) => {
      const drop = (who: string, name: string) => ask(who, "DELETE", path, { name });
      for (const who of [bob, bobs])
        expect(namesIn(await ask(who, "GET", path))).toEqual([
          ["Errors", "is:error"],
          ["leaks", "heap type:result"],
        ]);
      for (const [who, query] of [
        [ann, "of ann"],
        [eve, "of eve"],
        [bare, "of a token"],
      ])
        expect(namesIn(await ask(who!, "GET", path))).toEqual([["leaks", query]]);
      expect(JSON.parse((await drop(bob, "leaks")).text)).toEqual({ deleted: true });
      const gone = await drop(bob, "leaks");
      expect([gone.status, gone.text]).toEqual([404, expect.stringContaining("You saved no search as")]);
      expect(namesIn(await ask(eve, "GET", path))).toEqual([["leaks", "of eve"]]);
      expect((await ask(ann, "DELETE", `/api/fleet/people/${BOB}`, {})).status).toBe(200);
    });
    const left = await fleet.sql`SELECT owner, query FROM saved_searches ORDER BY query`;
    expect(left.map(({ owner, query }) => [owner, query])).toEqual([
      [expect.stringMatching(/^token:ft_/), "of a token"],
      [ANN, "of ann"],
      [EVE, "of eve"],
    ]);
  });

  test("a token that an admin of a project makes for somebody else has searches of its own", () =>
    atNode(async ({ ask }) => {
      await setFleetAdmin(fleet, ANN, true);
      await setRole(fleet, BOB, "shop", "admin");
      const [ann, bob] = [await signedIn(ANN), await signedIn(BOB)];
      const put = { name: "leaks", query: "of ann" };
      expect((await ask(ann, "PUT", "/api/searches", put)).status).toBe(200);
      const tokenOf = async (who: string, person: string): Promise<string> => {
        const made = await ask(who, "POST", "/api/fleet/tokens", { project: "shop", scope: "admin", person });
        return (JSON.parse(made.text) as { token: string }).token;
      };
      const namesOf = async (who: string): Promise<string[]> =>
        searchesAnswer
          .parse(JSON.parse((await ask(who, "GET", "/api/searches")).text))
          .searches.map(({ name }) => name);
      const anns = await tokenOf(bob, ANN);
      expect(await namesOf(anns)).toEqual([]);
      expect((await ask(anns, "DELETE", "/api/searches", { name: "leaks" })).status).toBe(404);
      expect((await ask(anns, "PUT", "/api/searches", { name: "leaks", query: "x" })).status).toBe(200);
      // Nor one that such a token makes.
      expect(await namesOf(await tokenOf(anns, ANN))).toEqual([]);
      expect(
        (await fleet.sql`SELECT query FROM saved_searches WHERE owner = ${ANN}`).map(({ query }) => query),
      ).toEqual(["of ann"]);
      expect(await namesOf(await tokenOf(ann, ANN))).toEqual(["leaks"]);
    }));

  const notedOf = async (action: string, visible: "all" | string[] = "all") =>
    (await listAudit(fleet, { visible, action, limit: 20 }))
      .map(({ who, project, detail }) => [who, project, detail])
      .toReversed();

  test("a token that somebody makes or revokes is a row: who, what of which project, and never the secret", () =>
    atNode(async ({ ask }) => {
      await setFleetAdmin(fleet, ANN, true);
      for (const one of [BOB, MARY]) await setRole(fleet, one, "shop", "admin");
      const [ann, bob] = [await signedIn(ANN), await signedIn(BOB)];
      const make = async (who: string, json: object) => {
        const { status, text } = await ask(who, "POST", "/api/fleet/tokens", json);
        expect([status, text]).toEqual([201, text]);
        return JSON.parse(text) as CreatedFleetToken;
      };
      const every = await make(ann, { project: null, scope: "read", name: "dashboard", days: null });
      const shops = await make(bob, { project: "shop", scope: "admin", name: "build server", person: MARY, days: 30 });
      const more = await make(shops.token, { project: "shop" });
      // What is refused is no row, and neither is a second end of the same token.
      expect((await ask(bob, "POST", "/api/fleet/tokens", { project: "quay" })).status).toBe(403);
      const end = (who: string, id: string) => ask(who, "DELETE", `/api/fleet/tokens/${id}`, {});
      expect((await end(bob, every.id)).status).toBe(404);
      for (const who of [bob, ann]) expect(JSON.parse((await end(who, more.id)).text)).toMatchObject({ id: more.id });
      await end(ann, every.id);

      const until = (row: CreatedFleetToken): string => `until ${row.expiresAt!.slice(0, 10)}`;
      const ofShop = [
        [`person:${BOB}`, "shop", `"build server" created: ${shops.id}, scope admin, for ${MARY}, ${until(shops)}`],
        [`token:${shops.id}`, "shop", `"sender" created: ${more.id}, scope send, ${until(more)}`],
        [`person:${BOB}`, "shop", `"sender" revoked: ${more.id}, scope send, ${until(more)}`],
      ];
      expect(await notedOf("token")).toEqual([
        [`person:${ANN}`, "*", `"dashboard" created: ${every.id}, scope read, never expires`],
        ...ofShop,
        [`person:${ANN}`, "*", `"dashboard" revoked: ${every.id}, scope read, never expires`],
      ]);
      expect(await notedOf("token", ["shop"])).toEqual(ofShop);
      const rows = JSON.stringify(await listAudit(fleet, { visible: "all", limit: 20 }));
      for (const { token } of [every, shops, more]) expect(rows).not.toContain(token.slice(4));
      expect(rows).toContain("127.0.0.1");
    }));

  test("whoever is removed loses the tokens in their name, at every node", () =>
    atNode((one) =>
      atNode(async (two) => {
        await setFleetAdmin(fleet, ANN, true);
        await setRole(fleet, MARY, "shop", "writer");
        await setRole(fleet, BOB, "shop", "reader");
        const ann = await signedIn(ANN);
        const tokenOf = (person: string | null, scope: "read" | "send" = "read", project: string | null = "shop") =>
          testToken(fleet, { project, scope, person, name: `of ${person?.[0] ?? "nobody"}` });
        const hers = await tokenOf(MARY);
        const everywhere = await tokenOf(MARY, "read", null);
        const ended = [await tokenOf(MARY), await tokenOf(MARY)];
        await fleet.sql`UPDATE fleet_tokens SET expires_at = now() - interval '1 day' WHERE id = ${ended[0]!.id}`;
        await revokeFleetToken(fleet, ended[1]!.id, "all");
        const [bobs, bare] = [await tokenOf(BOB), await tokenOf(null)];
        const statuses = async (): Promise<number[]> => {
          const found = [];
          for (const door of [one, two])
            for (const { token } of [hers, everywhere, bobs, bare])
              found.push((await door.ask(token, "GET", "/api/sessions")).status);
          return found;
        };
        expect(await statuses()).toEqual(Array.from({ length: 8 }, () => 200));
        const removed = await one.ask(ann, "DELETE", `/api/fleet/people/${MARY}`, {});
        expect([removed.status, JSON.parse(removed.text)]).toEqual([200, { email: MARY, revokedTokens: 2 }]);
        clock += KNOWN_MS;
        expect(await statuses()).toEqual([401, 401, 200, 200, 401, 401, 200, 200]);

        const rows = await listAudit(fleet, { visible: "all", limit: 20 });
        expect(rows.map(({ who, action, project, detail }) => [who, action, project, detail.split(",")[0]])).toEqual(
          expect.arrayContaining([
            [`person:${ANN}`, "person", "*", `${MARY}: removed`],
            [`person:${ANN}`, "token", "shop", `"of m" revoked: ${hers.id}`],
            [`person:${ANN}`, "token", "*", `"of m" revoked: ${everywhere.id}`],
          ]),
        );
        expect(rows).toHaveLength(3);
        expect(rows.find(({ action }) => action === "person")!.detail).toBe(`${MARY}: removed, with 2 tokens`);
      }),
    ));

  test("a token in somebody's name does no more than they may, by the roles that they have now", () =>
    atNode(async ({ ask }) => {
      await setRole(fleet, MARY, "shop", "writer");
      const tokenOf = async (scope: "send" | "write" | "admin", project: string | null = "shop") =>
        (await testToken(fleet, { project, scope, person: MARY })).token;
      const [send, admin, every] = [await tokenOf("send"), await tokenOf("admin"), await tokenOf("write", null)];
      const statuses = async (token: string): Promise<number[]> => {
        clock += KNOWN_MS;
        const asked = [
          await ask(token, "POST", "/api/fleet/missing", NOTHING),
          await ask(token, "GET", "/api/sessions"),
          await ask(token, "POST", "/api/sessions", { title: "Reef" }),
          await ask(token, "GET", "/api/fleet/people"),
        ];
        return asked.map(({ status }) => (status === 201 ? 200 : status));
      };
      const all = async () => [await statuses(send), await statuses(admin), await statuses(every)];
      const sends = [200, 403, 403, 403];
      expect(await all()).toEqual([sends, [200, 200, 200, 403], [200, 200, 200, 403]]);
      expect((await ask(admin, "GET", "/api/fleet/people")).text).toContain(
        `This token does no more than ${MARY}, who is no admin there.`,
      );
      // Nothing of the whole fleet.
      expect((await ask(every, "GET", "/api/sources")).status).toBe(403);
      await setRole(fleet, MARY, "shop", "reader");
      expect(await all()).toEqual([sends, [403, 200, 403, 403], [403, 200, 403, 403]]);
      await setRole(fleet, MARY, "shop", "admin");
      expect(await all()).toEqual([sends, [200, 200, 200, 200], [200, 200, 200, 403]]);
      // As groups of a provider take it, and give it again.
      await fleet.sql`DELETE FROM person_roles`;
      expect(await all()).toEqual([sends, [403, 403, 403, 403], [403, 403, 403, 403]]);
      await setFleetAdmin(fleet, MARY, true);
      expect(await all()).toEqual([sends, [200, 200, 200, 200], [200, 200, 200, 403]]);
    }));

  test("a token that does more than send is in nobody's name who has no role there", () =>
    atNode(async ({ ask }) => {
      await setFleetAdmin(fleet, ANN, true);
      await setRole(fleet, MARY, "quay", "writer");
      const ann = await signedIn(ANN);
      const make = (json: object) => ask(ann, "POST", "/api/fleet/tokens", { person: MARY, ...json });
      expect(await make({ project: "shop", scope: "read" })).toEqual({
        status: 409,
        text: expect.stringContaining(`${MARY} has no role in shop: a token of theirs may not read.`) as string,
      });
      expect((await make({ project: null, scope: "read", person: EVE })).text).toContain(`${EVE} has no role: a token`);
      for (const json of [
        { project: "shop" },
        { project: "quay", scope: "admin" },
        { project: null, scope: "read" },
        { project: "shop", scope: "read", person: ANN },
      ])
        expect((await make(json)).status).toBe(201);
    }));

  test("whose role is taken in a project loses the tokens in their name there", () =>
    atNode(async ({ ask }) => {
      await setFleetAdmin(fleet, ANN, true);
      await setFleetAdmin(fleet, EVE, true);
      await setRole(fleet, EVE, "shop", "reader");
      for (const project of ["shop", "quay"]) await setRole(fleet, MARY, project, "writer");
      const ann = await signedIn(ANN);
      const make = (person: string | null, project: string | null, scope: "send" | "read", name: string) =>
        testToken(fleet, { project, scope, person, name });
      await make(MARY, "shop", "read", "dashboard");
      await make(MARY, "shop", "send", "laptop");
      await make(MARY, "quay", "read", "quay's");
      await make(MARY, null, "send", "every");
      await make(null, "shop", "send", "build server");
      await make(EVE, "shop", "read", "eve's");
      await make(EVE, "quay", "send", "eve's laptop");
      const live = async (): Promise<string[]> =>
        (await listFleetTokens(fleet, "all")).filter(({ state }) => state === "live").map(({ name }) => name);
      const put = async (email: string, project: string | null, role: string | null): Promise<unknown> =>
        JSON.parse((await ask(ann, "PUT", "/api/fleet/people", { email, project, role })).text);
      expect(await put(MARY, "shop", "reader")).toMatchObject({ isChanged: true, revokedTokens: 0 });
      expect(await put(MARY, "shop", null)).toMatchObject({ isChanged: true, revokedTokens: 2 });
      const left = ["build server", "eve's", "every", "quay's"];
      expect((await live()).toSorted()).toEqual([left[0], left[1], "eve's laptop", left[2], left[3]]);
      // Again is no change, and an admin of the fleet has a role everywhere.
      expect(await put(MARY, "shop", null)).toMatchObject({ isChanged: false, revokedTokens: 0 });
      expect(await put(EVE, "shop", null)).toMatchObject({ isChanged: true, revokedTokens: 0 });
      await put(EVE, "shop", "reader");
      expect(await put(EVE, null, null)).toMatchObject({ isChanged: true, revokedTokens: 1 });
      expect((await live()).toSorted()).toEqual(left);
      const noted = [...(await notedOf("person")), ...(await notedOf("token"))].map(([, project, text]) => [
        project,
        text!
          .split(":")
          .slice(0, text!.startsWith('"') ? 1 : 2)
          .join(":"),
      ]);
      expect(noted).toEqual([
        ["shop", `${MARY}: reader`],
        ["shop", `${MARY}: no role, with 2 tokens`],
        ["shop", `${EVE}: no role`],
        ["shop", `${EVE}: reader`],
        ["*", `${EVE}: no admin of the fleet, with 1 token`],
        ["shop", expect.stringMatching(/^"(dashboard|laptop)" revoked$/)],
        ["shop", expect.stringMatching(/^"(dashboard|laptop)" revoked$/)],
        ["quay", `"eve's laptop" revoked`],
      ]);
    }));

  test("a stream of changes ends with the role of whoever reads it, or with the token", () =>
    atNode(async ({ server }) => {
      for (const email of [ANN, EVE]) await setFleetAdmin(fleet, email, true);
      const { token, id } = await testToken(fleet, { project: null, scope: "read" });
      const open = async (headers: Record<string, string>) => {
        const answer = await fetch(`${server.url}/api/changes`, { headers });
        const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
        expect([answer.status, (await reader.read()).value]).toEqual([200, "retry: 1000\n\n"]);
        return reader;
      };
      const streams = [
        await open({ cookie: `plimsoll_fleet=${await signedIn(ANN)}` }),
        await open({ authorization: `Bearer ${token}` }),
      ];
      server.changes.publish({ type: "sessions" });
      for (const stream of streams) expect((await stream.read()).value).toContain('data: {"type":"sessions"}');
      await setFleetAdmin(fleet, ANN, false);
      await revokeFleetToken(fleet, id, "all");
      clock += KNOWN_MS;
      server.changes.publish({ type: "sessions" });
      for (const stream of streams) expect(await stream.read()).toEqual({ done: true, value: undefined });
    }));

  test("of one owner there are as many searches as are said, and the same name again is none more", async () => {
    const { searches } = nodePeople(fleet, { now: () => clock, provider: null, auditFile: "" });
    await fleet.sql`INSERT INTO saved_searches (owner, name, query) SELECT ${MARY}, 'n' || n, 'x' FROM generate_series(1, ${MOST_SAVED}) n`;
    expect(await searches.save(MARY, { name: "n7", query: "y" })).toMatchObject({ name: "n7", query: "y" });
    await expect(searches.save(MARY, { name: "more", query: "y" })).rejects.toThrow(
      `You saved ${MOST_SAVED} searches.`,
    );
    expect(await searches.save(EVE, { name: "more", query: "y" })).toMatchObject({ name: "more" });
    expect(await searches.drop(MARY, "n7", { who: "test", address: "here" })).toEqual({ deleted: true });
    expect(await searches.save(MARY, { name: "more", query: "z" })).toMatchObject({ query: "z" });
  });
});
