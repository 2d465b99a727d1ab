// A backup as docs/fleet.md describes it: pg_dump of the database, then a copy of the bucket; pg_restore into an empty database beside an
// empty bucket. What was listed is listed, what was opened opens, what agents write goes on, and what was deleted can be restored.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { recordOutput } from "#lib/archive/artifacts/record-output.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { ingest } from "#lib/archive/memory/ingest-records.ts";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import { inFolder, put, testHost, withArchive } from "#lib/archive/testing-archive.ts";
import { testBucket } from "#lib/blobs/testing-services.ts";
import { checkFleet } from "../check/check-fleet.ts";
import type { FleetNode } from "../fleet-node.ts";
import { openCheckedFleet, openFleet, type Fleet } from "../open-fleet.ts";
import { sendSessions } from "../send-sessions.ts";
import { openTestFleet, sessionRecords, skippedFor, testFleet } from "../testing-fleet.ts";
import { readAll, SENDING, withDoor } from "../testing-sender.ts";
import { answersOf, backupNode, linesOf, withBackupServer } from "./testing-backup.ts";
import { dumpMissing } from "./testing-dump.ts";

const found = await testFleet();
const tools = dumpMissing();

describe.skipIf("missing" in found || "missing" in tools)(`a backup${skippedFor(found, tools)}`, () => {
  test("of a fleet opens at another place as it was, and goes on there", { timeout: 120_000 }, () =>
    inFolder(async (dir) => {
      const { address } = found as Extract<typeof found, { address: { database: string } }>;
      await withBackupServer(address.database, async (pg) => {
        const before = { database: await pg.database(), bucket: address.bucket };
        const after = { database: await pg.database(), bucket: ((await testBucket()) as { address: string }).address };
        const source = await openTestFleet(before);
        const target = openFleet(after);
        await target.objects.ensure();
        try {
          await play(dir, source, async () => {
            const file = join(dir, "plimsoll.dump");
            await pg.dump(before.database, file);
            for (const prefix of ["segments/", "blobs/"])
              for await (const { name } of source.objects.list(prefix))
                await target.objects.put(name, await source.objects.get(name));
            await pg.restore(file, after.database);
            return openCheckedFleet(after);
          });
        } finally {
          await Promise.all([source.close(), target.close()]);
        }
      });
    }),
  );

  async function play(dir: string, source: Fleet, copy: () => Promise<Fleet>): Promise<void> {
    let clock = Date.UTC(2026, 5, 1);
    const host = testHost(() => (clock += 1000));
    const said = (n: number): object => ({
      ...{ record: "event", uuid: `u${n}`, startsTurn: true },
      body: { type: "user", text: `said ${n}` },
    });
    const logs = join(dir, "projects", "-home-user-shop");
    const write = (n: number, prompts: readonly string[]): void => {
      const id = `0a1b2c3d-0000-4000-8000-0000000bac0${n}`;
      const records = sessionRecords(id, "/home/user/shop", prompts);
      put(logs, `${id}.jsonl`, records.map((one) => `${JSON.stringify(one)}\n`).join(""));
    };
    mkdirSync(logs, { recursive: true });
    await withArchive(join(dir, "laptop"), (laptop) =>
      withArchive(
        join(dir, "old"),
        async (old) => {
          const by = { who: "person:ann@example.com", address: "test" } as const;
          const node = backupNode(source, old);
          const send = async (to: FleetNode): Promise<string[]> => {
            await importPaths(laptop, [logs]);
            return withDoor(to, async (address) =>
              (await sendSessions(laptop, { ...SENDING, to: address })).map(({ id }) => id),
            );
          };
          write(1, ["repair the moorings", "and the buoy"]);
          write(2, ["paint the lighthouse"]);
          const ids = await send(node);
          await readAll(source, old);
          const { id: held } = await createSession(old, { id: "backup-agent" });
          await ingest(old, held, [said(1)]);
          await node.held.tend();
          const output = { session: held, toolName: "bash", isError: false, toolCallId: "c1" } as const;
          await recordOutput(old, output, Buffer.from("line\n".repeat(5000)));
          const lighthouse = ids.find((id) => linesOf(laptop, id).join("").includes("lighthouse"))!;
          await node.retention.remove({ ...by, session: lighthouse, reason: "", managed: "all", dryRun: false });
          await node.retention.set({ project: "team", days: 3650, bytes: null }, by);
          const moorings = ids.find((id) => id !== lighthouse)!;
          const answers = await answersOf(node, "all", "moorings");
          expect(answers).toMatchObject({ listed: { total: 2 }, found: 1, deleted: [{ family: lighthouse }] });
          const agent = linesOf(old, held);

          const target = await copy();
          try {
            await withArchive(
              join(dir, "new"),
              async (fresh) => {
                const other = backupNode(target, fresh);
                expect(await answersOf(other, "all", "moorings")).toEqual(answers);
                expect(await checkFleet(target)).toMatchObject({ missing: [], failed: [], problems: [], unnamed: 0 });
                await other.ensure(moorings, "all");
                const [opened, origin] = [await showSession(fresh, moorings), await showSession(laptop, moorings)];
                for (const key of ["title", "events", "usage", "cost", "turns", "modelCalls", "nativeId"] as const)
                  expect([key, opened[key]]).toEqual([key, origin[key]]);
                // The node that had it is not there any more.
                await target.sql`UPDATE held_sessions SET until = clock_timestamp() - interval '1 second'`;
                expect(await other.held.locate(held)).toEqual({ kind: "here" });
                expect(linesOf(fresh, held)).toEqual(agent);
                await ingest(fresh, held, [said(2)]);
                await other.retention.restore({ ...by, session: lighthouse, managed: "all" });
                write(1, ["repair the moorings", "and the buoy", "and the lamp"]);
                await send(other);
                await readAll(target, fresh);
                await other.ensure(lighthouse, "all");
                await other.ensure(moorings, "all");
                expect((await showSession(fresh, lighthouse)).turns).toBe(1);
                expect((await showSession(fresh, moorings)).turns).toBe(3);
                await other.held.close();
              },
              host,
            );
          } finally {
            await target.close();
          }
          await node.held.close();
        },
        host,
      ),
    );
  }
});
