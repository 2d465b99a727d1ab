// What people keep beside a session that was sent, at any node: it is there for all of them, and outlives each node's copy.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { hasSession } from "#lib/archive/exports/catalogue-session.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { compactSession, undoCompaction } from "#lib/archive/memory/compact.ts";
import { listCompactions } from "#lib/archive/memory/compaction-rows.ts";
import { changeMemory, memoryOf } from "#lib/archive/memory/session-memory.ts";
import { listMarks, setMark } from "#lib/archive/settings/marks.ts";
import { removeSession } from "#lib/archive/sources/remove-session.ts";
import { inFolder, put, withArchive } from "#lib/archive/testing-archive.ts";
import { skippedFor } from "#lib/blobs/testing-services.ts";
import { markRequest } from "#lib/wire/marks-schema.ts";
import { compactRequest, type MemoryChange } from "#lib/wire/memory-schema.ts";
import { searchQuery } from "#lib/wire/search-schema.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { writeMarks } from "./beside-sessions.ts";
import { fleetNode, type FleetNode } from "./fleet-node.ts";
import type { Fleet } from "./open-fleet.ts";
import { deleteSession, restoreSession } from "./retention/delete-session.ts";
import { sweepFleet } from "./retention/sweep-fleet.ts";
import { sendSessions } from "./send-sessions.ts";
import { openTestFleet, sessionRecords, testFleet } from "./testing-fleet.ts";
import { readAll, readerOf, SENDING, testNode, withDoor } from "./testing-sender.ts";

const found = await testFleet();
const NATIVE = "0a1b2c3d-0000-4000-8000-00000000be51";
const PROMPTS = ["repair the moorings", "read the tide tables", "paint the buoys", "count the gulls", "sweep the quay"];
const ANN = { who: "person:ann@example.com", address: "10.0.0.1" } as const;

type Ground = {
  readonly laptop: Archive;
  readonly one: Archive;
  readonly two: Archive;
  readonly nodes: readonly [FleetNode, FleetNode];
  /** Its session. */
  readonly id: string;
  /** The laptop's session with so many prompts, sent and read, by node one where nothing else is given. */
  send(prompts: number, all?: readonly string[], read?: () => Promise<unknown>): Promise<void>;
};

