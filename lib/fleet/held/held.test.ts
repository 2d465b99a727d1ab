// Nodes of a fleet and the sessions that agents write: one node at a time, nothing acknowledged is lost when it goes, and what it
// still says afterwards is refused.
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { closeTurnWrite } from "#lib/archive/artifacts/turns.ts";
import { recordOutput } from "#lib/archive/artifacts/record-output.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { findSession } from "#lib/archive/base/find-session.ts";
import { withRequestKey } from "#lib/archive/base/request-key.ts";
import { write } from "#lib/archive/base/write.ts";
import { importBundle } from "#lib/archive/bundle/import-bundle.ts";
import { rowsOf } from "#lib/archive/bundle/bundle-rows.ts";
import { hasSession } from "#lib/archive/exports/catalogue-session.ts";
import { compactSession } from "#lib/archive/memory/compact.ts";
import { ingest } from "#lib/archive/memory/ingest-records.ts";
import { changeMemory } from "#lib/archive/memory/session-memory.ts";
import { keptAnswer } from "#lib/archive/settings/idempotency-rows.ts";
import { inFolder, testHost, withArchive } from "#lib/archive/testing-archive.ts";
import { skippedFor } from "#lib/blobs/testing-services.ts";
import { AppError } from "#lib/kernel/errors.ts";
import { compactRequest } from "#lib/wire/memory-schema.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { fleetNode, type FleetNode } from "../fleet-node.ts";
import type { Fleet } from "../open-fleet.ts";
import { openTestFleet, testFleet } from "../testing-fleet.ts";
import type { HeldOptions } from "./held-node.ts";
import { noteNode, passFor, readPass } from "./node-list.ts";

const found = await testFleet();

const said = (n: number | string, text = `text ${n} ${"word ".repeat(30)}`, isUser = Number(n) % 2 === 0) => ({
  record: "event",
  uuid: `u${n}`,
  startsTurn: isUser,
  body: { type: isUser ? "user" : "assistant", text },
});
const lines = (archive: Archive, id: string): string[] =>
  [...rowsOf(archive, findSession(archive, id), true)].map((row) => JSON.stringify(row));

