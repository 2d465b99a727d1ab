// The repair of a fleet loses nothing: what can be read again is, what is damaged gives way, and whoever has it sends it anew.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { inFolder, put, withArchive } from "#lib/archive/testing-archive.ts";
import type { FleetProblem } from "#lib/wire/fleet-check-schema.ts";
import type { SentObject } from "#lib/wire/fleet-schema.ts";
import type { Fleet } from "../open-fleet.ts";
import { recomputeNext } from "../outdated-views.ts";
import { sendSessions, type SentResult } from "../send-sessions.ts";
import { objectName } from "../stored-objects.ts";
import { openTestFleet, sessionRecords, skippedFor, testFleet } from "../testing-fleet.ts";
import { readAll, readerOf, SENDING, testNode, withDoor } from "../testing-sender.ts";
import { checkFleet } from "./check-fleet.ts";

const found = await testFleet();
const CLEAN = { missing: [], failed: [], problems: [] };

describe.skipIf("missing" in found)(`the repair of a fleet${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  type Scene = {
    readonly id: string;
    readonly send: () => Promise<SentResult>;
    readonly read: () => Promise<void>;
    readonly opens: () => Promise<boolean>;
    readonly object: SentObject;
  };
  let sessions = 0;

  /** Runs with a session that one laptop has sent, at one address, and a node has read. */
  const withSent = (run: (scene: Scene) => Promise<void>): Promise<void> =>
    inFolder((dir) =>
      withArchive(join(dir, "laptop"), (laptop) =>
        withArchive(join(dir, "node"), async (archive) => {
          const native = `0a1b2c3d-0000-4000-8000-00000000dd0${++sessions}`;
          const records = sessionRecords(native, "/home/user/shop", [`session ${sessions}`, "and on"]);
          put(join(dir, "logs"), `${native}.jsonl`, records.map((one) => `${JSON.stringify(one)}\n`).join(""));
          await importPaths(laptop, [join(dir, "logs")]);
          const node = testNode(fleet, archive);
          const read = async (): Promise<void> => {
            await readAll(fleet, archive);
            while ((await recomputeNext(fleet, readerOf(archive))) !== null);
          };
          await withDoor(node, async (to) => {
            const send = async (): Promise<SentResult> => (await sendSessions(laptop, { ...SENDING, to }))[0]!;
            const { id } = await send();
            await read();
            const [object] = await fleet.sql<SentObject[]>`SELECT digest, kind, bytes FROM objects
              WHERE digest IN (SELECT digest FROM family_objects WHERE family = ${id}) AND kind = 'segment'`;
            const opens = (): Promise<boolean> =>
              withArchive(join(dir, `other-${performance.now()}`), async (other) => {
                const opener = testNode(fleet, other);
                const isOpen = await opener.ensure(id, "all").then(
                  ({ project }) => project === "team",
                  () => false,
                );
                await opener.close();
                return isOpen;
              });
            expect(await checkFleet(fleet)).toMatchObject(CLEAN);
            await run({ id, send, read, opens, object: object! });
            await read();
            expect(await checkFleet(fleet)).toMatchObject(CLEAN);
            expect(await opens()).toBe(true);
          });
          await node.close();
        }),
      ),
    );
  const kindsOf = (problems: readonly FleetProblem[]): string[] =>
    [...new Set(problems.map(({ kind, isRepaired }) => `${isRepaired ? "repaired " : ""}${kind}`))].toSorted();
  const told = async (repair = false, content = false): Promise<string[]> =>
    kindsOf((await checkFleet(fleet, { repair, content })).problems);

  /** Other bytes under the name of an object. */
  async function putOther(object: SentObject, change: (bytes: Buffer) => Buffer): Promise<void> {
    const bytes = Buffer.from(await fleet.objects.get(objectName(object)));
    await fleet.objects.remove(objectName(object));
    await fleet.objects.put(objectName(object), change(bytes));
  }

  test("a session whose family is gone is read again from what was handed in", () =>
    withSent(async ({ id, read, opens }) => {
      await fleet.sql`DELETE FROM families WHERE id = ${id}`;
      expect(await told(true)).toContain("repaired session without family");
      expect(await fleet.sql`SELECT id FROM sessions WHERE id = ${id}`).toHaveLength(1);
      await read();
      expect(await opens()).toBe(true);
    }));

  test("so is one that an earlier repair took out of the catalogue", () =>
    withSent(async ({ id }) => {
      for (const table of ["families", "sessions"]) await fleet.sql`DELETE FROM ${fleet.sql(table)} WHERE id = ${id}`;
      expect(await told(true)).toContain("repaired commit without family");
    }));

  test("one whose hand-in was trimmed is sent again by who has it, at the same address", () =>
    withSent(async ({ id, send }) => {
      await fleet.sql`UPDATE commits SET body = '{}' WHERE family = ${id}`;
      await fleet.sql`DELETE FROM families WHERE id = ${id}`;
      expect(await told(true)).toContain("repaired session without family");
      expect((await send()).state).toBe("sent");
      expect((await send()).state).toBe("unchanged");
    }));

  test("an object of another size is told of, gives way, and is sent again", () =>
    withSent(async ({ object, send, opens }) => {
      await putOther(object, (bytes) => bytes.subarray(5));
      expect(await told()).toEqual(["damaged object"]);
      expect(await told(true)).toEqual(["repaired damaged object"]);
      expect([await fleet.objects.head(objectName(object)), await opens()]).toEqual([null, false]);
      expect(await told()).toEqual(["missing object"]);
      expect(await send()).toMatchObject({ state: "sent", sentObjects: 1 });
    }));

  test("one that was forgotten and is damaged is found, too", () =>
    withSent(async ({ object, send }) => {
      await putOther(object, (bytes) => bytes.subarray(5));
      await fleet.sql`DELETE FROM objects WHERE digest = ${object.digest}`;
      expect(await told()).toEqual(["damaged object"]);
      expect(await told(true)).toEqual(["repaired damaged object"]);
      expect((await send()).sentObjects).toBe(1);
    }));

  test("one whose noted size is wrong stays, and its size is noted", () =>
    withSent(async ({ object }) => {
      await fleet.sql`UPDATE objects SET bytes = bytes + 1 WHERE digest = ${object.digest}`;
      expect(await told(true)).toHaveLength(1);
      expect(await fleet.objects.head(objectName(object))).toMatchObject({ size: object.bytes });
    }));

  test("whoever has a missing object sends it the next time, without a change of the session", () =>
    withSent(async ({ object, send }) => {
      await fleet.objects.remove(objectName(object));
      expect((await send()).state).toBe("unchanged");
      expect(await told(true)).toEqual(["repaired missing object"]);
      expect(await send()).toMatchObject({ state: "sent", sentObjects: 1 });
      expect((await send()).state).toBe("unchanged");
    }));

  test("bytes that changed and kept their size are found where contents are read", () =>
    withSent(async ({ object, send }) => {
      await putOther(object, (bytes) => (bytes.writeUInt8(bytes[9]! ^ 255, 9), bytes));
      expect(await told()).toEqual([]);
      expect(await told(false, true)).toEqual(["damaged object"]);
      expect(await told(true, true)).toEqual(["repaired damaged object"]);
      expect((await send()).sentObjects).toBe(1);
    }));

  test("a text that is gone, of another session or changed is found, and written again", () =>
    withSent(async ({ id, read }) => {
      const texts = async () =>
        (
          await fleet.sql`SELECT seq, piece, kind, text, print FROM session_texts WHERE session = ${id} ORDER BY 1, 2, 3`
        ).map((row) => ({ ...row }));
      const before = await texts();
      const one = fleet.sql`(seq, piece, kind) = (SELECT seq, piece, kind FROM session_texts WHERE session = ${id} LIMIT 1)`;
      const harms = [
        () => fleet.sql`DELETE FROM session_texts WHERE session = ${id} AND ${one}`,
        () => fleet.sql`UPDATE session_texts SET print = gen_random_uuid() WHERE session = ${id} AND ${one}`,
        () => fleet.sql`UPDATE session_texts SET seq = seq + 100000 WHERE session = ${id} AND ${one}`,
      ];
      for (const harm of harms) {
        await harm();
        expect(await told(true)).toEqual(["repaired texts of session"]);
        await read();
        expect(await texts()).toEqual(before);
        expect(await told()).toEqual([]);
      }
    }));

  test("rows of usage and texts that are gone are written again", () =>
    withSent(async ({ id, read }) => {
      const rows = async (): Promise<number[]> =>
        Promise.all(
          ["session_usage", "session_texts"].map(
            async (table) => (await fleet.sql`SELECT 1 FROM ${fleet.sql(table)} WHERE session = ${id}`).length,
          ),
        );
      const before = await rows();
      await fleet.sql`DELETE FROM session_usage WHERE session = ${id}`;
      await fleet.sql`DELETE FROM session_texts WHERE session = ${id}`;
      expect(await told()).toEqual(["sums of session", "texts of session"]);
      expect(await told(true)).toEqual(["repaired sums of session", "repaired texts of session"]);
      await read();
      expect(await rows()).toEqual(before);
    }));
});
