// A sender, two nodes, PostgreSQL and a gateway: what one machine sends is listed by the database and opens on a node that has
// never seen it, as on the machine that it came from.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasSession } from "#lib/archive/exports/catalogue-session.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { listSessions } from "#lib/archive/sessions/list-sessions.ts";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import { inFolder, put, withArchive } from "#lib/archive/testing-archive.ts";
import { migrateFleet, FLEET_MIGRATIONS } from "#db/fleet/fleet-database.ts";
import { skippedFor } from "#lib/blobs/testing-services.ts";
import type { SentFamily } from "#lib/wire/fleet-schema.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { catalogueNext } from "./catalogue.ts";
import { claimCommit, clean, familyOf, jsonOf, renewClaim, requireClaim } from "./commits.ts";
import { checkFleet } from "./check/check-fleet.ts";
import { fleetStats } from "./fleet-stats.ts";
import { besideSessions } from "./beside-sessions.ts";
import { sessionCache } from "./session-cache.ts";
import { fleetNode } from "./fleet-node.ts";
import type { Fleet } from "./open-fleet.ts";
import { excludedBy } from "./excluded-folders.ts";
import { sendSessions, type SendOptions } from "./send-sessions.ts";
import { openTestFleet, sessionRecords, testFleet } from "./testing-fleet.ts";
import { readerOf, SENDING, withDoor } from "./testing-sender.ts";

const found = await testFleet();
const lines = (records: readonly object[]): string => records.map((one) => `${JSON.stringify(one)}\n`).join("");

test.runIf(process.env["CI"] !== undefined)("continuous integration has a database and a gateway", () => {
  expect(found).toHaveProperty("address");
});