describe.skipIf("missing" in found)(`beside the sessions of a fleet${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  test("plans, memory and marks are those of every node, and outlive a node's copy", () =>
    ground(async ({ one, two, nodes, id, send }) => {
      await mark(two, id, { kind: "label", value: "todo" });
      await mark(two, id, { kind: "note", value: "see the tide", seq: 3 });
      const plan = await compactSession(two, id, compactRequest.parse({ tail: 1, dryRun: false, at: 6 }));
      await changeMemory(two, id, memoryAdd("The quay is swept."), { by: "person", who: "ann" });
      await nodes[0].ensure(id, "all");
      await isSame(one, two, id);
      expect((await listCompactions(one, id)).compactions.map((row) => row.id)).toEqual([plan.id]);

      // The list and search of all nodes, with what its sender had marked.
      const query = (q: string) => nodes[0].listSessions(sessionsQuery.parse({ q }), "all");
      expect((await query("")).sessions.length).toBe(1);
      expect((await query("label:TODO")).sessions).toMatchObject([{ id, starred: true, labels: ["todo"], note: null }]);
      for (const [q, total] of [
        ["is:starred", 1],
        ["-label:todo", 0],
        ["note:tide", 1],
        ["-note:tide", 1],
        ["label:done", 0],
      ] as const)
        expect([q, (await query(q)).total]).toEqual([q, total]);
      const search = async (q: string) =>
        (await nodes[0].answers.search(searchQuery.parse({ q }), "all")).hits.map(({ seq }) => seq);
      expect([await search("note:tide"), (await search("label:todo tide")).length > 0]).toEqual([[3], true]);
      expect(await nodes[1].answers.labels("all")).toEqual({ labels: [{ name: "todo", count: 1 }] });
      expect(await nodes[1].answers.labels(["elsewhere"])).toEqual({ labels: [] });

      // What one node takes back is taken back at the other; an evicted copy comes back with all of it.
      await undoCompaction(one, plan.id!);
      await mark(one, id, { kind: "star", on: false });
      await nodes[1].ensure(id, "all");
      await isSame(one, two, id);
      await removeSession(two, id);
      expect(hasSession(two, id)).toBe(false);
      await inFolder((dir) =>
        withArchive(dir, async (three) => {
          await testNode(fleet, three).ensure(id, "all");
          await isSame(one, three, id);
          expect(listMarks(three, id).marks.map(({ kind, value }) => `${kind} ${value}`)).toEqual([
            "label todo",
            "note see the tide",
          ]);
        }),
      );

      // It goes on: the plan's events are the same, so nothing is said of them.
      await send(5);
      await nodes[0].ensure(id, "all");
      expect((await listCompactions(one, id)).compactions.map((row) => row.reason)).toEqual([null]);
      // Rewritten by its agent, its events have other numbers.
      await send(4, ["another first prompt", ...PROMPTS]);
      await inFolder((dir) =>
        withArchive(dir, async (fresh) => {
          await testNode(fleet, fresh).ensure(id, "all");
          const [plan] = (await listCompactions(fresh, id)).compactions;
          expect(plan!.reason).toContain("imported again");
        }),
      );
      expect((await query("is:starred")).total).toBe(0);
    }));

  test("what the sender marks later comes along, and what a node took away stays away", () =>
    ground(async ({ laptop, one, nodes, id, send }) => {
      await nodes[0].ensure(id, "all");
      await mark(one, id, { kind: "star", on: false });
      await mark(laptop, id, { kind: "label", value: "night" });
      await send(4);
      await nodes[0].ensure(id, "all");
      expect(listMarks(one, id).marks.map(({ kind, value }) => `${kind} ${value}`)).toEqual(["label night"]);
      const { sessions } = await nodes[1].listSessions(sessionsQuery.parse({}), "all");
      expect(sessions).toMatchObject([{ starred: false, labels: ["night"] }]);
    }));

  test("of two nodes that write at once one is told to ask again, and both changes stay", () =>
    ground(async ({ one, two, nodes, id }) => {
      await nodes[0].ensure(id, "all");
      const both = await Promise.allSettled([
        mark(one, id, { kind: "label", value: "one" }),
        mark(two, id, { kind: "label", value: "two" }),
      ]);
      const refused = both.findIndex(({ status }) => status === "rejected");
      expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
      expect((both[refused] as PromiseRejectedResult).reason).toMatchObject({ code: "conflict", isPassing: true });
      const [archive, node] = refused === 0 ? ([one, nodes[0]] as const) : ([two, nodes[1]] as const);
      await node.ensure(id, "all");
      await mark(archive, id, { kind: "label", value: refused === 0 ? "one" : "two" });
      await Promise.all(nodes.map((each) => each.ensure(id, "all")));
      await nodes[1 - refused]!.ensure(id, "all");
      expect(await nodes[0].answers.labels("all")).toMatchObject({ labels: [{ name: "one" }, { name: "two" }] });
    }));

  test("what was there stays when a node reads a rewritten file, and somebody marks the session before its views are written", () =>
    ground(({ nodes, two, id, send }) =>
      inFolder((dir) =>
        withArchive(dir, async (archive) => {
          await mark(two, id, { kind: "label", value: "two" });
          let isMarked = false;
          const plain = readerOf(archive);
          const judge: typeof plain.judge = async (sessions) => {
            await plain.judge(sessions);
            await node.ensure(id, "all");
            await mark(archive, id, { kind: "label", value: "three" });
            isMarked = true;
          };
          const node = fleetNode({ ...fleet, close: () => Promise.resolve() }, { ...plain, judge }, 1e9, () =>
            Date.now(),
          );
          await node.ensure(id, "all");
          await send(4, ["another first prompt", ...PROMPTS], async () => {
            await node.run({ address: "http://127.0.0.1:1/three", host: "three" });
            await expect.poll(() => isMarked).toBe(true);
          });
          await node.close();
          expect(await nodes[1].answers.labels("all")).toMatchObject({ labels: [{ name: "three" }, { name: "two" }] });
        }),
      ),
    ));

  test("whoever marks a session that was read again and has not been given what the fleet keeps is told to ask again", () =>
    ground(({ nodes, two, id, send }) =>
      inFolder((dir) =>
        withArchive(dir, async (archive) => {
          await mark(two, id, { kind: "label", value: "two" });
          const plain = readerOf(archive);
          const refused: unknown[] = [];
          const importBundle = async (path: string): Promise<void> => {
            await plain.importBundle(path);
            if (listMarks(archive, id).marks.some(({ value }) => value === "two")) return;
            refused.push(await mark(archive, id, { kind: "label", value: "three" }).catch((error: unknown) => error));
          };
          const node = fleetNode({ ...fleet, close: () => Promise.resolve() }, { ...plain, importBundle }, 1e9, () =>
            Date.now(),
          );
          await node.ensure(id, "all");
          expect(listMarks(archive, id).marks.map(({ value }) => value)).toEqual(["two", ""]);
          await send(4, PROMPTS, async () => {
            await node.run({ address: "http://127.0.0.1:1/three", host: "three" });
            await expect.poll(() => refused.length).toBe(2);
          });
          expect(refused).toMatchObject([{ code: "conflict" }, { code: "conflict" }]);
          await node.close();
          expect(await nodes[1].answers.labels("all")).toMatchObject({ labels: [{ name: "two" }] });
        }),
      ),
    ));

  test("what the database does not take is not there", () =>
    ground(async ({ two, id }) => {
      await fleet.sql`ALTER TABLE session_kept RENAME TO session_lost`;
      try {
        await expect(mark(two, id, { kind: "label", value: "lost" })).rejects.toThrow();
      } finally {
        await fleet.sql`ALTER TABLE session_lost RENAME TO session_kept`;
      }
      expect(listMarks(two, id).marks.map(({ kind }) => kind)).toEqual(["star"]);
    }));

  test("what a newer node tells is taken over without the columns that are not known here", () =>
    ground(async ({ one, two, nodes, id }) => {
      await mark(two, id, { kind: "label", value: "new" });
      await fleet.sql`UPDATE session_kept SET version = version + 1,
        rows = replace(rows, '"kind":"label"', '"kind":"label","colour); DROP TABLE marks":"red"')`;
      await nodes[0].ensure(id, "all");
      expect(listMarks(one, id).marks.map(({ kind, value }) => `${kind} ${value}`)).toEqual(["label new", "star "]);
    }));

  test("a session may have a mark on each of many events", async () => {
    const marks = Array.from({ length: 15_000 }, (_, seq) => ({ seq: seq + 1, kind: "star", value: "" }));
    await fleet.sql.begin((tx) => writeMarks(tx, "many", "s_many", marks));
    const [row] = await fleet.sql<{ n: number }[]>`SELECT count(*) AS n FROM session_marks WHERE session = 's_many'`;
    expect(row!.n).toBe(15_000);
  });

  test("of writes that are carried out together all are told, also what the first of them took away", () =>
    ground(async ({ one, two, nodes, id }) => {
      await mark(one, id, { kind: "label", value: "old" });
      await Promise.all([
        mark(one, id, { kind: "label", value: "old", on: false }),
        mark(one, id, { kind: "label", value: "new" }),
      ]);
      await nodes[1].ensure(id, "all");
      await isSame(one, two, id);
      expect(await nodes[1].answers.labels("all")).toEqual({ labels: [{ name: "new", count: 1 }] });
    }));

  test("a restored session has it again; a sweep takes what cannot be restored", () =>
    ground(async ({ one, two, nodes, id }) => {
      await mark(two, id, { kind: "label", value: "kept" });
      const request = { ...ANN, session: id, managed: "all" } as const;
      await deleteSession(fleet, { ...request, reason: "test", dryRun: false });
      expect(await nodes[0].answers.labels("all")).toEqual({ labels: [] });
      await restoreSession(fleet, request);
      await readAll(fleet, one);
      await nodes[0].ensure(id, "all");
      expect(listMarks(one, id).marks.map(({ kind }) => kind)).toEqual(["label", "star"]);
      await deleteSession(fleet, { ...request, reason: "test", dryRun: false });
      await fleet.sql`UPDATE deleted_families SET deleted_at = now() - interval '30 days'`;
      await sweepFleet(fleet, { graceDays: 7, adopts: true });
      expect(await fleet.sql`SELECT session FROM session_kept`).toEqual([]);
    }));

  /** A laptop's starred session, read by node one and opened at node two. */
  const ground = (run: (ground: Ground) => Promise<void>): Promise<void> =>
    inFolder((dir) =>
      withArchive(join(dir, "laptop"), (laptop) =>
        withArchive(join(dir, "one"), (one) =>
          withArchive(join(dir, "two"), async (two) => {
            for (const table of [
              "sessions",
              "families",
              "commits",
              "session_projects",
              "session_kept",
              "session_marks",
              "deleted_families",
              "deleted_sessions",
            ])
              await fleet.sql`DELETE FROM ${fleet.sql(table)}`;
            // A node believes for 2 s what it heard of a session: here each question is 10 s after the one before.
            let clock = Date.now();
            const nodeOf = (archive: Archive): FleetNode =>
              fleetNode({ ...fleet, close: () => Promise.resolve() }, readerOf(archive), 1e9, () => (clock += 10_000));
            const nodes = [nodeOf(one), nodeOf(two)] as const;
            let id = "";
            const read = (): Promise<unknown> => readAll(fleet, one);
            const send: Ground["send"] = async (prompts, all = PROMPTS, reading = read) => {
              const records = sessionRecords(NATIVE, "/home/user/shop", all.slice(0, prompts));
              const text = records.map((record) => `${JSON.stringify(record)}\n`).join("");
              const file = put(join(dir, "logs", "projects", "-home-user-shop"), `${NATIVE}.jsonl`, text);
              await importPaths(laptop, [file]);
              id = laptop.sqlite.prepare("SELECT id FROM sessions").pluck().get() as string;
              if (prompts === 3) await mark(laptop, id, { kind: "star" });
              await withDoor(nodes[0], (to) => sendSessions(laptop, { ...SENDING, to }));
              await reading();
            };
            await send(3);
            await nodes[1].ensure(id, "all");
            try {
              await run({ laptop, one, two, nodes, id, send });
            } finally {
              await Promise.all(nodes.map((node) => node.close()));
            }
          }),
        ),
      ),
    );
});

const mark = (archive: Archive, id: string, request: object) => setMark(archive, id, markRequest.parse(request));

const memoryAdd = (text: string): MemoryChange => ({
  do: "add",
  kind: "semantic",
  text,
  category: null,
  salience: 0,
  tags: [],
  seqs: [2],
});

async function isSame(one: Archive, two: Archive, id: string): Promise<void> {
  expect(listMarks(one, id)).toEqual(listMarks(two, id));
  expect(await listCompactions(one, id)).toEqual(await listCompactions(two, id));
  // Each archive counts its own changes.
  const memory = { ...(await memoryOf(two, id)), version: expect.any(String) as string };
  expect(await memoryOf(one, id)).toEqual(memory);
}
