// The sweep of a fleet: what anything names stays, also what is named while it runs, and what nothing names goes when its time is over.
import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { recordOutput } from "#lib/archive/artifacts/record-output.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import { inFolder, put, testHost, withArchive } from "#lib/archive/testing-archive.ts";
import { testBucket } from "#lib/blobs/testing-services.ts";
import type { SentObject } from "#lib/wire/fleet-schema.ts";
import type { FleetNode } from "../fleet-node.ts";
import { openFleet, type Fleet, type FleetAddress } from "../open-fleet.ts";
import { sendSessions } from "../send-sessions.ts";
import { missingOf, objectName } from "../stored-objects.ts";
import { openTestFleet, sessionRecords, skippedFor, testFleet } from "../testing-fleet.ts";
import { readAll, SENDING, testNode, withDoor } from "../testing-sender.ts";
import { insertObjectNames } from "../object-names.ts";
import { dropTombstone } from "./tombstones.ts";
import { sweepFleet } from "./sweep-fleet.ts";
import { bucketVersions } from "./testing-versions.ts";

const found = await testFleet();
const ANN = { who: "person:ann@example.com", address: "10.0.0.1", managed: "all" } as const;
const SOON = { timeout: 20_000, interval: 20 } as const;
const DAYS = { graceDays: 7, noticeMs: 0 } as const;

