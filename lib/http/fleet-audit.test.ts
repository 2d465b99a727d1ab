// The audit log of a fleet: what admins read outside their own projects, also while the database is away.
import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { inFolder, put, withArchive } from "#lib/archive/testing-archive.ts";
import type { Fleet } from "#lib/fleet/open-fleet.ts";
import { listAudit, openAudit } from "#lib/fleet/people/audit.ts";
import { setFleetAdmin, setRole } from "#lib/fleet/people/people-rows.ts";
import { createLink, redeemLink } from "#lib/fleet/people/sign-ins.ts";
import { fleetNode } from "#lib/fleet/fleet-node.ts";
import { openTestFleet, sessionRecords, skippedFor, testFleet, testToken } from "#lib/fleet/testing-fleet.ts";
import { readerOf, sendAll } from "#lib/fleet/testing-sender.ts";
import { AppError } from "#lib/kernel/errors.ts";
import { auditAnswer, auditQuery, type AuditRow } from "#lib/wire/fleet-people-schema.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { withDoors } from "./testing-http.ts";

const found = await testFleet();

describe.skipIf("missing" in found)(`the audit log${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  test("an admin's reads outside their own projects are rows, and nobody else's are", () =>
    inFolder((dir) =>
      withArchive(join(dir, "laptop"), (laptop) =>
        withArchive(join(dir, "node"), async (archive) => {
          const id = "0a1b2c3d-0000-4000-8000-00000000000d";
          const lines = sessionRecords(id, "/home/user/shop", ["hello"]).map((one) => `${JSON.stringify(one)}\n`);
          put(join(dir, "logs"), `${id}.jsonl`, lines.join(""));
          await importPaths(laptop, [join(dir, "logs")]);
          const node = await sendAll(fleet, laptop, archive, "shop");
          await withDoors(
            archive,
            async (server) => {
              const session = (await node.listSessions(sessionsQuery.parse({}), "all")).sessions[0]!.id;
              const cookieOf = async (email: string): Promise<string> =>
                `plimsoll_fleet=${(await redeemLink(fleet, await createLink(fleet, email, 5)))!}`;
              const get = (path: string, cookie: string) => fetch(server.url + path, { headers: { cookie } });
              await setRole(fleet, "mary@example.com", "shop", "reader");
              await setFleetAdmin(fleet, "ann@example.com", true);
              await setFleetAdmin(fleet, "eve@example.com", true);
              await setRole(fleet, "eve@example.com", "shop", "admin");
              const [mary, ann, eve] = await Promise.all(
                ["mary", "ann", "eve"].map((one) => cookieOf(`${one}@example.com`)),
              );
              for (const cookie of [mary!, eve!, ann!, ann!])
                expect((await get(`/api/sessions/${session}/events`, cookie)).status).toBe(200);
              await get("/api/artifacts?q=secret", ann!);
              const rows = await listAudit(fleet, { visible: "all", limit: 10 });
              expect(
                rows.map(({ who, action, project, session: of, detail }) => [who, action, project, of, detail]),
              ).toEqual([
                ["person:ann@example.com", "read", "*", null, "GET /api/artifacts"],
                ["person:ann@example.com", "read", "shop", session, "GET /api/sessions/:id/events"],
              ]);
              expect(rows[0]!.address).toContain("127.0.0.1");
              const { token } = await testToken(fleet, { project: "shop", scope: "admin" });
              const asked = await server.ask("GET", "/api/fleet/audit", { token });
              expect(((await asked.json()) as { rows: AuditRow[] }).rows.map(({ project }) => project)).toEqual([
                "shop",
              ]);
              expect((await get("/api/fleet/audit", mary!)).status).toBe(403);
              // The command line's own token is nobody's of a project.
              await server.ask("GET", `/api/sessions/${session}`);
              expect((await listAudit(fleet, { visible: ["shop"], limit: 10 })).map(({ who }) => who)).toEqual([
                "command-line",
                "person:ann@example.com",
              ]);
            },
            undefined,
            node,
          );
        }),
      ),
    ));

  test("what people delete of what they keep is a row each, and what they only change is none", () =>
    inFolder((dir) =>
      withArchive(join(dir, "laptop"), (laptop) =>
        withArchive(join(dir, "node"), async (archive) => {
          const id = "0a1b2c3d-0000-4000-8000-00000000000e";
          const lines = sessionRecords(id, "/home/user/pier", ["hello", "again"]).map(
            (one) => `${JSON.stringify(one)}\n`,
          );
          put(join(dir, "logs"), `${id}.jsonl`, lines.join(""));
          await importPaths(laptop, [join(dir, "logs")]);
          const node = await sendAll(fleet, laptop, archive, "pier");
          await withDoors(
            archive,
            async (server) => {
              const { token } = await testToken(fleet, { project: "pier", scope: "admin" });
              const session = (await node.listSessions(sessionsQuery.parse({}), ["pier"])).sessions[0]!.id;
              const ask = async (method: string, path: string, json: object, status = 200): Promise<unknown> => {
                const answer = await server.ask(method, path, { token, json });
                const text = await answer.text();
                expect([answer.status, text]).toEqual([status, text]);
                return JSON.parse(text);
              };
              const marks = `/api/sessions/${session}/marks`;
              const off = { on: false };
              for (const one of [
                { kind: "label", value: "reef" },
                { kind: "star", seq: 1 },
                { kind: "note", value: "One" },
                { kind: "note", value: "Two" },
                { kind: "label", value: "other", ...off },
                { kind: "label", value: "reef", ...off },
                { kind: "label", value: "reef", ...off },
                { kind: "star", seq: 1, ...off },
                { kind: "note", value: "" },
              ])
                await ask("PUT", marks, one);
              const item = (await ask("POST", `/api/sessions/${session}/memory`, {
                ...{ do: "add", kind: "semantic", text: "The reef is charted." },
              })) as { id: string };
              await ask("POST", `/api/sessions/${session}/memory`, { do: "delete", id: item.id });
              await ask("PUT", "/api/usage/budgets", { period: "day", project: "pier", limitUsd: 5 });
              await ask("PUT", "/api/usage/budgets", { period: "day", project: "pier", limitUsd: 8 });
              await ask("PUT", "/api/usage/budgets", { period: "day", project: "pier", limitUsd: null });
              await ask("PUT", "/api/usage/budgets", { period: "day", project: "pier", limitUsd: null }, 404);
              await ask("PUT", "/api/searches", { name: "mine", query: "reef" });
              await ask("DELETE", "/api/searches", { name: "mine" });
              const rows = await listAudit(fleet, { visible: "all", limit: 10 });
              const [{ who }] = rows as [AuditRow];
              expect(who).toMatch(/^token:ft_/);
              expect(
                rows
                  .filter((row) => row.who === who && row.action === "delete")
                  .map(({ project, session: of, detail }) => [project, of, detail])
                  .toReversed(),
              ).toEqual([
                ["pier", session, 'label "reef"'],
                ["pier", session, "star of event 1"],
                ["pier", session, "note"],
                ["pier", session, `memory item ${item.id}`],
                ["pier", null, "budget of $8.00, day"],
                ["*", null, 'saved search "mine"'],
              ]);
              // A word of a newer version is read, not refused.
              const known = { ...rows[0]!, action: "annul" };
              expect(auditAnswer.parse({ rows: [known] }).rows).toEqual([known]);
            },
            undefined,
            node,
          );
        }),
      ),
    ));

  test("rows that were noted while the database was away go in when it is back, once", () =>
    inFolder(async (dir) => {
      let isAway = true;
      const shaky: Fleet = {
        ...fleet,
        ask: (run) => (isAway ? Promise.reject(new AppError("timeout", "away")) : fleet.ask(run)),
      };
      const file = join(dir, "fleet", "audit.jsonl");
      // A clock that stands still: rows of one millisecond keep their order.
      const at = Date.now();
      const audit = openAudit(shaky, file, () => at);
      const row = { who: "w", action: "read", project: "away", address: "a", detail: "" } as const;
      for (const session of ["s_1", "s_1"]) await audit.note({ ...row, session });
      // A node was killed while it wrote a row.
      appendFileSync(file, '{"who":"w","act');
      await audit.note({ ...row, session: "s_2" });
      isAway = false;
      const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
      // A page asks a dozen times, and the node's own loop looks, too.
      await Promise.all([audit.flush(), audit.note({ ...row, session: "s_3" }), audit.flush()]);
      expect(said.mock.calls).toEqual([[expect.stringContaining("row of the audit log")]]);
      said.mockRestore();
      const rows = await listAudit(fleet, { visible: ["away"], limit: 10 });
      expect(rows.map(({ session }) => session)).toEqual(["s_3", "s_2", "s_1"]);
      expect(existsSync(file)).toBe(false);
      const pages: (string | null)[] = [];
      for (let before: string | undefined; pages.length < 9;) {
        const [row] = await listAudit(fleet, {
          visible: ["away"],
          limit: 1,
          before: auditQuery.parse({ before }).before,
        });
        if (row === undefined) break;
        pages.push(row.session);
        before = row.at;
      }
      expect(pages).toEqual(["s_3", "s_2", "s_1"]);
    }));

  test("the log is narrowed to who, what and the last days; a project's admins find rows of their own alone", () =>
    inFolder((dir) =>
      withArchive(join(dir, "node"), async (archive) => {
        await fleet.sql`DELETE FROM audit`;
        const rows: readonly (readonly [who: string, action: string, project: string, daysAgo: number])[] = [
          ["person:ann@example.com", "read", "shop", 0],
          ["person:ann@example.com", "delete", "shop", 3],
          ["person:bob@example.com", "delete", "shop", 40],
          ["token:ft_00aa11bb22cc", "person", "quay", 1],
          ["person:ann@example.com", "read", "*", 2],
        ];
        for (const [who, action, project, daysAgo] of rows)
          await fleet.sql`INSERT INTO audit (project, at, who, action, address, detail)
            VALUES (${project}, now() - ${daysAgo} * interval '1 day' - interval '1 minute', ${who}, ${action}, 'a', ${`${project} ${daysAgo}`})`;
        const node = fleetNode({ ...fleet, close: () => Promise.resolve() }, readerOf(archive), 1e9);
        const tokenOf = async (project: string | null): Promise<string> =>
          (await testToken(fleet, { project, scope: "admin" })).token;
        const [all, shop] = [await tokenOf(null), await tokenOf("shop")];
        await withDoors(
          archive,
          async (server) => {
            const find = async (query: string, token = all): Promise<string[]> => {
              const answer = await server.ask("GET", `/api/fleet/audit?${query}`, { token });
              expect(answer.status).toBe(200);
              return auditAnswer.parse(await answer.json()).rows.map(({ detail }) => detail);
            };
            expect(await find("")).toEqual(["shop 0", "quay 1", "* 2", "shop 3", "shop 40"]);
            expect(await find("who=ANN@example")).toEqual(["shop 0", "* 2", "shop 3"]);
            expect(await find("who=ft_00aa")).toEqual(["quay 1"]);
            // A sign of a pattern is a letter like others.
            expect(await find("who=%25")).toEqual([]);
            expect(await find("action=delete")).toEqual(["shop 3", "shop 40"]);
            expect(await find("days=2")).toEqual(["shop 0", "quay 1"]);
            expect(await find("project=*")).toEqual(["* 2"]);
            expect(await find("who=ann&action=read&days=30&project=shop")).toEqual(["shop 0"]);
            expect(await find("who=ann", shop)).toEqual(["shop 0", "shop 3"]);
            expect(await find("project=quay", shop)).toEqual([]);
            for (const wrong of ["days=0", "days=x", "who=%00", "project=%00", "action=%00", `who=${"a".repeat(400)}`])
              expect((await server.ask("GET", `/api/fleet/audit?${wrong}`, { token: all })).status).toBe(400);
          },
          undefined,
          node,
        );
        await node.close();
      }),
    ));
});
