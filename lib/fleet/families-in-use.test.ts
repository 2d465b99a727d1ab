// A family that a node reads is its own until its views are written: neither an eviction nor an opening changes it meanwhile.
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { hasSession } from "#lib/archive/exports/catalogue-session.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import { inFolder, put, withArchive } from "#lib/archive/testing-archive.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { besideSessions } from "./beside-sessions.ts";
import { catalogueNext, type Reader } from "./catalogue.ts";
import { familiesInUse } from "./families-in-use.ts";
import { listFleetSessions } from "./list-fleet-sessions.ts";
import type { Fleet } from "./open-fleet.ts";
import { deleteSession } from "./retention/delete-session.ts";
import { sendSessions } from "./send-sessions.ts";
import { fleetNode } from "./fleet-node.ts";
import { sessionCache, type SessionCache } from "./session-cache.ts";
import { openTestFleet, sessionRecords, skippedFor, testFleet } from "./testing-fleet.ts";
import { readerOf, SENDING, testNode, withDoor } from "./testing-sender.ts";

const found = await testFleet();
const lines = (records: readonly object[]): string => records.map((one) => `${JSON.stringify(one)}\n`).join("");
const MINUTES = 60_000;
const ANN = { who: "person:ann@example.com", address: "10.0.0.1" } as const;

