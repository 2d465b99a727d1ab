// Deletion and limits over HTTP: for the admins of the project alone; nobody else learns that there is such a session.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { inFolder, put, withArchive } from "#lib/archive/testing-archive.ts";
import type { Fleet } from "#lib/fleet/open-fleet.ts";
import { openTestFleet, sessionRecords, skippedFor, testFleet, testToken } from "#lib/fleet/testing-fleet.ts";
import { sendAll } from "#lib/fleet/testing-sender.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { withDoors } from "./testing-http.ts";

const found = await testFleet();

describe.skipIf("missing" in found)(`deletion over HTTP${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  test("an admin of the project deletes, lists, restores and sets limits; others get nothing", () =>
    inFolder((dir) =>
      withArchive(join(dir, "laptop"), (laptop) =>
        withArchive(join(dir, "node"), async (archive) => {
          const native = "0a1b2c3d-0000-4000-8000-00000000dd01";
          const lines = sessionRecords(native, "/home/user/shop", ["hello"]).map((one) => `${JSON.stringify(one)}\n`);
          put(join(dir, "logs"), `${native}.jsonl`, lines.join(""));
          await importPaths(laptop, [join(dir, "logs")]);
          const node = await sendAll(fleet, laptop, archive, "shop");
          const session = (await node.listSessions(sessionsQuery.parse({}), "all")).sessions[0]!.id;
          const tokenOf = async (project: string, scope: "send" | "read" | "write" | "admin"): Promise<string> =>
            (await testToken(fleet, { project, scope })).token;
          const [admin, writer, other, sender] = await Promise.all([
            ...[tokenOf("shop", "admin"), tokenOf("shop", "write"), tokenOf("yard", "admin"), tokenOf("yard", "send")],
          ]);
          await withDoors(
            archive,
            async (server) => {
              const ask = async (method: string, path: string, token: string, json?: object) => {
                const response = await server.ask(method, path, { token, ...(json && { json }) });
                return { status: response.status, body: (await response.json()) as Record<string, unknown> };
              };
              const get = (token: string) => ask("GET", `/api/sessions/${session}`, token);
              // A limit of one node would delete what agents stored, for the whole fleet.
              const operator = (await testToken(fleet, { project: null, scope: "admin" })).token;
              const quota = {
                maxAgeDays: null,
                maxBytes: null,
                keepNamed: true,
                sessionBytes: 1e9,
                archiveBytes: null,
              };
              expect((await ask("PUT", "/api/retention", operator, quota)).status).toBe(200);
              for (const limit of [{ maxAgeDays: 1 }, { maxBytes: 1 }])
                expect((await ask("PUT", "/api/retention", operator, { ...quota, ...limit })).body).toMatchObject({
                  error: { code: "unsupported", message: expect.stringContaining("plimsoll fleet retention") },
                });
              const reason = "has a password";
              const remove = (token: string, of = session) =>
                ask("POST", "/api/fleet/delete", token, { session: of, reason });
              expect((await remove(writer!)).status).toBe(403);
              const [hidden, absent] = [await remove(other!), await remove(other!, "s_ffffffffffffffff")];
              expect(hidden.status).toBe(404);
              expect(JSON.stringify(hidden.body).replaceAll(session, "NAME")).toBe(
                JSON.stringify(absent.body).replaceAll("s_ffffffffffffffff", "NAME"),
              );
              expect((await get(writer!)).status).toBe(200);
              const preview = (token: string, limits: object) =>
                ask("POST", "/api/fleet/retention/preview", token, {
                  project: "shop",
                  days: null,
                  bytes: null,
                  ...limits,
                });
              expect((await preview(admin!, { bytes: 1 })).body).toEqual({
                ...{ project: "shop", days: null, bytes: 1 },
                over: { families: 1, sessions: 1, bytes: Buffer.byteLength(lines.join("")) },
              });
              expect((await preview(admin!, { days: 36_500, bytes: 1e9 })).body).toMatchObject({
                over: { families: 0, sessions: 0, bytes: 0 },
              });
              for (const token of [writer!, other!, sender!])
                expect((await preview(token, { bytes: 1 })).status).toBe(403);
              // Nothing was set by it.
              expect((await ask("GET", "/api/fleet/retention", admin!)).body).toEqual({ projects: [] });

              expect(await remove(admin!)).toMatchObject({
                status: 200,
                body: { project: "shop", family: session, dryRun: false },
              });
              expect(await get(writer!)).toMatchObject({
                status: 404,
                body: { error: { message: expect.stringContaining("was deleted on") } },
              });
              expect((await get(other!)).body).toMatchObject({
                error: { message: expect.not.stringContaining("was deleted") },
              });
              const list = (token: string) => ask("GET", "/api/fleet/deleted", token);
              expect((await list(admin!)).body).toMatchObject({ families: [{ family: session, reason }] });
              expect((await list(other!)).body).toEqual({ families: [] });
              const family = { project: "shop", sessions: [session], bytes: 1e9 };
              expect((await ask("POST", "/api/fleet/missing", sender!, { objects: [], family })).status).toBe(403);

              const restore = (token: string) => ask("POST", "/api/fleet/restore", token, { session });
              expect((await restore(other!)).status).toBe(404);
              expect((await restore(admin!)).body).toMatchObject({ family: session, isRestored: true });
              expect((await list(admin!)).body).toEqual({ families: [] });

              const limit = (token: string) =>
                ask("PUT", "/api/fleet/retention", token, { project: "shop", days: 90, bytes: null });
              expect((await limit(other!)).status).toBe(403);
              expect((await limit(admin!)).body).toEqual({ project: "shop", days: 90, bytes: null });
              expect((await ask("GET", "/api/fleet/retention", other!)).body).toEqual({ projects: [] });
              const { body } = await ask("GET", "/api/fleet/audit", admin!);
              expect(
                (body["rows"] as { action: string; detail: string }[]).map((row) => [row.action, row.detail]),
              ).toEqual([
                ["retention", "keeps 90 days, any size"],
                ["restore", ""],
                ["delete", `${reason}: 1 session`],
              ]);
            },
            undefined,
            node,
          );
        }),
      ),
    ));
});