describe.skipIf("missing" in found)(`a fleet${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  test("migrating twice, and at once, is migrating once", async () => {
    const all = await Promise.all([migrateFleet(fleet.sql), migrateFleet(fleet.sql), migrateFleet(fleet.sql)]);
    expect(all).toEqual(all.map(() => ({ from: FLEET_MIGRATIONS.length, to: FLEET_MIGRATIONS.length })));
  });

  test("what is sent is listed, searched, and opens on another node as where it came from", async () => {
    await inFolder(async (dir) => {
      await withArchive(join(dir, "laptop"), (laptop) =>
        withArchive(join(dir, "one"), (one) =>
          withArchive(join(dir, "two"), async (two) => {
            const logs = join(dir, "logs", "projects", "-home-user-shop");
            const id = "0a1b2c3d-0000-4000-8000-000000000001";
            const prompts = ["please repair the moorings", `long output ${"x".repeat(9000)}`];
            put(logs, `${id}.jsonl`, lines(sessionRecords(id, "/home/user/shop", prompts)));
            put(
              logs,
              "0a1b2c3d-0000-4000-8000-000000000002.jsonl",
              lines(sessionRecords("0a1b2c3d-0000-4000-8000-000000000002", "/home/user/secret", ["private"])),
            );
            await importPaths(laptop, [logs]);
            let clock = 0;
            const now = (): number => (clock += 10_000);
            const nodes = [one, two].map((archive) => fleetNode(fleet, readerOf(archive), 1e9, now));
            await withDoor(nodes[0]!, async (to) => {
              const send = (more: Partial<SendOptions> = {}) =>
                sendSessions(laptop, { ...SENDING, exclude: ["/home/user/secret"], ...more, to });

              const dry = await send({ dryRun: true });
              expect(dry.map(({ state }) => state).toSorted()).toEqual(["excluded", "would send"]);
              expect((await fleetStats(fleet)).objects.count).toBe(0);
              const sent = await send();
              expect(sent.find(({ state }) => state === "sent")).toMatchObject({
                objects: 1,
                sentObjects: 1,
                cwd: "/home/user/shop",
              });
              expect(await catalogueNext(fleet, readerOf(one))).toBe("done");
              expect(await catalogueNext(fleet, readerOf(one))).toBe(null);

              // Cataloguing judges a session first; here nobody has yet.
              await readerOf(laptop).judge(sent.map((row) => row.id));
              const query = sessionsQuery.parse({ sums: "1", group: "project" });
              const listed = await nodes[1]!.listSessions(query, "all");
              const local = await listSessions(
                laptop,
                sessionsQuery.parse({ project: "/home/user/shop", sums: "1", group: "project" }),
              );
              const same = (row: (typeof listed.sessions)[number]): object => ({ ...row, status: "idle" });
              expect(listed.sessions.map(same)).toEqual(local.sessions.map(same));
              expect({ total: listed.total, counts: listed.counts.all, projects: listed.facets.projects }).toEqual({
                total: 1,
                counts: 1,
                projects: [{ value: "/home/user/shop", count: 1 }],
              });
              expect([listed.sums, listed.groups]).toEqual([local.sums, local.groups]);
              for (const [q, total] of [
                ["moorings", 1],
                ["moor*", 1],
                ['"the moorings"', 1],
                ["absent", 0],
                ["moorings -please", 0],
                ["private", 0],
              ] as const)
                expect([q, (await nodes[1]!.listSessions(sessionsQuery.parse({ q }), "all")).total]).toEqual([
                  q,
                  total,
                ]);

              const session = listed.sessions[0]!.id;
              await nodes[1]!.ensure(session, "all");
              const opened = await showSession(two, session);
              const origin = await showSession(laptop, session);
              for (const key of ["title", "events", "usage", "cost", "turns", "modelCalls", "cwd", "nativeId"] as const)
                expect([key, opened[key]]).toEqual([key, origin[key]]);

              // It grows: only what is new is sent, and the list and the second node follow.
              expect((await send()).map(({ state }) => state).toSorted()).toEqual(["excluded", "unchanged"]);
              put(
                logs,
                `${id}.jsonl`,
                lines(sessionRecords(id, "/home/user/shop", [...prompts, "and the lighthouse"])),
              );
              await importPaths(laptop, [logs]);
              expect((await send()).some(({ state }) => state === "sent")).toBe(true);
              expect(await catalogueNext(fleet, readerOf(one))).toBe("done");
              expect((await nodes[0]!.listSessions(query, "all")).sessions[0]).toMatchObject({ id: session, turns: 3 });
              await nodes[1]!.ensure(session, "all");
              expect((await showSession(two, session)).turns).toBe(3);
              await withArchive(join(dir, "three"), async (three) => {
                let time = 1e9;
                const small = sessionCache(fleet, readerOf(three), 1, besideSessions(fleet, three), () => time);
                expect(await small.ensure(session, "all")).toMatchObject({
                  id: session,
                  project: "team",
                  isFetched: true,
                });
                // Over its bound, and open.
                expect(await small.evict()).toBeGreaterThan(1);
                expect(hasSession(three, session)).toBe(true);
                time += 6 * 60_000;
                expect([await small.evict(), hasSession(three, session)]).toEqual([0, false]);
                const again = await small.ensure(session, "all");
                expect([again.isFetched, (await showSession(three, session)).turns]).toEqual([true, 3]);
                // What nobody has open goes before another comes in, not after.
                time += 6 * 60_000;
                const [row] = await fleet.sql<{ body: SentFamily }[]>`SELECT body FROM families LIMIT 1`;
                const { manifest, entries } = familyOf(row!.body);
                await small.makeRoom("team", { manifest, entries });
                expect(hasSession(three, session)).toBe(true);
                await small.makeRoom("other", { manifest, entries });
                expect([small.bytes(), hasSession(three, session)]).toEqual([0, false]);
              });
              expect(await checkFleet(fleet)).toMatchObject({ missing: [], failed: [] });
              expect((await fleetStats(fleet)).commits).toMatchObject({ done: 2, waiting: 0, failed: 0 });
            });
          }),
        ),
      );
    });
  });

  test("of two nodes that ask at once one gets a commit, and a claim that was taken over finishes nothing", async () => {
    const { sql } = fleet;
    for (const n of [1, 2, 3, 4, 5, 6])
      await sql`INSERT INTO commits (project, id, family, sender, state, bytes, body) VALUES ('claims', ${`c${n}`}, ${`f${n}`}, 's', 'waiting', 1, '{}')`;
    const claims = await Promise.all(Array.from({ length: 8 }, () => claimCommit(fleet)));
    const got = claims.flatMap((one) => (one === null ? [] : [one]));
    expect(got.map(({ id }) => id).toSorted()).toEqual(["c1", "c2", "c3", "c4", "c5", "c6"]);
    await sql`UPDATE commits SET claimed_until = now() - interval '1 second' WHERE project = 'claims' AND id = 'c1'`;
    const old = got.find(({ id }) => id === "c1")!;
    const fresh = await claimCommit(fleet);
    expect(fresh).toMatchObject({ id: "c1", attempt: old.attempt + 1 });
    expect([await renewClaim(fleet, old), await renewClaim(fleet, fresh!)]).toEqual([false, true]);
    await expect(sql.begin((tx) => requireClaim(tx, old))).rejects.toMatchObject({ code: "conflict" });
    await sql.begin((tx) => requireClaim(tx, fresh!));
    await sql`DELETE FROM commits WHERE project = 'claims'`;
  });

  test("a question on a connection that was cut ends, and its process goes on", async () => {
    const { database } = (found as Extract<typeof found, { address: object }>).address;
    const program = join(import.meta.dirname, "../../db/fleet/testing-cut.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [program, database], { timeout: 30_000 });
    expect(JSON.parse(stdout)).toEqual({ outcome: "timeout", after: 1 });
  });

  test("any text survives the database, except for what its types do not have", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 40 }), async (text) => {
        const [row] = await fleet.sql<
          { text: string; json: { text: string } }[]
        >`SELECT ${clean(text)}::text AS text, ${fleet.sql.json(jsonOf({ text }))}::jsonb AS json`;
        expect(row).toEqual({ text: clean(text), json: { text: clean(text) } });
      }),
      { numRuns: 30 },
    );
  });
});

test("a rule keeps its folder and what lies below it here, and nothing beside it", () => {
  expect(excludedBy(["/home/user/secret"], ["/home/user/secret"])).toBe("/home/user/secret");
  expect(excludedBy(["/home/user/secret/deep/er"], ["/home/user/secret/"])).toBe("/home/user/secret/");
  expect(excludedBy(["/home/user/secrets"], ["/home/user/secret"])).toBe(null);
  expect(excludedBy(["/home/other/work"], ["/home/*/work"])).toBe("/home/*/work");
  expect(excludedBy(["/a", "/home/other/work/x"], ["/home/*/work"])).toBe("/home/*/work");
  expect(excludedBy([], ["/home"])).toBe(null);
});

test("a rule for a folder of Windows holds with either slash, in any case of letters", () => {
  for (const rule of ["D:/oh-my-posh", "D:\\oh-my-posh", "d:\\Oh-My-Posh\\", "D:/oh-*"])
    for (const folder of ["D:\\oh-my-posh", "D:\\oh-my-posh\\src\\cli", "D:/oh-my-posh/src"])
      expect([rule, folder, excludedBy([folder], [rule])]).toEqual([rule, folder, rule]);
  for (const rule of ["D:/oh-my", "C:/oh-my-posh", "/oh-my-posh"])
    expect(excludedBy(["D:\\oh-my-posh\\src"], [rule])).toBe(null);
  expect(excludedBy(["\\\\server\\share\\x"], ["//server/share"])).toBe("//server/share");
  expect(excludedBy(["/home/User"], ["/home/user"])).toBe(null);
});