describe.skipIf("missing" in found)(`sessions that agents write${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  type Node = { readonly archive: Archive; readonly node: FleetNode };
  /** Nodes by these names over one fleet; `ask` may stand before their questions to the database. */
  async function withNodes(
    names: readonly string[],
    run: (...nodes: Node[]) => Promise<void>,
    {
      holding = {},
      ask = fleet.ask,
      afterImport = () => Promise.resolve(),
    }: { holding?: HeldOptions; ask?: Fleet["ask"]; afterImport?: () => Promise<void> } = {},
  ): Promise<void> {
    await inFolder(async (dir) => {
      const nodes: Node[] = [];
      let clock = Date.UTC(2026, 5, 1);
      const open = async (rest: readonly string[]): Promise<void> => {
        const [name, ...more] = rest;
        if (name === undefined) return run(...nodes);
        await withArchive(
          join(dir, name),
          async (archive) => {
            const own: Fleet = { ...fleet, node: `${name}-${dir.slice(-6)}`, ask, close: () => Promise.resolve() };
            const importer = async (path: string): Promise<void> => {
              await importBundle(archive, path);
              await afterImport();
            };
            const node = fleetNode(
              own,
              { archive, importBundle: importer, judge: () => Promise.resolve() },
              1e9,
              Date.now,
              null,
              { idleMs: 0, ...holding },
            );
            await noteNode(own, { address: `http://127.0.0.1:1/${name}`, host: name });
            nodes.push({ archive, node });
            await open(more);
            await node.close();
          },
          testHost(() => (clock += 1000)),
        );
      };
      await open(names);
    });
  }

  /** What a lease is after its node was gone for as long as it lasts. */
  const end = (session: string): Promise<unknown> =>
    fleet.sql`UPDATE held_sessions SET until = clock_timestamp() - interval '1 second' WHERE session = ${session}`;
  const logOf = async (session: string): Promise<number[]> =>
    (await fleet.sql<{ seq: number }[]>`SELECT seq FROM live_log WHERE session = ${session} ORDER BY seq`).map(
      ({ seq }) => seq,
    );

  test("another node takes over with all that was acknowledged, and the old one is refused", () =>
    withNodes(["one", "two"], async (one, two) => {
      const { id } = await createSession(one.archive, { id: "taken", compaction: { contextTokens: 2000 } });
      for (let n = 0; n < 8; n++) await ingest(one.archive, id, [said(n)]);
      const output = { session: id, toolName: "bash", isError: false } as const;
      await recordOutput(one.archive, { ...output, toolCallId: "c1" }, Buffer.from("line\n".repeat(5000)));
      await recordOutput(one.archive, { ...output, toolCallId: "c2" }, Buffer.from("large\n".repeat(40_000)));
      await compactSession(one.archive, id, compactRequest.parse({ dryRun: false, tail: 1 }));
      await changeMemory(
        one.archive,
        id,
        { do: "add", kind: "semantic", text: "Ports open at six.", category: null, salience: 1, tags: [], seqs: [1] },
        { by: "agent", who: "token:t" },
      );
      expect(await two.node.held.locate(id)).toMatchObject({ kind: "there", address: "http://127.0.0.1:1/one" });
      await expect(createSession(two.archive, { id: "taken" })).rejects.toMatchObject({ code: "conflict" });
      two.node.held.doubt(id);
      await end(id);
      expect(await two.node.held.locate(id)).toEqual({ kind: "here" });
      expect(lines(two.archive, id)).toEqual(lines(one.archive, id));
      const { seqs } = await ingest(two.archive, id, [said(8)]);
      const before = lines(two.archive, id);
      // It was paused, and goes on: nothing of it counts, and its copy goes.
      await expect(ingest(one.archive, id, [said(9)])).rejects.toMatchObject({
        code: "conflict",
        message: expect.stringContaining("taken over"),
      });
      await expect.poll(() => hasSession(one.archive, id)).toBe(false);
      // So does a write that found the session here and comes after its copy went: the session is not unknown.
      await expect(write(one.archive, closeTurnWrite, { sessionId: id, turn: 1 })).rejects.toMatchObject({
        code: "conflict",
        isPassing: true,
      });
      expect(await one.node.held.locate(id)).toMatchObject({ kind: "there", address: "http://127.0.0.1:1/two" });
      expect(lines(two.archive, id)).toEqual(before);
      expect((await ingest(two.archive, id, [said(9)])).seqs).toEqual([seqs[0]! + 1]);
      // Two at once: one has it.
      await end(id);
      one.node.held.doubt(id);
      const locations = await Promise.all([one.node.held.locate(id), one.node.held.locate(id)]);
      expect(locations).toEqual([{ kind: "here" }, { kind: "here" }]);
      expect((await fleet.sql`SELECT fence FROM held_sessions WHERE session = ${id}`)[0]).toEqual({ fence: 3 });
    }));

  test("a packed log is listed, opened and continued elsewhere; its keys hold, and the live log is empty", () =>
    withNodes(["one", "two"], async (one, two) => {
      const { id } = await createSession(one.archive, { id: "packed", title: "Packed by and by" });
      for (let n = 0; n < 6; n++) await ingest(one.archive, id, [said(n)]);
      await recordOutput(
        one.archive,
        { session: id, toolName: "bash", isError: false },
        Buffer.from("line\n".repeat(5000)),
      );
      const kept = { principal: "token:t", key: "k1", fingerprint: "f", status: 200, answer: null };
      const keyed = { rowOf: () => kept, isAnswered: false, session: null };
      const answer = await withRequestKey(keyed, () => ingest(one.archive, id, [said(6)]));
      expect(await logOf(id)).toHaveLength(9);
      await one.node.held.tend();
      expect(await logOf(id)).toEqual([]);
      expect((await two.node.listSessions(sessionsQuery.parse({ q: "Packed" }), "all")).sessions).toMatchObject([
        { id, title: "Packed by and by" },
      ]);
      await ingest(one.archive, id, [said(7)]);
      // A page of it is opened where it is written: its copy there is the newest.
      const written = lines(one.archive, id);
      await one.node.ensure(id, "all");
      expect(lines(one.archive, id)).toEqual(written);
      await end(id);
      expect(await two.node.held.locate(id)).toEqual({ kind: "here" });
      expect(lines(two.archive, id)).toEqual(lines(one.archive, id));
      expect(keptAnswer(two.archive, "token:t", "k1")).toMatchObject({
        fingerprint: "f",
        answer: JSON.stringify(answer),
      });
      await ingest(two.archive, id, [said(8)]);
      await two.node.held.tend();
      // What the one before was packing comes too late.
      await expect(ingest(one.archive, id, [said(9)])).rejects.toMatchObject({ code: "conflict" });
      expect(await logOf(id)).toEqual([]);
      expect((await fleet.sql`SELECT count(*) AS n FROM commits WHERE family = ${id}`)[0]).toEqual({ n: 1 });
    }));

  test("an append whose answer the database lost is there once, and is acknowledged", () => {
    let lose = 0;
    const ask: Fleet["ask"] = async (run) => {
      const answer = await fleet.ask(run);
      if (lose > 0 && lose-- === 1) throw new AppError("timeout", "The answer was lost.");
      return answer;
    };
    return withNodes(
      ["one"],
      async ({ archive }) => {
        const { id } = await createSession(archive, { id: "lost" });
        lose = 1;
        const first = await ingest(archive, id, [said(1)]);
        const second = await ingest(archive, id, [said(2)]);
        expect([first.seqs, second.seqs]).toEqual([[1], [2]]);
        expect(await logOf(id)).toEqual([1, 2, 3]);
      },
      { ask },
    );
  });

  test("a lease that ended is taken anew while its renewal is refused: the new copy stays", () => {
    let afterImport = (): Promise<void> => Promise.resolve();
    return withNodes(
      ["one"],
      async ({ archive, node }) => {
        const { id } = await createSession(archive, { id: "again" });
        await ingest(archive, id, [said(0)]);
        await node.held.tend();
        expect(await logOf(id)).toEqual([]);
        await setTimeout(2100);
        // Renewed every 0.7 s: the old lease is refused while what is packed was imported, and the rest not yet.
        afterImport = async () => {
          await node.held.run({ address: "http://127.0.0.1:1/one", host: "one" });
          await setTimeout(1000);
        };
        expect(await node.held.locate(id)).toEqual({ kind: "here" });
        expect(node.held.lease(id)).toMatchObject({ fence: 2 });
        expect(hasSession(archive, id)).toBe(true);
        expect((await ingest(archive, id, [said(1)])).seqs).toEqual([2]);
      },
      { holding: { seconds: 2 }, afterImport: () => afterImport() },
    );
  });

  test("a write that the disk refuses, whose session was taken anew while its bytes were sent, is read from the fleet", () =>
    withNodes(["one", "two"], async (one, two) => {
      const { id } = await createSession(one.archive, { id: "anew" });
      const { put } = fleet.objects;
      const sent = Promise.withResolvers<void>();
      fleet.objects.put = async (...given) => {
        await sent.promise;
        return put.apply(fleet.objects, given);
      };
      const request = { session: id, toolName: "bash", isError: false };
      const output = recordOutput(one.archive, request, Buffer.from("line\n".repeat(5000)));
      await setTimeout(200);
      fleet.objects.put = put;
      await one.node.held.drop(id);
      expect(await one.node.held.locate(id)).toEqual({ kind: "here" });
      const { ship } = one.archive;
      // The fleet has it by then.
      one.archive.ship = async (entries) => {
        await ship!(entries);
        throw new Error("I/O error");
      };
      sent.resolve();
      await expect(output).rejects.toThrow("I/O error");
      one.archive.ship = ship;
      expect(await one.node.held.locate(id)).toEqual({ kind: "here" });
      await ingest(one.archive, id, [said(0)]);
      await end(id);
      expect(await two.node.held.locate(id)).toEqual({ kind: "here" });
      expect(lines(two.archive, id)).toEqual(lines(one.archive, id));
    }));

  test("a pack whose session is opened while its bytes are sent has the views of what it packs", () =>
    withNodes(["one"], async ({ archive, node }) => {
      const { id } = await createSession(archive, { id: "opened" });
      await ingest(archive, id, [said(0)]);
      await node.held.tend();
      await ingest(archive, id, [said(2)]);
      const { putStream } = fleet.objects;
      const sent = Promise.withResolvers<void>();
      fleet.objects.putStream = async (...given) => {
        await sent.promise;
        return putStream.apply(fleet.objects, given);
      };
      const packed = node.held.tend();
      const { ship } = archive;
      // Of what failed so, nobody knows whether the fleet has it: the lease is forgotten.
      archive.ship = () => Promise.reject(new Error("I/O error"));
      await expect(write(archive, closeTurnWrite, { sessionId: id, turn: 1 })).rejects.toThrow("I/O error");
      archive.ship = ship;
      const opened = node.ensure(id, "all");
      await Promise.race([opened, setTimeout(1000)]);
      fleet.objects.putStream = putStream;
      sent.resolve();
      await Promise.all([packed, opened]);
      const { sessions } = await node.listSessions(sessionsQuery.parse({}), "all");
      expect(sessions.find((row) => row.id === id)?.turns).toBe(2);
      expect(await node.held.locate(id)).toEqual({ kind: "here" });
      expect((await ingest(archive, id, [said(4)])).seqs).toEqual([3]);
    }));

  test("what is not used is given back, and its copy goes", () =>
    withNodes(
      ["one", "two"],
      async (one, two) => {
        const { id } = await createSession(one.archive, { id: "left" });
        await ingest(one.archive, id, [said(1)]);
        await one.node.held.tend();
        await one.node.held.tend();
        await expect.poll(() => hasSession(one.archive, id)).toBe(false);
        expect(await two.node.held.locate(id)).toEqual({ kind: "here" });
        expect((await ingest(two.archive, id, [said(2)])).seqs).toEqual([2]);
      },
      { holding: { leaveMs: 0 } },
    ));
});

test("a pass of a node names who asks; a changed, foreign or old one names nobody", () => {
  const pass = passFor("secret", { id: "token:t" }, 1e9);
  expect(readPass("secret", pass, 1e9 + 60_000)).toEqual({ id: "token:t" });
  expect(readPass("other", pass, 1e9)).toBe(null);
  expect(readPass("secret", pass.replace(/.\./, "x."), 1e9)).toBe(null);
  expect(readPass("secret", pass, 1e9 + 11 * 60_000)).toBe(null);
  expect(readPass("secret", "plm_x", 1e9)).toBe(null);
});