describe.skipIf("missing" in found)(`the sweep of a fleet${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());
  const empty = async (): Promise<void> => {
    await fleet.sql`TRUNCATE objects, commits, families, family_objects, sessions, session_artifacts, session_list, searched_sessions, session_counts, session_count_changes, session_projects, deleted_families, deleted_sessions,
      held_sessions, held_names, held_keys, live_log`;
    for await (const { name } of fleet.objects.list("")) await fleet.objects.remove(name);
  };
  beforeEach(empty);

  /** As if so many days had gone by. */
  const passDays = async (days: number): Promise<void> => {
    const { sql } = fleet;
    for (const [table, column] of [
      ["objects", "seen_at"],
      ["objects", "going_at"],
      ["deleted_families", "deleted_at"],
      ["commits", "done_at"],
    ] as const)
      await sql`UPDATE ${sql(table)} SET ${sql(column)} = ${sql(column)} - make_interval(days => ${days})`;
  };
  const objectOf = (text: string): { object: SentObject; bytes: Buffer } => {
    const bytes = Buffer.from(text);
    const digest = createHash("sha256").update(bytes).digest("hex");
    return { object: { digest, bytes: bytes.length, kind: "blob" }, bytes };
  };
  /** An object that is in the bucket and noted, and that nothing names. */
  const orphan = async (text: string): Promise<SentObject> => {
    const { object, bytes } = objectOf(text);
    await fleet.objects.put(objectName(object), bytes);
    expect(await missingOf(fleet, [object])).toEqual([]);
    return object;
  };
  const isThere = async (object: SentObject): Promise<boolean> =>
    (await fleet.objects.head(objectName(object))) !== null;

  test("what nothing names goes when nobody asked for it for the whole time; each kind of name keeps it", async () => {
    const { sql } = fleet;
    const kept = await Promise.all(
      ["family", "held", "waiting", "failed", "agent"].map((name) => orphan(`kept ${name}`)),
    );
    const [family, held, ...ofCommits] = kept;
    await sql`INSERT INTO family_objects VALUES ('names', 'f', ${family!.digest})`;
    await sql`INSERT INTO held_names VALUES ('art:held', 's_held', ${held!.digest})`;
    for (const [n, object] of ofCommits.entries())
      await sql`INSERT INTO commits (project, id, family, sender, state, bytes, body) VALUES ('names', ${`c${n}`}, 'f', 's',
        ${["waiting", "failed", "done"][n]!}, 1, ${sql.json({ manifest: {}, entries: { "a/b": [object], "c.d": [] } } as never)})`;
    await sql`INSERT INTO held_sessions (session, project, commit_id) VALUES ('s_held', 'names', 'c2')`;
    const [gone, asked] = [await orphan("gone"), await orphan("asked")];
    expect(await sweepFleet(fleet, DAYS)).toMatchObject({ objects: 0, strays: 0 });
    await passDays(8);
    // Who asks which are missing is about to name it.
    expect(await missingOf(fleet, [asked])).toEqual([]);
    expect(await sweepFleet(fleet, DAYS)).toMatchObject({ objects: 1, bytes: gone.bytes, strays: 0 });
    expect(await Promise.all([...kept, asked, gone].map(isThere))).toEqual([true, true, true, true, true, true, false]);
    expect(await missingOf(fleet, [gone])).toEqual([gone]);
    await sql`DELETE FROM commits`;
    await sql`DELETE FROM held_sessions`;
    await sql`DELETE FROM held_names`;
    await sql`DELETE FROM family_objects`;
    await passDays(8);
    expect(await sweepFleet(fleet, DAYS)).toMatchObject({ objects: 6 });
  });

  test("what loses its name, long after it was asked for, stays for the whole time from then on", async () => {
    const { sql } = fleet;
    const [one, two, three] = [await orphan("one"), await orphan("two"), await orphan("three")];
    const key = { project: "grows", family: "f" } as const;
    await sql.begin((tx) => insertObjectNames(tx, key, [one, two, two]));
    await passDays(30);
    await sql.begin((tx) => insertObjectNames(tx, key, [two, three]));
    expect((await sql`SELECT digest FROM family_objects ORDER BY 1`).map(({ digest }) => digest as string)).toEqual(
      [two.digest, three.digest].toSorted(),
    );
    expect([await sweepFleet(fleet, DAYS), await isThere(one)]).toMatchObject([{ objects: 0 }, true]);
    await sql.begin((tx) => dropTombstone(tx, key.project, key.family));
    await passDays(6);
    expect(await sweepFleet(fleet, DAYS)).toMatchObject({ objects: 0 });
    await passDays(2);
    expect(await sweepFleet(fleet, DAYS)).toMatchObject({ objects: 3 });
  });

  test("what a commit names while the sweep looks at it stays", async () => {
    const { sql } = fleet;
    const object = await orphan("named meanwhile");
    await passDays(8);
    let swept: Promise<{ objects: number }> = Promise.resolve({ objects: -1 });
    await sql.begin(async (tx) => {
      // As a node notes it, and not committed yet.
      await tx`UPDATE objects SET seen_at = clock_timestamp() WHERE digest = ${object.digest}`;
      swept = sweepFleet(fleet, DAYS);
      await expect
        .poll(
          async () =>
            (await sql`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~ 'going_at'`).length,
          SOON,
        )
        .toBe(1);
      await tx`INSERT INTO commits (project, id, family, sender, state, bytes, body)
        VALUES ('meanwhile', 'c', 'f', 's', 'waiting', 1, ${tx.json({ entries: { a: [object] } } as never)})`;
    });
    expect([(await swept).objects, await isThere(object)]).toEqual([0, true]);
  });

  test("what a sweep has marked is refused until it is gone, also by one that broke off; then it is sent anew and stays", async () => {
    const object = await orphan("marked");
    await passDays(8);
    const broken: Fleet = {
      ...fleet,
      objects: { ...fleet.objects, remove: () => Promise.reject(new Error("The gateway refuses.")) },
    };
    await expect(sweepFleet(broken, DAYS)).rejects.toThrow("refuses");
    const refused = { code: "conflict", message: expect.stringContaining("being swept") };
    await expect(missingOf(fleet, [object])).rejects.toMatchObject(refused);
    // Not before it is sure that the one which marked it removes nothing more.
    expect(await sweepFleet(fleet, DAYS)).toMatchObject({ objects: 0 });
    await fleet.sql`UPDATE objects SET going_at = going_at - interval '16 minutes' WHERE going_at IS NOT NULL`;
    // Who asks meanwhile waits for its end.
    const asked = missingOf(fleet, [object]);
    expect(await sweepFleet(fleet, DAYS)).toMatchObject({ objects: 1 });
    expect(await asked).toEqual([object]);
    const { url, headers } = (await fleet.objects.signPut(objectName(object), object.digest, 60))!;
    expect((await fetch(url, { method: "PUT", headers, body: "marked" })).status).toBe(200);
    expect(await missingOf(fleet, [object])).toEqual([]);
    expect([await sweepFleet(fleet, DAYS), await isThere(object)]).toMatchObject([{ objects: 0 }, true]);
  });

  test("a copy of the database that is older than the bucket removes nothing, and neither does another fleet", async () => {
    const { sql } = fleet;
    for (let n = 0; n < 12; n++) await sweepFleet(fleet, DAYS);
    expect(await Array.fromAsync(fleet.objects.list("sweeps/"))).toHaveLength(11);
    const object = await orphan("newer than the copy");
    await sql`DELETE FROM objects`;
    const at = new Date(Date.now() + 8 * 86_400_000);
    const refused = { code: "conflict", message: expect.stringContaining("--adopt") };
    const [before] = await sql<{ value: string }[]>`SELECT value FROM fleet_meta WHERE key = 'sweep_number'`;
    await sql`UPDATE fleet_meta SET value = (value::bigint - 3)::text WHERE key = 'sweep_number'`;
    for (let n = 0; n < 5; n++) await expect(sweepFleet(fleet, { ...DAYS, at })).rejects.toMatchObject(refused);
    await sql`UPDATE fleet_meta SET value = ${before!.value} WHERE key = 'sweep_number'`;
    await sql`UPDATE fleet_meta SET value = 'another' WHERE key = 'fleet_id'`;
    await expect(sweepFleet(fleet, { ...DAYS, at })).rejects.toMatchObject(refused);
    expect(await isThere(object)).toBe(true);
    expect(await sweepFleet(fleet, { ...DAYS, at, adopts: true })).toMatchObject({ strays: 1 });
    expect(await sweepFleet(fleet, DAYS)).toMatchObject({ strays: 0 });
  });

  test("what lies in the bucket without a note goes when it is old, unless something names it", async () => {
    const [lost, named] = [objectOf("never committed"), objectOf("named and forgotten")];
    for (const { object, bytes } of [lost, named]) await fleet.objects.put(objectName(object), bytes);
    await fleet.objects.put("other/readme", Buffer.from("not ours"));
    await fleet.sql`INSERT INTO family_objects VALUES ('strays', 'f', ${named.object.digest})`;
    expect(await sweepFleet(fleet, DAYS)).toMatchObject({ strays: 0 });
    // Somebody who has just seen it in the bucket may still note it: the sweep gives notice.
    const at = new Date(Date.now() + 8 * 86_400_000);
    await fleet.sql`UPDATE objects SET seen_at = ${at}`;
    let told: string | null = null;
    const sweeping = sweepFleet(fleet, { ...DAYS, at, noticeMs: 700 });
    await expect
      .poll(async () => (await fleet.sql`SELECT 1 FROM objects WHERE going_at IS NOT NULL`).length, SOON)
      .toBe(1);
    await missingOf(fleet, [lost.object]).then(
      () => (told = "missing"),
      (error: Error) => (told = error.message),
    );
    expect(await sweeping).toMatchObject({ strays: 1, objects: 1, bytes: lost.bytes.length });
    expect(told).toBe("missing");
    expect([await isThere(lost.object), await isThere(named.object)]).toEqual([false, true]);
    expect(await fleet.objects.head("other/readme")).not.toBe(null);
  });

  test("an agent's output whose bytes nothing named for long is kept for it", () =>
    inFolder((dir) =>
      withArchive(
        join(dir, "node"),
        async (archive) => {
          const node = testNode(fleet, archive);
          const text = "line\n".repeat(5000);
          const object = await orphan(text);
          await passDays(8);
          const { id } = await createSession(archive, { id: "sweep-agent" });
          const output = { session: id, toolName: "bash", isError: false, toolCallId: "c1" } as const;
          await recordOutput(archive, output, Buffer.from(text));
          // Its name was not there yet when it was asked for: the note keeps it.
          await fleet.sql`DELETE FROM held_names`;
          expect([await sweepFleet(fleet, DAYS), await isThere(object)]).toMatchObject([{ objects: 0 }, true]);
          await node.held.close();
        },
        testHost(() => Date.UTC(2026, 5, 1)),
      ),
    ));

  test("an agent's output is there also where a bucket with versions takes it while a sweep removes it", () =>
    inFolder((dir) =>
      withArchive(
        join(dir, "node"),
        async (archive) => {
          const { address: bucket } = (await testBucket()) as { address: string };
          const { database } = (found as { address: FleetAddress }).address;
          const versioned = openFleet({ database, bucket });
          await versioned.objects.ensure();
          await bucketVersions(bucket).enable();
          const text = "line\n".repeat(5000);
          const { object, bytes } = objectOf(text);
          await versioned.objects.put(objectName(object), bytes);
          expect(await missingOf(versioned, [object])).toEqual([]);
          await passDays(8);
          const asked = Promise.withResolvers<void>();
          const late = Promise.withResolvers<void>();
          const slow: Fleet = {
            ...versioned,
            objects: {
              ...versioned.objects,
              remove: async (name) => (asked.resolve(), await late.promise, versioned.objects.remove(name)),
            },
          };
          const node = testNode(versioned, archive);
          const { id } = await createSession(archive, { id: "versions-sweep" });
          const sweeping = sweepFleet(slow, DAYS);
          await asked.promise;
          const output = { session: id, toolName: "bash", isError: false, toolCallId: "c1" } as const;
          const told = recordOutput(archive, output, Buffer.from(text));
          await setTimeout(300);
          late.resolve();
          expect(await sweeping).toMatchObject({ objects: 1 });
          await told;
          expect(await versioned.objects.head(objectName(object))).toEqual({ size: bytes.length });
          expect(await sweepFleet(versioned, DAYS)).toMatchObject({ objects: 0 });
          await node.close();
          await versioned.close();
        },
        testHost(() => Date.UTC(2026, 5, 1)),
      ),
    ));

  test("a tombstone whose time is over restores nothing, an agent's session goes with it, and senders may send after a restore", () =>
    inFolder((dir) =>
      withArchive(
        join(dir, "node"),
        async (archive) => {
          const node = testNode(fleet, archive, { project: "agents" });
          const { id } = await createSession(archive, { id: "swept-agent" });
          const output = { session: id, toolName: "bash", isError: false, toolCallId: "c1" } as const;
          await recordOutput(archive, output, Buffer.from("swept\n".repeat(5000)));
          await node.held.tend();
          await node.retention.remove({ ...ANN, session: id, reason: "", dryRun: false });
          await passDays(6);
          expect(await sweepFleet(fleet, DAYS)).toMatchObject({ tombstones: 0, objects: 0 });
          await passDays(2);
          const swept = await sweepFleet(fleet, DAYS);
          expect(swept.tombstones).toBe(1);
          expect(swept.objects).toBeGreaterThan(0);
          for (const table of ["held_sessions", "live_log", "held_keys", "held_names", "family_objects", "commits"])
            expect([table, (await fleet.sql`SELECT 1 FROM ${fleet.sql(table)}`).length]).toEqual([table, 0]);
          await expect(node.held.locate(id)).rejects.toMatchObject({ message: expect.stringContaining("was deleted") });
          expect(await node.retention.restore({ ...ANN, session: id })).toMatchObject({ isRestored: false });
          expect(await node.held.locate(id)).toEqual({ kind: "none" });
          await node.held.close();
        },
        testHost(() => Date.UTC(2026, 5, 1)),
      ),
    ));

  type Step =
    | { readonly do: "send" | "delete" | "restore"; readonly of: number }
    | { readonly do: "sweep"; readonly after: number };
  const SESSIONS = 3;
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant("send" as const), of: fc.nat(SESSIONS - 1) }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constantFrom("delete" as const, "restore"), of: fc.nat(SESSIONS - 1) }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("sweep" as const), after: fc.constantFrom(1, 4, 8) }) },
  );

  test(
    "whatever is sent, deleted, restored and swept: what is named stays and opens as it was sent",
    { timeout: 60_000 },
    async () => {
      let round = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 12 }), (steps) =>
          inFolder((dir) =>
            withArchive(join(dir, "laptop"), (laptop) =>
              withArchive(join(dir, "node"), (archive) => play(dir, laptop, archive, `round-${round++}`, steps)),
            ),
          ),
        ),
        { numRuns: 6 },
      );
    },
  );

  async function play(
    dir: string,
    laptop: Archive,
    archive: Archive,
    project: string,
    steps: readonly Step[],
  ): Promise<void> {
    await empty();
    const node: FleetNode = testNode(fleet, archive);
    const sessions = Array.from({ length: SESSIONS }, (_, n) => ({
      id: "",
      native: `0a1b2c3d-0000-4000-8000-${String(n).padStart(4, "0")}${createHash("sha256").update(project).digest("hex").slice(0, 8)}`,
      prompts: [] as string[],
      /** What the fleet has of it. */
      turns: 0,
      /** Days since it was deleted; null where it is not. */
      deleted: null as number | null,
      isCleared: false,
    }));
    await withDoor(node, async (to) => {
      for (const one of steps) {
        if (one.do === "sweep") {
          await passDays(one.after);
          for (const session of sessions) {
            if (session.deleted === null) continue;
            session.deleted += one.after;
            if (session.deleted >= 7) session.isCleared = true;
          }
          await sweepFleet(fleet, DAYS);
        } else {
          const session = sessions[one.of]!;
          if (one.do === "send") {
            session.prompts.push(`prompt ${session.prompts.length} of ${session.native}`);
            const lines = sessionRecords(session.native, "/home/user/shop", session.prompts);
            put(
              join(dir, "logs"),
              `${session.native}.jsonl`,
              lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
            );
            await importPaths(laptop, [join(dir, "logs")]);
            const results = await sendSessions(laptop, { ...SENDING, project, to });
            for (const { id, title, state } of results) {
              const sent = sessions.find(({ native }) => title.endsWith(native))!;
              sent.id = id;
              // One that did not change is not asked about.
              if (state !== "unchanged") expect(state).toBe(sent.deleted === null ? "sent" : "deleted");
              if (state === "sent") sent.turns = sent.prompts.length;
            }
          } else if (session.id !== "" && (one.do === "delete") === (session.deleted === null)) {
            if (one.do === "delete") {
              await node.retention.remove({ ...ANN, session: session.id, reason: "", dryRun: false });
              Object.assign(session, { deleted: 0 });
            } else {
              const { isRestored } = await node.retention.restore({ ...ANN, session: session.id });
              expect(isRestored).toBe(!session.isCleared);
              Object.assign(session, { deleted: null, isCleared: false }, !isRestored && { turns: 0 });
            }
          }
        }
        await readAll(fleet, archive);
        await requireNamed();
      }
      for (const { id, turns, deleted } of sessions) {
        if (id === "") continue;
        if (deleted !== null) await expect(node.ensure(id, [project])).rejects.toMatchObject({ code: "not_found" });
        else if (turns > 0) {
          await withArchive(join(dir, `fresh-${id}`), async (fresh) => {
            const other = testNode(fleet, fresh);
            await other.ensure(id, [project]);
            expect((await showSession(fresh, id)).turns).toBe(turns);
          });
        }
      }
      // After everything is deleted and its time is over nothing is left of it.
      for (const { id, deleted } of sessions)
        if (id !== "" && deleted === null)
          await node.retention.remove({ ...ANN, session: id, reason: "", dryRun: false }).catch(() => undefined);
      await passDays(8);
      await sweepFleet(fleet, DAYS);
      expect(await fleet.sql`SELECT digest FROM objects`).toEqual([]);
      const left = await Array.fromAsync(fleet.objects.list("segments/"));
      expect(left).toEqual([]);
    });
  }

  /** Every object that something names is in the bucket, with its size. */
  async function requireNamed(): Promise<void> {
    const { sql } = fleet;
    const rows = await sql<{ digest: string; bytes: number | null; kind: "segment" }[]>`
      SELECT DISTINCT n.digest, o.bytes, o.kind FROM family_objects n LEFT JOIN objects o ON o.digest = n.digest AND o.going_at IS NULL`;
    const there = new Map(
      (await Array.fromAsync(fleet.objects.list("segments/"))).map(({ name, size }) => [name, size]),
    );
    for (const row of rows) expect([row.digest, there.get(objectName(row))]).toEqual([row.digest, row.bytes]);
  }
});
