// Two nodes at their doors: whichever is asked, the one that has the session answers, and when that one is gone the other does.
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { hasSession } from "#lib/archive/exports/catalogue-session.ts";
import { inFolder } from "#lib/archive/testing-archive.ts";
import { catalogueNext } from "#lib/fleet/catalogue.ts";
import type { Fleet } from "#lib/fleet/open-fleet.ts";
import { listAudit } from "#lib/fleet/people/audit.ts";
import { setRole } from "#lib/fleet/people/people-rows.ts";
import { openTestFleet, skippedFor, testFleet, testToken } from "#lib/fleet/testing-fleet.ts";
import { readerOf } from "#lib/fleet/testing-sender.ts";
import type { UsageAnswer } from "#lib/wire/usage-schema.ts";
import { withMcp } from "./testing-http.ts";
import { withNodeDoors, type NodeDoor } from "./testing-nodes.ts";

const found = await testFleet();
const said = (n: number) => ({
  record: "event",
  uuid: `u${n}`,
  startsTurn: true,
  body: { type: "user", text: `text ${n}` },
});

describe.skipIf("missing" in found)(`held sessions at the doors of nodes${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  const withNode = (dir: string, name: string, run: (door: NodeDoor) => Promise<void>): Promise<void> =>
    withNodeDoors(fleet, join(dir, name), run);

  const json = async (answer: Response): Promise<never> => {
    expect([answer.status, answer.ok ? "" : await answer.clone().text()]).toEqual([answer.status, ""]);
    return (await answer.json()) as never;
  };

  test("each node answers for all sessions, once for each key, also after a takeover", () =>
    inFolder((dir) =>
      withNode(dir, "one", (one) =>
        withNode(dir, "two", async (two) => {
          const keyed = { headers: { "idempotency-key": "begin-1" } };
          const made = await json(
            await one.server.ask("POST", "/api/sessions", { json: { title: "Harbour" }, ...keyed }),
          );
          const { id } = made as { id: string };
          const path = `/api/sessions/${id}`;
          // The same request at the other node is the same session.
          expect(
            await json(await two.server.ask("POST", "/api/sessions", { json: { title: "Harbour" }, ...keyed })),
          ).toEqual(made);
          const add = (door: NodeDoor, n: number, key: string): Promise<Response> =>
            door.server.ask("POST", `${path}/events`, {
              json: { records: [said(n)] },
              headers: { "idempotency-key": key },
            });
          expect(await json(await add(two, 1, "k1"))).toMatchObject({ seqs: [1] });
          expect(await json(await add(one, 2, "k2"))).toMatchObject({ seqs: [2] });
          expect(hasSession(two.archive, id)).toBe(false);
          const stored = await json(
            await two.server.ask("POST", `${path}/artifacts?name=plan.md`, {
              body: "# Plan\n".repeat(2000),
              headers: { "content-type": "text/markdown" },
            }),
          );
          const { pointer } = stored as { pointer: string };
          expect(await (await two.server.ask("GET", `/api/artifacts/${pointer}/raw`)).text()).toBe(
            "# Plan\n".repeat(2000),
          );
          expect(await json(await two.server.ask("GET", `${path}/events`))).toMatchObject({
            events: [{ seq: 1 }, { seq: 2 }],
          });
          // Passed on twice it would go round.
          const pass = await one.node.held.passFor({
            id: "t",
            kind: "token",
            scope: "write",
            session: null,
            access: "all",
          });
          const round = await two.server.ask("GET", path, { token: pass });
          expect([round.status, round.headers.get("plimsoll-moved")]).toEqual([409, "1"]);
          expect((await two.server.ask("GET", path, { token: `${pass}x` })).status).toBe(401);
          // Somebody of another project finds nothing, and cannot take the name.
          const { token } = await testToken(fleet, { project: "elsewhere", scope: "write" });
          expect((await two.server.ask("GET", path, { token })).status).toBe(404);
          expect(
            (
              await add(
                { ...two, server: { ...two.server, ask: (m, p, i) => two.server.ask(m, p, { ...i, token }) } },
                3,
                "k3",
              )
            ).status,
          ).toBe(404);

          // The first node is gone.
          await fleet.sql`UPDATE held_sessions SET until = clock_timestamp() - interval '1 second' WHERE session = ${id}`;
          two.node.held.doubt(id);
          const again = await add(two, 2, "k2");
          expect([again.headers.get("idempotency-replayed"), await json(again)]).toMatchObject(["true", { seqs: [2] }]);
          expect(await json(await add(two, 3, "k3"))).toMatchObject({ seqs: [3] });
          expect(
            await json(await add(one, 4, "k4").then((answer) => (answer.status === 409 ? add(one, 4, "k4") : answer))),
          ).toMatchObject({ seqs: [4] });
          const all = { events: [{ seq: 1 }, { seq: 2 }, { seq: 3 }, { seq: 4 }] };
          expect(await json(await one.server.ask("GET", `${path}/events`))).toMatchObject(all);
          // The first node dropped its copy. A reader who came a moment before is not told that there is no such session.
          expect(hasSession(one.archive, id)).toBe(false);
          const late = vi.spyOn(one.node.held, "locate").mockResolvedValueOnce({ kind: "here" });
          expect(await json(await one.server.ask("GET", `${path}/events`))).toMatchObject(all);
          expect(late).toHaveBeenCalledTimes(2);
          late.mockRestore();
        }),
      ),
    ));

  test("a session that an agent writes is of the person of its token, whichever node packs it", () =>
    inFolder((dir) =>
      withNode(dir, "one", (one) =>
        withNode(dir, "two", async (two) => {
          const tokenOf = async (person: string | null): Promise<string> =>
            (await testToken(fleet, { project: "dock", scope: "write", person })).token;
          await setRole(fleet, "mary@example.com", "dock", "writer");
          const [marys, nobodys] = [await tokenOf("mary@example.com"), await tokenOf(null)];
          const people = async (): Promise<(string | null)[]> => {
            const answer = await two.server.ask("GET", "/api/usage?by=person", { token: nobodys });
            return ((await json(answer)) as UsageAnswer).daily!.map(({ group }) => group!);
          };
          const call = (key: string): object => ({
            ...{ record: "call", key, model: "claude-sonnet-4-5", ts: "2026-05-31T10:00:00.000Z" },
            usage: { inputUncached: 100, cacheRead: 0, cacheWrite: 0, output: 10, reasoning: 0, origin: "reported" },
          });
          const add = async (door: NodeDoor, id: string, n: number, token: string): Promise<void> => {
            const records = [said(n), call(`c${n}`)];
            const ask = (): Promise<Response> =>
              door.server.ask("POST", `/api/sessions/${id}/events`, { token, json: { records } });
            // One that had the session before hears that it lost it.
            const answer = await ask();
            await json(answer.status === 409 ? await ask() : answer);
          };
          const move = async (door: NodeDoor, id: string): Promise<void> => {
            await fleet.sql`UPDATE held_sessions SET until = clock_timestamp() - interval '1 second' WHERE session = ${id}`;
            door.node.held.doubt(id);
            expect(await door.node.held.locate(id)).toEqual({ kind: "here" });
          };
          const personOf = async (id: string): Promise<unknown> =>
            (await fleet.sql`SELECT person FROM families WHERE project = 'dock' AND id = ${id}`)[0]?.["person"];
          // What JSON can say and the database's text cannot.
          const begun = { title: "Pier \0 \ud800" };
          const { id } = (await json(await one.server.ask("POST", "/api/sessions", { token: marys, json: begun }))) as {
            id: string;
          };
          await add(one, id, 1, marys);

          // Taken over before anything was packed, and written by somebody else.
          await move(two, id);
          await add(two, id, 2, nobodys);
          await two.node.held.tend();
          expect([await personOf(id), await people()]).toEqual(["mary@example.com", ["mary@example.com"]]);
          // What is packed again says so, at the first node too.
          await move(one, id);
          await add(one, id, 3, nobodys);
          await one.node.held.tend();
          expect(await personOf(id)).toBe("mary@example.com");

          // Deleted and restored, and written once more.
          const by = { who: "test", address: "test", managed: "all" } as const;
          await one.node.retention.remove({ ...by, session: id, reason: "", dryRun: false });
          expect(await people()).toEqual([]);
          await one.node.retention.restore({ ...by, session: id });
          await catalogueNext(fleet, readerOf(two.archive));
          expect([await personOf(id), await people()]).toEqual(["mary@example.com", ["mary@example.com"]]);
          two.node.held.doubt(id);
          await add(two, id, 4, nobodys);
          await two.node.held.tend();
          expect(await personOf(id)).toBe("mary@example.com");

          // One that a token of nobody begins has no person, whoever goes on with it.
          const other = (
            (await json(await two.server.ask("POST", "/api/sessions", { token: nobodys, json: {} }))) as {
              id: string;
            }
          ).id;
          await add(one, other, 1, marys);
          await two.node.held.tend();
          expect(await personOf(other)).toBe(null);
        }),
      ),
    ));

  test("an agent of a project has the tools of its session over MCP, at any node, and no other", () =>
    inFolder((dir) =>
      withNode(dir, "one", (one) =>
        withNode(dir, "two", async (two) => {
          const tokenOf = async (project: string, scope: "read" | "write"): Promise<string> =>
            (await testToken(fleet, { project, scope })).token;
          const [writer, reader, stranger] = [
            await tokenOf("shop", "write"),
            await tokenOf("shop", "read"),
            await tokenOf("quay", "write"),
          ];
          const begin = async (token: string): Promise<string> =>
            ((await json(await one.server.ask("POST", "/api/sessions", { token, json: {} }))) as { id: string }).id;
          const [own, other] = [await begin(writer), await begin(writer)];
          const store = (name: string) => ({
            name: "artifact_store",
            arguments: { name, value: "lanterns and ropes" },
          });
          const call = (session: string, token: string, params: object): Promise<unknown> =>
            withMcp(`${two.server.url}/mcp?session=${session}`, token, (client) => client.callTool(params as never));
          expect(await call(own, writer, store("list"))).toMatchObject({ isError: false });
          expect(await call(own, reader, { name: "artifact_read", arguments: { artifact_id: "list" } })).toMatchObject({
            content: [{ text: expect.stringContaining("lanterns and ropes") as string }],
          });
          // What a session of the same project has is not its own.
          expect(
            await call(other, reader, { name: "artifact_read", arguments: { artifact_id: "list" } }),
          ).toMatchObject({
            isError: true,
          });
          // Who only reads is not offered what stores.
          await expect(call(own, reader, store("more"))).rejects.toThrow('There is no tool "artifact_store" here');
          await expect(call(own, stranger, store("more"))).rejects.toThrow();
          const tool = (path: string, token: string): Promise<Response> =>
            two.server.ask("POST", `/api/tools/artifact_read${path}`, { token, json: { artifact_id: "list" } });
          expect(await json(await tool(`?session=${own}`, reader))).toMatchObject({ isError: false });
          expect((await tool(`?session=${own}`, stranger)).status).toBe(404);
          expect([(await tool("", reader)).status, await (await tool("", reader)).text()]).toEqual([
            400,
            expect.stringContaining("needs ?session= with one session of your projects"),
          ]);
          // Who sees every project is noted where they read, also at the node that has the session.
          await json(await two.server.ask("GET", `/api/sessions/${own}/events`));
          expect(
            (await listAudit(fleet, { visible: ["shop"], limit: 5 })).map(({ session, detail }) => [session, detail]),
          ).toEqual([[own, "GET /api/sessions/:id/events"]]);
        }),
      ),
    ));

  test("a read that a node passes on is noted with where it came from", () =>
    inFolder((dir) =>
      withNode(dir, "one", (one) =>
        withNode(dir, "two", async (two) => {
          const { token } = await testToken(fleet, { project: "reef", scope: "write" });
          const { token: all } = await testToken(fleet, { project: null, scope: "read" });
          const begun = await one.server.ask("POST", "/api/sessions", { token, json: {} });
          const { id } = (await json(begun)) as { id: string };
          const status = await new Promise<number | undefined>((resolve, failed) => {
            const url = `${two.server.url}/api/sessions/${id}/events`;
            const options = { localAddress: "127.0.0.3", headers: { authorization: `Bearer ${all}` } };
            request(url, options, (answer) => resolve(answer.resume().statusCode))
              .once("error", failed)
              .end();
          });
          expect(status).toBe(200);
          const [row] = await listAudit(fleet, { visible: ["reef"], limit: 5 });
          expect(row).toMatchObject({ session: id, address: "127.0.0.3" });
        }),
      ),
    ));

  test("where the node of a session does not answer, another waits for its lease to end and goes on", () =>
    inFolder(async (dir) => {
      let id = "";
      await withNode(dir, "two", async (two) => {
        await withNode(dir, "one", async (one) => {
          ({ id } = await json(await one.server.ask("POST", "/api/sessions", { json: { id: "gone" } })));
          await json(await one.server.ask("POST", `/api/sessions/${id}/events`, { json: { records: [said(1)] } }));
          await fleet.sql`UPDATE held_sessions SET holder = 'killed', until = clock_timestamp() + interval '1 second' WHERE session = ${id}`;
          await fleet.sql`INSERT INTO nodes (id, address, host) VALUES ('killed', 'http://127.0.0.1:9', '127.0.0.1:9')`;
        });
        const answer = await two.server.ask("POST", `/api/sessions/${id}/events`, { json: { records: [said(2)] } });
        expect(await json(answer)).toMatchObject({ seqs: [2] });
      });
    }));
});