describe.skipIf("missing" in found)(`a family that is read${skippedFor(found)}`, () => {
  let fleet: Fleet;
  let sessions = 0;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  /** Sends its session with these prompts; the session's id. */
  type Send = (...prompts: string[]) => Promise<string>;
  type Node = {
    readonly archive: Archive;
    readonly cache: SessionCache;
    readonly reader: Reader;
    /** What the cache's clock says (ms). */
    readonly clock: { now: number };
    /** What its sender has. */
    readonly logs: string;
  };

  /** A sender of one session, and a node whose cache has room for nothing. */
  async function withNode(
    run: (send: Send, node: Node) => Promise<void>,
    beforeImport = (): Promise<void> => Promise.resolve(),
  ): Promise<void> {
    const native = `0a1b2c3d-0000-4000-8000-${String(++sessions).padStart(12, "0")}`;
    await inFolder((dir) =>
      withArchive(join(dir, "laptop"), (laptop) =>
        withArchive(join(dir, "node"), async (archive) => {
          const clock = { now: 1e9 };
          const inUse = familiesInUse();
          const plain = readerOf(archive);
          const importBundle = async (path: string): Promise<void> => {
            await beforeImport();
            await plain.importBundle(path);
          };
          const beside = besideSessions(fleet, archive);
          const cache = sessionCache(fleet, { archive, importBundle, inUse }, 1, beside, () => clock.now);
          const reader = { ...plain, inUse, makeRoom: cache.makeRoom, onFetched: cache.note };
          const logs = join(dir, "logs", "projects", "-home-user-shop");
          await withDoor(testNode(fleet, archive), (to) =>
            run(
              async (...prompts) => {
                put(logs, `${native}.jsonl`, lines(sessionRecords(native, "/home/user/shop", prompts)));
                await importPaths(laptop, [logs]);
                const [sent] = await sendSessions(laptop, { ...SENDING, to });
                return sent!.id;
              },
              { archive, cache, reader, clock, logs },
            ),
          );
        }),
      ),
    );
  }

  const turnsOf = async (id: string): Promise<number | undefined> =>
    (await listFleetSessions(fleet, sessionsQuery.parse({}), "all", { now: 0, searcher: null })).sessions.find(
      (row) => row.id === id,
    )?.turns;

  test("stays while another is opened for which there is no room", () =>
    withNode(async (send, { cache, reader, clock }) => {
      await send("one");
      await catalogueNext(fleet, reader);
      const id = await send("one", "two");
      clock.now += 10 * MINUTES;
      const judge: Reader["judge"] = async (judged) => {
        await reader.judge(judged);
        await cache.evict();
      };
      expect(await catalogueNext(fleet, { ...reader, judge })).toBe("done");
      expect(await turnsOf(id)).toBe(2);
      // It is out as soon as it may.
      expect([cache.bytes() > 0, await cache.evict()]).toEqual([true, 0]);
    }));

  test("is not replaced by an earlier commit that somebody opened before", () => {
    let pause = 0;
    return withNode(
      async (send, { archive, cache, reader, clock }) => {
        await send("one");
        await catalogueNext(fleet, reader);
        clock.now += 10 * MINUTES;
        await cache.evict();
        const id = await send("one", "two");
        pause = 500;
        const opened = cache.ensure(id, "all");
        await setTimeout(200);
        pause = 0;
        const judge: Reader["judge"] = async (judged) => {
          await reader.judge(judged);
          await Promise.race([opened, setTimeout(2000)]);
        };
        expect(await catalogueNext(fleet, { ...reader, judge })).toBe("done");
        expect(await turnsOf(id)).toBe(2);
        await opened;
        expect((await showSession(archive, id)).turns).toBe(2);
      },
      async () => void (pause > 0 && (await setTimeout(pause))),
    );
  });

  test("that somebody has open stays when a new commit of it is read", () =>
    withNode(async (send, { archive, cache, reader, clock }) => {
      const id = await send("one");
      await catalogueNext(fleet, reader);
      await cache.ensure(id, "all");
      await send("one", "two");
      await catalogueNext(fleet, reader);
      expect(await cache.evict()).toBeGreaterThan(0);
      expect(hasSession(archive, id)).toBe(true);
      clock.now += 10 * MINUTES;
      expect(await cache.evict()).toBe(0);
    }));

  test("goes when nobody asks about it any more, and not while a request goes on", () =>
    withNode(async (send, { cache, reader, clock }) => {
      const id = await send("one");
      await catalogueNext(fleet, reader);
      await cache.ensure(id, "all");
      const [first, second] = [cache.keepOpen(id), cache.keepOpen(id)];
      clock.now += 10 * MINUTES;
      first();
      clock.now += 10 * MINUTES;
      expect(await cache.evict()).toBeGreaterThan(0);
      second();
      expect(await cache.evict()).toBeGreaterThan(0);
      clock.now += MINUTES / 2;
      expect(await cache.evict()).toBe(0);
    }));

  test("goes from a node that reads nothing, too", () =>
    withNode(async (send, { archive, reader, clock }) => {
      const id = await send("one");
      const node = fleetNode({ ...fleet, close: () => Promise.resolve() }, readerOf(archive), 1, () => clock.now);
      await catalogueNext(fleet, reader);
      await node.ensure(id, "all");
      await node.run({ address: "http://127.0.0.1:1", host: "here" });
      await setTimeout(1500);
      expect(hasSession(archive, id)).toBe(true);
      clock.now += MINUTES / 2;
      await expect.poll(() => hasSession(archive, id), { timeout: 10_000 }).toBe(false);
      await node.close();
    }));

  test("opens while its views are written, as it was listed before", () =>
    withNode(async (send, { archive, cache, reader, clock }) => {
      const id = await send("one");
      await catalogueNext(fleet, reader);
      await cache.ensure(id, "all");
      await send("one", "two");
      // The database is asked again.
      clock.now += 5000;
      const isJudged = Promise.withResolvers<void>();
      const judge: Reader["judge"] = async (judged) => {
        await reader.judge(judged);
        isJudged.resolve();
      };
      let reading: Promise<unknown> = Promise.resolve();
      await fleet.sql.begin(async (tx) => {
        await tx`LOCK TABLE families IN SHARE MODE`;
        reading = catalogueNext(fleet, { ...reader, judge });
        await isJudged.promise;
        await setTimeout(200);
        const late = setTimeout(3000).then(() => "late");
        expect(await Promise.race([cache.ensure(id, "all"), late])).toMatchObject({ id, isFetched: false });
      });
      expect(await reading).toBe("done");
      expect(await cache.ensure(id, "all")).toMatchObject({ isFetched: false });
      expect((await showSession(archive, id)).turns).toBe(2);
    }));

  test("that is opened while it is taken out is fetched again, and what was opened meanwhile stays", () =>
    withNode(async (send, { archive, cache, reader, clock, logs }) => {
      const other = `0a1b2c3d-0000-4000-8000-${String(++sessions).padStart(12, "0")}`;
      put(logs, `${other}.jsonl`, lines(sessionRecords(other, "/home/user/shop", ["three"])));
      await send("one");
      while ((await catalogueNext(fleet, reader)) !== null);
      const { project } = SENDING;
      const rows = await fleet.sql<{ id: string }[]>`SELECT id FROM families WHERE project = ${project}
        ORDER BY received_at DESC LIMIT 2`;
      const ids = rows.map(({ id }) => id);
      await Promise.all(ids.map((id) => cache.ensure(id, "all")));
      clock.now += 10 * MINUTES;
      const { writer } = archive;
      const run: NonNullable<typeof writer>["run"] = async (what, ...rest) => {
        if (what.name === "removeSession") await setTimeout(500);
        return writer!.run(what, ...rest);
      };
      archive.writer = { ...writer!, run };
      const evicted = cache.evict();
      await Promise.all(ids.map((id) => cache.ensure(id, "all")));
      await evicted;
      expect(ids.map((id) => hasSession(archive, id))).toEqual([true, true]);
      archive.writer = writer;
    }));

  test("stays when it goes on after the limits of its project ended it", () =>
    withNode(async (send, { cache, reader }) => {
      const session = await send("one");
      await catalogueNext(fleet, reader);
      await deleteSession(fleet, { ...ANN, session, managed: "all", reason: "test", dryRun: false });
      await fleet.sql`UPDATE deleted_families SET deleted_by = 'retention'`;
      expect(await cache.dropDeleted()).toContain(session);
      await send("one", "two");
      // Until its views are written its tombstone stands.
      const judge: Reader["judge"] = async (judged) => {
        await reader.judge(judged);
        await cache.dropDeleted();
      };
      expect(await catalogueNext(fleet, { ...reader, judge })).toBe("done");
      expect(await turnsOf(session)).toBe(2);
    }));

  test("that was deleted while it was read goes afterwards", () =>
    withNode(async (send, { archive, cache, reader }) => {
      const session = await send("one");
      await catalogueNext(fleet, reader);
      await send("one", "two");
      const judge: Reader["judge"] = async (judged) => {
        await reader.judge(judged);
        await deleteSession(fleet, { ...ANN, session, managed: "all", reason: "test", dryRun: false });
        await cache.dropDeleted();
      };
      await catalogueNext(fleet, { ...reader, judge });
      await fleet.sql`UPDATE deleted_families SET deleted_at = now() - interval '1 hour'`;
      await cache.dropDeleted();
      expect([hasSession(archive, session), cache.bytes()]).toEqual([false, 0]);
    }));
});
