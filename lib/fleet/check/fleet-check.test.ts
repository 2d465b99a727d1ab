// The check of a fleet: nothing is said of a sound one; what is broken is found, what can be mended is, and a second check is clean.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { ingest } from "#lib/archive/memory/ingest-records.ts";
import { inFolder, put, testHost, withArchive } from "#lib/archive/testing-archive.ts";
import { catalogueNext } from "../catalogue.ts";
import { noteHeld } from "../held/held-leases.ts";
import type { Fleet } from "../open-fleet.ts";
import { recomputeNext } from "../outdated-views.ts";
import { sendSessions, type SentResult } from "../send-sessions.ts";
import { objectName } from "../stored-objects.ts";
import { openTestFleet, sessionRecords, skippedFor, testFleet } from "../testing-fleet.ts";
import { readerOf, SENDING, testNode, withDoor } from "../testing-sender.ts";
import { checkFleet } from "./check-fleet.ts";

const found = await testFleet();
const CLEAN = { missing: [], failed: [], problems: [] };

describe.skipIf("missing" in found)(`the check of a fleet${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  test("what does not belong together is found, mended, and not found again", () =>
    inFolder((dir) =>
      withArchive(join(dir, "laptop"), (laptop) =>
        withArchive(join(dir, "node"), async (archive) => {
          const { sql } = fleet;
          const reader = readerOf(archive);
          const node = testNode(fleet, archive);
          for (const n of [1, 2, 3]) {
            const id = `0a1b2c3d-0000-4000-8000-00000000cc0${n}`;
            const records = sessionRecords(id, "/home/user/shop", [`session ${n}`]);
            put(join(dir, "logs"), `${id}.jsonl`, records.map((one) => `${JSON.stringify(one)}\n`).join(""));
          }
          await importPaths(laptop, [join(dir, "logs")]);
          const send = async (): Promise<SentResult[]> =>
            withDoor(node, async (to) =>
              (await sendSessions(laptop, { ...SENDING, to })).toSorted((a, b) => (a.title < b.title ? -1 : 1)),
            );
          const [one, two, three] = (await send()).map(({ id }) => id);
          while ((await catalogueNext(fleet, reader)) !== null);
          expect(await checkFleet(fleet)).toMatchObject({ ...CLEAN, named: 3, unnamed: 0 });
          const tables = async (): Promise<number[]> =>
            Promise.all(
              ["sessions", "session_usage", "session_texts", "family_objects"].map(
                async (table) => (await sql`SELECT 1 FROM ${sql(table)}`).length,
              ),
            );
          const before = await tables();

          const [named] = await sql<{ digest: string }[]>`SELECT digest FROM family_objects WHERE family = ${one!}`;
          await sql`UPDATE family_objects SET digest = ${"f".repeat(64)} WHERE family = ${one!}`;
          await sql`INSERT INTO family_objects VALUES ('team', 's_nobody', ${named!.digest})`;
          await sql`DELETE FROM sessions WHERE id = ${two!}`;
          await sql`INSERT INTO sessions SELECT project, 's_ghost', 's_ghost', native_id, parent, format, agent, model, title, cwd, state,
            started_at, ended_at, turns, calls, compactions, artifacts, peak_share, usd, avoidable_usd, own_calls, own_tokens, own_usd,
            own_unsure, row FROM sessions WHERE id = ${one!}`;
          await sql`INSERT INTO sessions SELECT project, 's_gone', ${one!}, native_id, parent, format, agent, model, title, cwd, state,
            started_at, ended_at, turns, calls, compactions, artifacts, peak_share, usd, avoidable_usd, own_calls, own_tokens, own_usd,
            own_unsure, row FROM sessions WHERE id = ${one!}`;
          await sql`INSERT INTO deleted_sessions VALUES ('team', 's_gone', ${one!})`;
          const [wrong] = await sql<{ digest: string; kind: "segment" }[]>`SELECT o.digest, o.kind FROM objects o
            JOIN family_objects n USING (digest) WHERE n.family = ${three!}`;
          await fleet.objects.remove(objectName(wrong!));
          await fleet.objects.put(objectName({ digest: "0".repeat(64), kind: "blob" }), Buffer.from("nobody's"));

          const broken = await checkFleet(fleet);
          const isView = ({ kind }: (typeof broken.problems)[number]): boolean => kind === "views without session";
          const views = broken.problems.filter(isView);
          expect(new Set(views.map(({ ref }) => ref))).toEqual(new Set([`team/${two!}`]));
          for (const table of ["session_usage", "session_texts"])
            expect(views.map(({ text }) => text)).toContainEqual(expect.stringContaining(` rows of ${table} belong`));
          const kinds = broken.problems.filter((one) => !isView(one)).map(({ kind, ref }) => `${kind}: ${ref}`);
          expect(kinds.toSorted()).toEqual(
            [
              "deleted session: team/s_gone",
              `family without sessions: team/${two!}`,
              `missing object: ${wrong!.digest}`,
              `missing object: ${"f".repeat(64)}`,
              "names of objects: team/s_nobody",
              `names of objects: team/${one!}`,
              "session without family: team/s_ghost",
            ].toSorted(),
          );
          expect(broken.missing).toContainEqual({ digest: wrong!.digest, families: [`team/${three!}`] });
          expect([broken.unnamed, broken.problems.some(({ isRepaired }) => isRepaired)]).toEqual([1, false]);

          expect((await checkFleet(fleet, { repair: true })).problems.every(({ isRepaired }) => isRepaired)).toBe(true);
          // The node reads the family again that lost its session, and the sender sends what the bucket lost.
          while ((await recomputeNext(fleet, reader)) !== null);
          await withArchive(join(dir, "again"), async (again) => {
            await importPaths(again, [join(dir, "logs")]);
            const results = await withDoor(node, (to) => sendSessions(again, { ...SENDING, to }));
            expect(results.map(({ sentObjects }) => sentObjects).toSorted()).toEqual([0, 0, 1]);
          });
          while ((await catalogueNext(fleet, reader)) !== null);
          expect(await checkFleet(fleet)).toMatchObject({ ...CLEAN, named: 3, unnamed: 1 });
          expect(await tables()).toEqual(before);
        }),
      ),
    ));

  test("an id that is kept for a session which never began is given back, once nobody can be about to write", async () => {
    await noteHeld(fleet, "s_never", "other");
    const [one] = await fleet.sql<{ session: string }[]>`SELECT session FROM held_sessions`;
    expect((await checkFleet(fleet, { repair: true })).problems).toEqual([]);
    await fleet.sql`UPDATE held_sessions SET made_at = now() - interval '2 hours'`;
    const { problems } = await checkFleet(fleet, { repair: true });
    expect(problems.map(({ kind, ref }) => [kind, ref])).toEqual([["reserved id", `other/${one!.session}`]]);
    await noteHeld(fleet, "s_never", "shop");
    expect(await fleet.sql`SELECT project FROM held_sessions`).toEqual([{ project: "shop" }]);
    await fleet.sql`DELETE FROM held_sessions`;
  });

  test("a session of agents that no node can take over is told of", () =>
    inFolder((dir) =>
      withArchive(
        join(dir, "node"),
        async (archive) => {
          const node = testNode(fleet, archive);
          const { id } = await createSession(archive, { id: "check-agent" });
          const said = { record: "event", uuid: "u1", startsTurn: true, body: { type: "user", text: "hello" } };
          await ingest(archive, id, [said]);
          expect((await checkFleet(fleet)).problems).toEqual([]);
          await fleet.sql`DELETE FROM live_log WHERE session = ${id} AND seq = 2`;
          await fleet.sql`UPDATE held_sessions SET commit_id = 'gone' WHERE session = ${id}`;
          expect((await checkFleet(fleet, { repair: true })).problems).toEqual([
            { kind: "agent's session", ref: `default/${id}`, text: "Its packed part is gone.", isRepaired: false },
            {
              kind: "agent's session",
              ref: `default/${id}`,
              text: "Of its log 1 entries are missing.",
              isRepaired: false,
            },
          ]);
          await node.held.close();
        },
        testHost(() => Date.UTC(2026, 5, 1)),
      ),
    ));
});
