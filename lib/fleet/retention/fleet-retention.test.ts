// The limits of a project: what is over them goes, the oldest activity first, and nothing that is written now.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { ingest } from "#lib/archive/memory/ingest-records.ts";
import { inFolder, put, testHost, withArchive } from "#lib/archive/testing-archive.ts";
import type { Fleet } from "../open-fleet.ts";
import { listAudit } from "../people/audit.ts";
import { sendSessions, type SentResult } from "../send-sessions.ts";
import { openTestFleet, sessionRecords, skippedFor, testFleet } from "../testing-fleet.ts";
import { readAll, SENDING, testNode, withDoor } from "../testing-sender.ts";
import { applyRetention, listRetention, setRetention, sumOverLimits } from "./project-retention.ts";

const found = await testFleet();
const DAY = 86_400_000;
const BY = { who: "person:ann@example.com", address: "10.0.0.1" } as const;

describe.skipIf("missing" in found)(`the limits of a project${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  const titles = async (project: string): Promise<string[]> =>
    (await fleet.sql<{ title: string }[]>`SELECT title FROM sessions WHERE project = ${project} ORDER BY title`).map(
      ({ title }) => title,
    );

  test("what is older than its days goes, then the oldest until the rest fits its bytes; what goes on comes back", () =>
    inFolder((dir) =>
      withArchive(join(dir, "laptop"), (laptop) =>
        withArchive(join(dir, "node"), async (archive) => {
          const node = testNode(fleet, archive);
          const startedAt = Date.now();
          /** Each is as large as the others; one that goes on does so now. */
          const write = (n: number, days: number, more: readonly string[] = []): void => {
            const id = `0a1b2c3d-0000-4000-8000-00000000ee0${n}`;
            const prompts = [`session ${n}`, ...more];
            const records = [
              ...sessionRecords(id, "/home/user/shop", prompts.slice(0, 1), startedAt - days * DAY),
              ...sessionRecords(id, "/home/user/shop", prompts, startedAt).slice(2),
            ];
            put(
              join(dir, "projects", "-home-user-shop"),
              `${id}.jsonl`,
              records.map((one) => `${JSON.stringify(one)}\n`).join(""),
            );
          };
          for (const [n, days] of [
            [1, 200],
            [2, 100],
            [3, 40],
            [4, 20],
            [5, 1],
          ] as const)
            write(n, days);
          await withDoor(node, async (to) => {
            const send = async (project: string, from: Archive = laptop): Promise<SentResult[]> => {
              await importPaths(from, [join(dir, "projects")]);
              const results = await sendSessions(from, { ...SENDING, project, to });
              await readAll(fleet, archive);
              return results.toSorted((a, b) => (a.title < b.title ? -1 : 1));
            };
            await send("shop");
            const all = ["session 1", "session 2", "session 3", "session 4", "session 5"];
            expect([await applyRetention(fleet), await titles("shop")]).toEqual([0, all]);

            const over = await sumOverLimits(fleet, { project: "shop", days: 90, bytes: null });
            expect(over).toMatchObject({ families: 2, sessions: 2 });
            expect(await titles("shop")).toEqual(all);
            await setRetention(fleet, { project: "shop", days: 90, bytes: null }, BY);
            await setRetention(fleet, { project: "elsewhere", days: 1, bytes: 1 }, BY);
            expect([await applyRetention(fleet), await titles("shop")]).toEqual([2, all.slice(2)]);
            expect(await applyRetention(fleet)).toBe(0);

            expect(await sumOverLimits(fleet, { project: "shop", days: 90, bytes: null })).toEqual({
              ...{ families: 0, sessions: 0, bytes: 0 },
            });
            const [size] = await fleet.sql<{ bytes: number }[]>`SELECT max(bytes) AS bytes FROM families`;
            expect(over.bytes).toBe(2 * size!.bytes);
            await setRetention(fleet, { project: "shop", days: 90, bytes: Math.floor(size!.bytes * 2.5) }, BY);
            expect([await applyRetention(fleet), await titles("shop")]).toEqual([1, all.slice(3)]);
            expect(
              (await listAudit(fleet, { visible: ["shop"], limit: 9 })).map(({ who, action }) => [who, action]),
            ).toEqual([
              ["retention", "delete"],
              ["person:ann@example.com", "retention"],
              ["retention", "delete"],
              ["retention", "delete"],
              ["person:ann@example.com", "retention"],
            ]);

            // Who sends all of it again is told, and it stays away; the one that goes on is taken in as a whole.
            await withArchive(join(dir, "other"), async (other) => {
              const again = async () => (await send("shop", other)).map(({ state }) => state);
              expect(await again()).toEqual(["deleted", "deleted", "deleted", "sent", "sent"]);
              expect(await again()).toEqual(["unchanged", "unchanged", "unchanged", "unchanged", "unchanged"]);
            });
            // So is who sent it before the limits ended it.
            for (const state of ["deleted", "unchanged"]) {
              expect((await send("shop")).map((one) => one.state)).toEqual([
                state,
                state,
                state,
                "unchanged",
                "unchanged",
              ]);
            }
            expect(await titles("shop")).toEqual(all.slice(3));
            write(2, 100, ["and on"]);
            expect((await send("shop")).filter(({ state }) => state === "sent").map(({ title }) => title)).toEqual([
              "session 2",
            ]);
            await setRetention(fleet, { project: "shop", days: 90, bytes: null }, BY);
            expect(await applyRetention(fleet)).toBe(0);
            expect(await titles("shop")).toEqual(["session 2", "session 4", "session 5"]);
            expect(await fleet.sql`SELECT 1 FROM deleted_sessions WHERE session IN (SELECT id FROM sessions)`).toEqual(
              [],
            );

            await setRetention(fleet, { project: "shop", days: null, bytes: null }, BY);
            expect(await listRetention(fleet, "all")).toEqual([{ project: "elsewhere", days: 1, bytes: 1 }]);
          });
        }),
      ),
    ));

  test("what an agent writes now stays, and goes when its node is gone", () =>
    inFolder((dir) =>
      withArchive(
        join(dir, "node"),
        async (archive) => {
          const node = testNode(fleet, archive, { project: "agents" });
          const { id } = await createSession(archive, { id: "old-agent", title: "An old session" });
          await ingest(archive, id, [
            { record: "event", uuid: "u1", startsTurn: true, body: { type: "user", text: "hi" } },
          ]);
          await node.held.tend();
          await setRetention(fleet, { project: "agents", days: 1, bytes: null }, BY);
          expect([await applyRetention(fleet), await titles("agents")]).toEqual([0, ["An old session"]]);
          await fleet.sql`UPDATE held_sessions SET until = clock_timestamp() - interval '1 second' WHERE session = ${id}`;
          expect([await applyRetention(fleet), await titles("agents")]).toEqual([1, []]);
          await node.held.close();
        },
        testHost(() => Date.UTC(2026, 1, 1)),
      ),
    ));
});
