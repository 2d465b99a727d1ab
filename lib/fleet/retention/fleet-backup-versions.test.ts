// A backup out of a bucket that keeps versions, and a copy, both while a sender goes on sending: the database's dump and the bucket as it
// was then open at another place as they were, or in the bucket itself after a sweep. What was sent since is sent again, and is whole.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { recordOutput } from "#lib/archive/artifacts/record-output.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { ingest } from "#lib/archive/memory/ingest-records.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import { inFolder, put, withArchive } from "#lib/archive/testing-archive.ts";
import { testBucket } from "#lib/blobs/testing-services.ts";
import type { ObjectStore } from "#lib/blobs/object-store.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { checkFleet } from "../check/check-fleet.ts";
import type { FleetNode } from "../fleet-node.ts";
import { openCheckedFleet, openFleet, type Fleet, type FleetAddress } from "../open-fleet.ts";
import { sendSessions } from "../send-sessions.ts";
import { openTestFleet, sessionRecords, skippedFor, testFleet } from "../testing-fleet.ts";
import { readAll, SENDING, withDoor } from "../testing-sender.ts";
import { sweepFleet } from "./sweep-fleet.ts";
import { answersOf, backupNode, linesOf, withBackupServer, type BackupServer } from "./testing-backup.ts";
import { dumpMissing } from "./testing-dump.ts";
import { bucketVersions, type BucketVersions } from "./testing-versions.ts";

const found = await testFleet();
const tools = dumpMissing();
const [MOORINGS, LIGHTHOUSE] = [1, 2].map((n) => `0a1b2c3d-0000-4000-8000-0000000bac1${n}`) as [string, string];
const BY = { who: "person:ann@example.com", address: "test", managed: "all" } as const;

/** A laptop that sends to a project of its own: a session more in each round, and the one before has gone on. */
type Flow = {
  readonly archive: Archive;
  /** Ids of what was acknowledged and read by now. */
  readonly done: Set<string>;
  /** Ends with a round that begins after this. */
  round(): Promise<void>;
  stop(): Promise<void>;
};

