// Deleting from a fleet: a session with its family is nowhere at once, on no node and in no answer; senders that follow are told and
// go on; and until a sweep a restore brings back all of it.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { recordOutput } from "#lib/archive/artifacts/record-output.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { findSession } from "#lib/archive/base/find-session.ts";
import { rowsOf } from "#lib/archive/bundle/bundle-rows.ts";
import { hasSession } from "#lib/archive/exports/catalogue-session.ts";
import { planSentFamily } from "#lib/archive/exports/sent-family.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { ingest } from "#lib/archive/memory/ingest-records.ts";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import { inFolder, put, testHost, withArchive } from "#lib/archive/testing-archive.ts";
import { usageQuery } from "#lib/wire/usage-schema.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { catalogueNext } from "../catalogue.ts";
import { checkFleet } from "../check/check-fleet.ts";
import { fleetNode, type FleetNode } from "../fleet-node.ts";
import type { Fleet } from "../open-fleet.ts";
import { listAudit } from "../people/audit.ts";
import { sendSessions, type SentResult } from "../send-sessions.ts";
import { openTestFleet, sessionRecords, skippedFor, testFleet } from "../testing-fleet.ts";
import { readAll, readerOf, SENDING, withDoor } from "../testing-sender.ts";
import { deleteFamily } from "./delete-family.ts";
import { listDeleted } from "./delete-session.ts";
import { sweepFleet } from "./sweep-fleet.ts";

const found = await testFleet();
const ANN = { who: "person:ann@example.com", address: "10.0.0.1" } as const;
const TABLES = ["sessions", "session_usage", "session_findings", "session_carried", "session_texts", "families"];