describe.skipIf("missing" in found || "missing" in tools)(
  `a backup while senders send${skippedFor(found, tools)}`,
  () => {
    const bucketOf = async (): Promise<string> => ((await testBucket()) as { address: string }).address;

    type Ground = {
      readonly pg: BackupServer;
      readonly address: FleetAddress;
      readonly source: Fleet;
      readonly old: Archive;
      readonly node: FleetNode;
      readonly versions: BucketVersions;
      readonly laptop: Archive;
      /** Of a person that sent two sessions. */
      readonly moorings: string;
      readonly lighthouse: string;
      readonly flow: Flow;
      readonly dir: string;
      /** Sends all of the laptop's team. */
      send(to: FleetNode): Promise<void>;
      /** A node over a dump, and a bucket. */
      open(
        file: string,
        bucket: string,
        run: (fleet: Fleet, node: FleetNode, archive: Archive) => Promise<void>,
      ): Promise<void>;
    };

    const withGround = (run: (ground: Ground) => Promise<void>): Promise<void> =>
      inFolder((dir) =>
        withBackupServer((found as { address: FleetAddress }).address.database, async (pg) => {
          const address = { database: await pg.database(), bucket: await bucketOf() };
          const source = await openTestFleet(address);
          const versions = bucketVersions(address.bucket);
          await versions.enable();
          await withArchive(join(dir, "laptop"), (laptop) =>
            withArchive(join(dir, "flow"), (flowing) =>
              withArchive(join(dir, "old"), async (old) => {
                const node = backupNode(source, old);
                const logs = join(dir, "projects", "-home-user-shop");
                write(logs, MOORINGS, ["repair the moorings", "and the buoy"]);
                write(logs, LIGHTHOUSE, ["paint the lighthouse"]);
                await importPaths(laptop, [logs]);
                const send = async (to: FleetNode): Promise<void> =>
                  withDoor(to, async (url) => void (await sendSessions(laptop, { ...SENDING, to: url })));
                await send(node);
                await readAll(source, old);
                const { sessions } = await node.listSessions(sessionsQuery.parse({}), ["team"]);
                const named = (word: string): string => sessions.find(({ title }) => title.includes(word))!.id;
                const flow = keepSending(source, node, flowing, old, join(dir, "flowing", "-home-user-flow"));
                let opened = 0;
                const open: Ground["open"] = async (file, bucket, look) => {
                  const target = { database: await pg.database(), bucket };
                  await pg.restore(file, target.database);
                  const fleet = await openCheckedFleet(target);
                  try {
                    await withArchive(join(dir, `new-${opened++}`), async (fresh) => {
                      const other = backupNode(fleet, fresh);
                      await look(fleet, other, fresh);
                      await other.held.close();
                    });
                  } finally {
                    await fleet.close();
                  }
                };
                const ids = { moorings: named("moorings"), lighthouse: named("lighthouse") };
                try {
                  await run({ ...{ pg, address, source, old, node, versions, laptop, flow, dir, send, open }, ...ids });
                } finally {
                  await flow.stop();
                  await node.held.close();
                  await source.close();
                }
              }),
            ),
          );
        }),
      );

    const write = (logs: string, id: string, prompts: readonly string[]): void => {
      mkdirSync(logs, { recursive: true });
      const records = sessionRecords(id, "/home/user/shop", prompts);
      put(logs, `${id}.jsonl`, records.map((one) => `${JSON.stringify(one)}\n`).join(""));
    };

    function keepSending(fleet: Fleet, node: FleetNode, archive: Archive, reading: Archive, logs: string): Flow {
      const done = new Set<string>();
      const over = new AbortController();
      let next = Promise.withResolvers<void>();
      const id = (n: number): string => `0a1b2c3d-0000-4000-8000-0000000f${String(n).padStart(4, "0")}`;
      const loop = withDoor(node, async (to) => {
        for (let rounds = 0; !over.signal.aborted; rounds++) {
          const said = (n: number): string => `haul ${n} ${"rope ".repeat(200)}`;
          if (rounds > 0) write(logs, id(rounds - 1), [said(rounds - 1), "go on"]);
          write(logs, id(rounds), [said(rounds)]);
          await importPaths(archive, [logs]);
          const results = await sendSessions(archive, { ...SENDING, project: "flow", to });
          expect(results.filter(({ state }) => state === "failed")).toEqual([]);
          await readAll(fleet, reading);
          results.forEach((one) => done.add(one.id));
          next.resolve();
          next = Promise.withResolvers<void>();
        }
      });
      // Told of by who stops it.
      loop.catch(() => undefined);
      return {
        archive,
        done,
        async round() {
          // The one under way, and a whole one.
          for (let n = 0; n < 2; n++) await Promise.race([loop, next.promise]);
        },
        async stop() {
          over.abort();
          await loop;
        },
      };
    }

    /** What a restored node has of the flow is whole: all that was read before the dump, each as far as it had come. */
    async function expectFlow(
      { flow }: Ground,
      node: FleetNode,
      fresh: Archive,
      before: ReadonlySet<string>,
    ): Promise<void> {
      const { sessions } = await node.listSessions(sessionsQuery.parse({}), ["flow"]);
      const ids = new Set(sessions.map(({ id }) => id));
      expect([...before].filter((id) => !ids.has(id))).toEqual([]);
      expect([...ids].filter((id) => !flow.done.has(id))).toEqual([]);
      for (const { id, turns } of sessions) {
        await node.ensure(id, ["flow"]);
        expect([id, (await showSession(fresh, id)).turns]).toEqual([id, turns]);
      }
    }

    /** The sender finds the new node, and has the same there as at the old one. */
    async function expectCaughtUp(
      { flow, node }: Ground,
      fleet: Fleet,
      other: FleetNode,
      fresh: Archive,
    ): Promise<void> {
      await flow.stop();
      await withDoor(other, async (to) => {
        const results = await sendSessions(flow.archive, { ...SENDING, project: "flow", to });
        expect(new Set(results.map(({ state }) => state))).toEqual(new Set(["sent"]));
      });
      // What a node was reading when the dump was made is read when its claim has ended.
      await fleet.sql`UPDATE commits SET claimed_until = now() - interval '1 second' WHERE state = 'claimed'`;
      await readAll(fleet, fresh);
      const [there, here] = [await answersOf(other, ["flow"], "haul"), await answersOf(node, ["flow"], "haul")];
      expect(rounded(there)).toEqual(rounded(here));
      expect(await checkFleet(fleet)).toMatchObject({ missing: [], failed: [], problems: [] });
    }

    test("a copy that is made meanwhile has all that the dump names", { timeout: 180_000 }, () =>
      withGround(async (ground) => {
        const { pg, address, source, node, flow, dir, moorings, lighthouse, laptop, open } = ground;
        await flow.round();
        const answers = await answersOf(node, ["team"], "moorings");
        const before = new Set(flow.done);
        const file = join(dir, "plimsoll.dump");
        const bucket = await bucketOf();
        const copy = openFleet({ database: address.database, bucket });
        await copy.objects.ensure();
        await Promise.all([pg.dump(address.database, file), flow.round()]);
        await copyObjects(source.objects, copy.objects, () => flow.round());
        await copy.close();
        expect(flow.done.size).toBeGreaterThan(before.size);
        await open(file, bucket, async (fleet, other, fresh) => {
          expect(await checkFleet(fleet)).toMatchObject({ missing: [], failed: [], problems: [] });
          expect(await answersOf(other, ["team"], "moorings")).toEqual(answers);
          await expectFlow(ground, other, fresh, before);
          for (const id of [moorings, lighthouse]) {
            await other.ensure(id, ["team"]);
            expect((await showSession(fresh, id)).turns).toBe((await showSession(laptop, id)).turns);
          }
          await expectCaughtUp(ground, fleet, other, fresh);
        });
      }),
    );

    test("a bucket with versions is brought back as it was, elsewhere and in place", { timeout: 180_000 }, () =>
      withGround(async (ground) => {
        const { pg, address, source, old, node, versions, flow, dir, laptop, lighthouse, send, open } = ground;
        const { id: held } = await createSession(old, { id: "versions-agent" });
        await ingest(old, held, [
          { record: "event", uuid: "u1", startsTurn: true, body: { type: "user", text: "said" } },
        ]);
        await node.held.tend();
        const output = { session: held, toolName: "bash", isError: false, toolCallId: "c1" } as const;
        await recordOutput(old, output, Buffer.from("line\n".repeat(5000)));
        await flow.round();
        const answers = await answersOf(node, ["team"], "moorings");
        const agent = linesOf(old, held);
        const before = new Set(flow.done);
        const file = join(dir, "plimsoll.dump");
        await Promise.all([pg.dump(address.database, file), flow.round()]);
        const at = Date.now();
        await flow.round();

        // What is deleted now is swept when its time is over, while the sender goes on.
        const digests = (
          await source.sql<{ digest: string }[]>`SELECT digest FROM family_objects
        WHERE project = 'team' AND family = ${lighthouse}`
        ).map(({ digest }) => digest);
        await node.retention.remove({ ...BY, session: lighthouse, reason: "", dryRun: false });
        await source.sql`UPDATE deleted_families SET deleted_at = deleted_at - interval '8 days'`;
        await source.sql`UPDATE objects SET seen_at = seen_at - interval '8 days' WHERE digest = ANY(${digests})`;
        const [swept] = await Promise.all([sweepFleet(source, { graceDays: 7, noticeMs: 0 }), flow.round()]);
        expect(swept).toMatchObject({ objects: digests.length, strays: 0 });
        const removals = (await versions.list("segments/")).filter(({ isMarker }) => isMarker);
        expect(removals.map(({ name }) => name.slice(-64)).toSorted()).toEqual(digests.toSorted());
        expect(await source.objects.head(removals[0]!.name)).toBe(null);

        const expectRestored = async (fleet: Fleet, other: FleetNode, fresh: Archive): Promise<void> => {
          expect(await checkFleet(fleet)).toMatchObject({ missing: [], failed: [], problems: [] });
          expect(await answersOf(other, ["team"], "moorings")).toEqual(answers);
          await expectFlow(ground, other, fresh, before);
          await other.ensure(lighthouse, ["team"]);
          expect((await showSession(fresh, lighthouse)).turns).toBe(1);
          // The node that had it is not there any more.
          await fleet.sql`UPDATE held_sessions SET until = clock_timestamp() - interval '1 second'`;
          expect(await other.held.locate(held)).toEqual({ kind: "here" });
          expect(linesOf(fresh, held)).toEqual(agent);
        };
        const elsewhere = await bucketOf();
        const copy = openFleet({ database: address.database, bucket: elsewhere });
        await copy.objects.ensure();
        await Promise.all([versions.copyAt(at, copy.objects), flow.round()]);
        await copy.close();
        await open(file, elsewhere, expectRestored);

        // What was swept may come again: over a removal, a name is free.
        await node.retention.restore({ ...BY, session: lighthouse });
        write(join(dir, "projects", "-home-user-shop"), LIGHTHOUSE, ["paint the lighthouse", "red and white"]);
        await importPaths(laptop, [join(dir, "projects", "-home-user-shop")]);
        await send(node);
        await flow.round();
        await withArchive(join(dir, "again"), async (fresh) => {
          const other = backupNode(source, fresh);
          await other.ensure(lighthouse, ["team"]);
          expect((await showSession(fresh, lighthouse)).turns).toBe(2);
          await other.held.close();
        });

        // In place: nodes and senders of the fleet that was are off.
        await flow.stop();
        expect(await versions.undoRemovals(at)).toBeGreaterThanOrEqual(digests.length);
        await open(file, address.bucket, async (fleet, other, fresh) => {
          await expectRestored(fleet, other, fresh);
          const sweep = { graceDays: 7, noticeMs: 0 } as const;
          await expect(sweepFleet(fleet, sweep)).rejects.toMatchObject({ code: "conflict" });
          expect(await sweepFleet(fleet, { ...sweep, adopts: true })).toMatchObject({ objects: 0, strays: 0 });
          await expectCaughtUp(ground, fleet, other, fresh);
        });
      }),
    );
  },
);

/** Dollars are sums of fractions: rows that came in another order differ in the last of sixteen digits. */
const rounded = (answers: object): unknown =>
  JSON.parse(
    JSON.stringify(answers, (_, one: unknown) =>
      typeof one === "number" && !Number.isInteger(one) ? Number(one.toPrecision(12)) : one,
    ),
  );

/** Each object under its name, with a round of the sender in the middle. */
async function copyObjects(from: ObjectStore, to: ObjectStore, meanwhile: () => Promise<void>): Promise<void> {
  const names: string[] = [];
  for (const prefix of ["segments/", "blobs/"]) for await (const { name } of from.list(prefix)) names.push(name);
  for (const [n, name] of names.entries()) {
    if (n === Math.floor(names.length / 2)) await meanwhile();
    await to.put(name, await from.get(name));
  }
}