describe.skipIf("missing" in found)(`deleting from a fleet${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  const nodeOf = (archive: Archive): FleetNode => {
    const own: Fleet = { ...fleet, node: `node-${archive.dir.slice(-12)}`, close: () => Promise.resolve() };
    return fleetNode(own, readerOf(archive), 1e9, Date.now, null, { idleMs: 0 });
  };
  const write = (dir: string, id: string, prompts: readonly string[]): string =>
    put(
      join(dir, "projects", "-home-user-shop"),
      `${id}.jsonl`,
      sessionRecords(id, "/home/user/shop", prompts)
        .map((one) => `${JSON.stringify(one)}\n`)
        .join(""),
    );
  const rowsIn = async (project: string): Promise<Record<string, number>> =>
    Object.fromEntries(
      await Promise.all(
        TABLES.map(async (table) => {
          const [row] = await fleet.sql<
            { n: number }[]
          >`SELECT count(*) AS n FROM ${fleet.sql(table)} WHERE project = ${project}`;
          return [table, row!.n] as const;
        }),
      ),
    );
  const answersOf = async (node: FleetNode): Promise<object> => ({
    listed: (await node.listSessions(sessionsQuery.parse({ sums: "1" }), ["team"])).sessions,
    found: (await node.listSessions(sessionsQuery.parse({ q: "moorings" }), ["team"])).total,
    usage: await node.answers.usage(usageQuery.parse({}), ["team"]),
  });

  test("a deleted session is nowhere at once, senders are told, and a restore brings it back as it was", () =>
    inFolder((dir) =>
      withArchive(join(dir, "laptop"), (laptop) =>
        withArchive(join(dir, "one"), (first) =>
          withArchive(join(dir, "two"), async (second) => {
            const [one, two] = [nodeOf(first), nodeOf(second)];
            const id = "0a1b2c3d-0000-4000-8000-0000000000d1";
            write(dir, id, ["repair the moorings"]);
            write(dir, "0a1b2c3d-0000-4000-8000-0000000000d2", ["paint the lighthouse"]);
            await importPaths(laptop, [join(dir, "projects")]);
            await withDoor(one, async (to) => {
              const send = async (from = laptop): Promise<SentResult[]> =>
                (await sendSessions(from, { ...SENDING, to })).toSorted((a, b) => (a.title < b.title ? 1 : -1));
              const [sent] = await send();
              const session = sent!.id;
              await readAll(fleet, first);
              await one.ensure(session, "all");
              const native = `claude-code:${id}`;
              await one.ensure(native, "all");
              await two.ensure(session, "all");
              const before = await answersOf(two);
              const rows = await rowsIn("team");
              const opened = await showSession(second, session);

              const request = { ...ANN, session: native, reason: "has a password", managed: ["team"], dryRun: false };
              const dry = await one.retention.remove({ ...request, dryRun: true });
              expect(dry).toMatchObject({ project: "team", sessions: [{ id: session, title: "repair the moorings" }] });
              expect(await rowsIn("team")).toEqual(rows);
              await expect(one.retention.remove({ ...request, managed: ["other"] })).rejects.toMatchObject({
                code: "not_found",
              });
              await one.retention.remove(request);

              // Nothing is remembered of it where it was deleted, not even for the seconds for which a place is believed.
              for (const name of [session, native])
                await expect(one.ensure(name, ["team"])).rejects.toMatchObject({ code: "not_found" });
              await expect(one.ensure(session, "all")).rejects.toMatchObject({
                code: "not_found",
                message: expect.stringContaining(`plimsoll fleet restore ${session}`),
              });
              await expect(one.ensure(session, ["other"])).rejects.toMatchObject({
                message: expect.not.stringContaining("deleted"),
              });
              expect(hasSession(first, session)).toBe(false);
              await two.retention.tend();
              expect(hasSession(second, session)).toBe(false);
              await expect(two.ensure(session, "all")).rejects.toMatchObject({ code: "not_found" });
              const left = await rowsIn("team");
              expect([left["sessions"], left["families"]]).toEqual([rows["sessions"]! - 1, rows["families"]! - 1]);
              expect(await answersOf(two)).toMatchObject({ found: 0, listed: [{ title: "paint the lighthouse" }] });
              await expect(one.retention.remove({ ...request, session })).rejects.toMatchObject({ code: "conflict" });
              expect(await one.retention.listDeleted({ visible: ["team"], limit: 5 })).toMatchObject([
                {
                  family: session,
                  title: "repair the moorings",
                  by: ANN.who,
                  reason: "has a password",
                  canRestore: true,
                },
              ]);

              // What the sender has is as it was sent: it says what became of it, and what to do, each time.
              for (let n = 0; n < 2; n++)
                expect((await send()).map(({ state, reason }) => [state, reason])).toEqual([
                  ["deleted", expect.stringMatching(/was deleted on .*: plimsoll fleet restore s_/) as string],
                  ["unchanged", null],
                ]);
              // It goes on at the sender: told, and no failure. Nothing of it is sent.
              write(dir, id, ["repair the moorings", "and the buoy"]);
              await importPaths(laptop, [join(dir, "projects")]);
              const objects = async (): Promise<number> =>
                (await Array.fromAsync(fleet.objects.list("segments/"))).length;
              const stored = await objects();
              for (let n = 0; n < 2; n++)
                expect((await send()).map(({ state, reason }) => [state, reason])).toEqual([
                  ["deleted", expect.stringContaining("was deleted")],
                  ["unchanged", null],
                ]);
              expect(await objects()).toBe(stored);
              const { manifest, entries } = await planSentFamily(laptop, session, "none");
              const family = { manifest: manifest as never, entries };
              expect(await one.commit({ project: "team", sender: "other", family })).toMatchObject({
                state: "deleted",
              });
              await readAll(fleet, first);
              expect(await rowsIn("team")).toEqual(left);

              expect(await one.retention.restore({ ...ANN, session, managed: ["team"] })).toMatchObject({
                isRestored: true,
              });
              await readAll(fleet, second);
              expect(await answersOf(one)).toEqual(before);
              expect(await rowsIn("team")).toEqual(rows);
              await one.ensure(session, "all");
              const again = await showSession(first, session);
              for (const key of ["title", "events", "usage", "cost", "turns", "modelCalls", "cwd", "nativeId"] as const)
                expect([key, again[key]]).toEqual([key, opened[key]]);
              expect(
                (await listAudit(fleet, { visible: ["team"], limit: 5 })).map((row) => [
                  row.who,
                  row.action,
                  row.session,
                ]),
              ).toEqual([
                [ANN.who, "restore", session],
                [ANN.who, "delete", session],
              ]);
              // And its sender goes on where it was.
              expect((await send()).map(({ state }) => state)).toEqual(["sent", "unchanged"]);
              await readAll(fleet, first);
              await one.ensure(session, "all");
              expect((await showSession(first, session)).turns).toBe(2);
            });
          }),
        ),
      ),
    ));

  test("sessions that share history go together, come back together, and keep out what shares it with them", () =>
    inFolder((dir) =>
      withArchive(join(dir, "laptop"), (laptop) =>
        withArchive(join(dir, "node"), async (archive) => {
          const node = nodeOf(archive);
          const ids = [1, 2, 3].map((n) => `0a1b2c3d-0000-4000-8000-0000000000f${n}`);
          /** The first one's records under another name, and what was said since. */
          const fork = (n: number): void => {
            const all = ["begin", `go on ${n}`].flatMap((prompt, turn) =>
              sessionRecords(turn === 0 ? ids[0]! : ids[n]!, "/home/user/shop", ["begin", prompt]).slice(
                2 * turn,
                2 * turn + 2,
              ),
            );
            const lines = all.map((one) => `${JSON.stringify({ ...one, sessionId: ids[n] })}\n`);
            put(join(dir, "projects", "-home-user-shop"), `${ids[n]!}.jsonl`, lines.join(""));
          };
          await withDoor(node, async (to) => {
            const send = async (): Promise<SentResult[]> => {
              await importPaths(laptop, [join(dir, "projects")]);
              const results = await sendSessions(laptop, { ...SENDING, project: "forks", to });
              await readAll(fleet, archive);
              return results;
            };
            write(dir, ids[0]!, ["begin"]);
            fork(1);
            const [{ id }] = (await send()) as [SentResult];
            const request = { ...ANN, session: id, reason: "", managed: "all", dryRun: false } as const;
            const deleted = await node.retention.remove(request);
            expect(deleted.sessions).toHaveLength(2);
            expect((await rowsIn("forks"))["sessions"]).toBe(0);
            fork(2);
            expect((await send()).map(({ state }) => state)).toEqual(["deleted"]);
            // Any of them restores all.
            await node.retention.restore({ ...ANN, session: deleted.sessions.at(-1)!.id, managed: "all" });
            await readAll(fleet, archive);
            expect((await rowsIn("forks"))["sessions"]).toBe(2);
            expect((await send()).map(({ state }) => state)).toEqual(["sent"]);
            expect((await rowsIn("forks"))["sessions"]).toBe(3);
          });
        }),
      ),
    ));

  test("what was handed in and not read yet is deleted with its family, and restored with it", () =>
    inFolder((dir) =>
      withArchive(join(dir, "laptop"), (laptop) =>
        withArchive(join(dir, "node"), async (archive) => {
          const node = nodeOf(archive);
          const id = "0a1b2c3d-0000-4000-8000-0000000000d3";
          await withDoor(node, async (to) => {
            const grow = async (...prompts: string[]): Promise<string> => {
              write(dir, id, prompts);
              await importPaths(laptop, [join(dir, "projects")]);
              return (await sendSessions(laptop, { ...SENDING, project: "queue", to }))[0]!.id;
            };
            const session = await grow("first");
            await readAll(fleet, archive);
            await grow("first", "second");
            await node.retention.remove({ ...ANN, session, reason: "", managed: "all", dryRun: false });
            expect(await catalogueNext(fleet, readerOf(archive))).toBe(null);
            await node.retention.restore({ ...ANN, session, managed: "all" });
            expect(await catalogueNext(fleet, readerOf(archive))).toBe("done");
            await node.ensure(session, "all");
            expect((await showSession(archive, session)).turns).toBe(2);
          });
        }),
      ),
    ));

  test("a node that was away while a session was deleted forgets it when it is back", () =>
    inFolder((dir) =>
      withArchive(join(dir, "laptop"), (laptop) =>
        withArchive(join(dir, "node"), async (archive) => {
          let clock = 1e9;
          const own: Fleet = { ...fleet, close: () => Promise.resolve() };
          const node = fleetNode(own, readerOf(archive), 1e9, () => clock);
          write(dir, "0a1b2c3d-0000-4000-8000-0000000000fa", ["hello"]);
          await importPaths(laptop, [join(dir, "projects")]);
          const [{ id }] = (await withDoor(node, (to) =>
            sendSessions(laptop, { ...SENDING, project: "away", to }),
          )) as [SentResult];
          await readAll(fleet, archive);
          await node.ensure(id, "all");
          await node.retention.tend();
          expect(await deleteFamily(fleet, { project: "away", family: id }, { ...ANN, reason: "" })).not.toBe(null);
          await fleet.sql`UPDATE deleted_families SET deleted_at = now() - interval '20 minutes' WHERE project = 'away'`;
          clock += 20 * 60_000;
          await node.retention.tend();
          expect(hasSession(archive, id)).toBe(false);
        }),
      ),
    ));

  test("a family that this version cannot read is deleted as well", async () => {
    const { sql } = fleet;
    const body = { manifest: { plimsollBundle: 99, sessions: [{ id: "s_new", title: "t" }] }, entries: {} } as never;
    await sql`INSERT INTO families (project, id, commit_id, sender, received_at, bytes, body)
      VALUES ('newer', 's_new', 'c', 's', now(), 1, ${sql.json(body)})`;
    expect(await deleteFamily(fleet, { project: "newer", family: "s_new" }, { ...ANN, reason: "" })).toMatchObject({
      sessions: [{ id: "s_new", title: "t" }],
    });
    expect(await listDeleted(fleet, { visible: ["newer"], limit: 1 })).toMatchObject([
      { family: "s_new", sessions: 1 },
    ]);
  });

  test("whatever is done at once, a session is listed, waits or is deleted, and never two of them", () =>
    inFolder((dir) =>
      withArchive(join(dir, "laptop"), (laptop) =>
        withArchive(join(dir, "one"), (first) =>
          withArchive(join(dir, "two"), async (second) => {
            const project = "at-once";
            const [one, two] = [nodeOf(first), nodeOf(second)];
            const id = "0a1b2c3d-0000-4000-8000-0000000000f9";
            const prompts: string[] = [];
            await withDoor(one, async (to) => {
              const grow = async (): Promise<string> => {
                prompts.push(`prompt ${prompts.length}`);
                write(dir, id, prompts);
                await importPaths(laptop, [join(dir, "projects")]);
                return (await sendSessions(laptop, { ...SENDING, project, to }))[0]!.id;
              };
              const session = await grow();
              const remove = (node: FleetNode) =>
                node.retention.remove({ ...ANN, session, reason: "", managed: [project], dryRun: false });
              const restore = (node: FleetNode) => node.retention.restore({ ...ANN, session, managed: [project] });
              const states: string[] = [];
              for (let round = 0; round < 12; round++) {
                const results = await Promise.allSettled([
                  ...[catalogueNext(fleet, readerOf(first)), catalogueNext(fleet, readerOf(second))],
                  ...[grow(), remove(one), one.retention.tend(), restore(two), two.retention.tend()],
                  ...(round % 3 === 0
                    ? [remove(two), sweepFleet(fleet, { graceDays: 7, noticeMs: 0 })]
                    : [restore(one)]),
                ]);
                // What cannot be done at the moment is said in words: nothing waits for each other for ever.
                const errors = results.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
                expect(errors.filter((error) => !isAppError(error))).toEqual([]);
                const { sql } = fleet;
                const [row] = await sql<{ state: string }[]>`SELECT concat_ws(' ',
                  (SELECT 'listed' FROM sessions WHERE project = ${project} AND id = ${session}),
                  (SELECT 'deleted' FROM deleted_sessions WHERE project = ${project} AND session = ${session}),
                  (SELECT DISTINCT 'waiting' FROM commits WHERE project = ${project} AND state IN ('waiting', 'claimed'))) AS state`;
                expect(["listed", "deleted", "waiting", "listed waiting"]).toContain(row!.state);
                states.push(row!.state);
                expect((await checkFleet(fleet)).problems).toEqual([]);
              }
              expect(new Set(states).size).toBeGreaterThan(1);
              await restore(one).catch(() => undefined);
              await readAll(fleet, first);
              await grow();
              await readAll(fleet, first);
              await two.ensure(session, [project]);
              expect((await showSession(second, session)).turns).toBe(prompts.length);
            });
          }),
        ),
      ),
    ));

  test("an agent's session refuses writes when it is deleted, and goes on where it was when it is restored", () =>
    inFolder((dir) => {
      let clock = Date.UTC(2026, 5, 1);
      const host = testHost(() => (clock += 1000));
      return withArchive(
        join(dir, "one"),
        (first) =>
          withArchive(
            join(dir, "two"),
            async (second) => {
              const [one, two] = [nodeOf(first), nodeOf(second)];
              const said = (n: number) => ({
                ...{ record: "event", uuid: `u${n}`, startsTurn: n % 2 === 0 },
                body: { type: n % 2 === 0 ? "user" : "assistant", text: `text ${n}` },
              });
              const lines = (archive: Archive): string[] =>
                [...rowsOf(archive, findSession(archive, id), true)].map((row) => JSON.stringify(row));
              const { id } = await createSession(first, { id: "deleted-agent" });
              for (let n = 0; n < 4; n++) await ingest(first, id, [said(n)]);
              await one.held.tend();
              // Not packed when it is deleted.
              const { seqs } = await ingest(first, id, [said(4)]);
              const output = { session: id, toolName: "bash", isError: false, toolCallId: "c1" } as const;
              await recordOutput(first, output, Buffer.from("line\n".repeat(5000)));
              const [name] = await fleet.sql<{ name: string }[]>`SELECT name FROM held_names WHERE session = ${id}`;
              const before = lines(first);
              const request = { ...ANN, session: id, reason: "", managed: "all", dryRun: false } as const;
              await two.retention.remove(request);

              const deleted = { code: "not_found", message: expect.stringContaining("was deleted") };
              await expect(ingest(first, id, [said(5)])).rejects.toMatchObject(deleted);
              await expect(one.held.locate(id)).rejects.toMatchObject(deleted);
              await expect(two.held.locate(id)).rejects.toMatchObject(deleted);
              expect(await two.held.locate(id, ["other"])).toEqual({ kind: "none" });
              await expect(createSession(second, { id: "deleted-agent" })).rejects.toMatchObject(deleted);
              await one.retention.tend();
              expect([hasSession(first, id), one.held.holds(id)]).toEqual([false, false]);

              await one.retention.restore({ ...ANN, session: id, managed: "all" });
              expect(await two.held.locate(id)).toEqual({ kind: "here" });
              expect(lines(second)).toEqual(before);
              expect(await two.held.sessionOfName(name!.name)).toBe(id);
              expect((await ingest(second, id, [said(5)])).seqs[0]).toBeGreaterThan(seqs[0]!);
              await two.held.tend();
              await readAll(fleet, second);
              expect((await two.listSessions(sessionsQuery.parse({}), ["default"])).total).toBe(1);
              await one.held.close();
              await two.held.close();
            },
            host,
          ),
        host,
      );
    }));
});
