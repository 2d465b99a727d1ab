// Files that are rewritten between two sends: nodes have them as their sender has them now, lists and sums count the same as there,
// and what a file lost stands beside its session.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { sessionVersions } from "#lib/archive/keep/version-differences.ts";
import { usageWithBudgets } from "#lib/archive/load/list-budgets.ts";
import { listEvents } from "#lib/archive/sessions/list-events.ts";
import { listSessions } from "#lib/archive/sessions/list-sessions.ts";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import { setMark } from "#lib/archive/settings/marks.ts";
import { inFolder, put, withArchive } from "#lib/archive/testing-archive.ts";
import { eventsQuery } from "#lib/wire/events-schema.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { usageQuery } from "#lib/wire/usage-schema.ts";
import { catalogueNext } from "./catalogue.ts";
import type { Fleet } from "./open-fleet.ts";
import { sendSessions } from "./send-sessions.ts";
import { openTestFleet, sessionRecords, skippedFor, testFleet } from "./testing-fleet.ts";
import { readAll, readerOf, SENDING, sendAll, testNode, withDoor } from "./testing-sender.ts";

const found = await testFleet();
const ID = "0a1b2c3d-0000-4000-8000-000000000077";

describe.skipIf("missing" in found)(`rewritten files in a fleet${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  /** Without dollars: the fleet sums them as decimal numbers. */
  const figures = (sums: object | null): object => ({ ...sums, usd: null, totalCost: null });
  const eventsOf = async (archive: Archive, id: string): Promise<unknown> =>
    (await listEvents(archive, id, eventsQuery.parse({}))).events.map(({ seq, type, text }) => ({ seq, type, text }));

  test("are on every node as their sender has them, and count once", () =>
    inFolder((dir) =>
      withArchive(join(dir, "laptop"), (laptop) =>
        withArchive(join(dir, "one"), (one) =>
          withArchive(join(dir, "two"), async (two) => {
            const logs = join(dir, "logs");
            const rounds: [prompts: string[], versions: number][] = [
              [["mend the net", "and the rope"], 0],
              // Rewritten from its beginning, cut, longer again, and as it was at first.
              [["paint the hull", "and the rope", "and the mast"], 1],
              [["paint the hull"], 2],
              [["paint the hull", "scrape it first"], 2],
              [["mend the net", "and the rope"], 2],
            ];
            for (const [prompts] of rounds) {
              const records = sessionRecords(ID, "/home/user/dock", prompts);
              put(logs, `${ID}.jsonl`, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
              await importPaths(laptop, [logs]);
              const node = await sendAll({ ...fleet, close: () => Promise.resolve() }, laptop, one);
              const local = await listSessions(laptop, sessionsQuery.parse({ sums: "1" }));
              const listed = await node.listSessions(sessionsQuery.parse({ sums: "1" }), "all");
              const same = ({ id, title, turns, calls }: (typeof listed.sessions)[number]): object => ({
                ...{ id, title, turns, calls },
              });
              expect([listed.total, figures(listed.sums), listed.sessions.map(same)]).toEqual([
                ...[local.total, figures(local.sums), local.sessions.map(same)],
              ]);
              const { id } = local.sessions[0]!;
              const origin = await showSession(laptop, id);
              for (const archive of [one, two]) {
                const other = testNode(fleet, archive);
                await other.ensure(id, ["team"]);
                expect(await eventsOf(archive, id)).toEqual(await eventsOf(laptop, id));
                const opened = await showSession(archive, id);
                expect([opened.title, opened.usage, opened.turns]).toEqual([origin.title, origin.usage, origin.turns]);
                expect(opened.earlierVersions).toEqual(origin.earlierVersions);
                const differences = async (from: Archive): Promise<object[]> =>
                  (await sessionVersions(from, id)).versions.map((version) => ({ ...version, path: null }));
                expect(await differences(archive)).toEqual(await differences(laptop));
                for (const version of origin.earlierVersions) {
                  expect(await other.ensure(version.id, ["team"])).toMatchObject({ id: version.id, project: "team" });
                  expect(await eventsOf(archive, version.id)).toEqual(await eventsOf(laptop, version.id));
                  await expect(other.ensure(version.id, ["elsewhere"])).rejects.toMatchObject({ code: "not_found" });
                }
                await other.close();
              }
              const usage = await node.answers.usage(usageQuery.parse({}), "all");
              expect(figures(usage.totals)).toEqual(
                figures((await usageWithBudgets(laptop, usageQuery.parse({}), Date.now())).totals),
              );
              await node.close();
            }
          }),
        ),
      ),
    ));

  test("are masked on every node once their sender masks them", () =>
    inFolder((dir) =>
      withArchive(join(dir, "laptop"), (laptop) =>
        withArchive(join(dir, "one"), async (one) => {
          const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
          const native = ID.replace(/77$/, "78");
          const records = sessionRecords(native, "/home/user/dock", [`the token is ${secret}`, "unseaworthy"]);
          put(join(dir, "logs"), `${native}.jsonl`, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
          await importPaths(laptop, [join(dir, "logs")]);
          const node = testNode(fleet, one);
          const send = async (mask: "none" | "secrets"): Promise<string> => {
            const [sent] = await withDoor(node, (to) => sendSessions(laptop, { ...SENDING, mask, to }));
            expect(sent!.state).toBe("sent");
            expect(await catalogueNext(fleet, readerOf(one))).toBe("done");
            await node.ensure(sent!.id, ["team"]);
            return JSON.stringify(await eventsOf(one, sent!.id));
          };
          const texts = async (): Promise<string> =>
            JSON.stringify(await fleet.sql`SELECT text FROM session_texts WHERE project = 'team'`);
          expect([await send("none"), await texts()]).toEqual([
            expect.stringContaining(secret),
            expect.stringContaining(secret),
          ]);
          for (const text of [await send("secrets"), await texts()]) {
            expect(text).toContain("unseaworthy");
            expect(text).not.toContain(secret);
          }
          await node.close();
        }),
      ),
    ));

  test("are as their sender has them again what it sent before", () =>
    inFolder((dir) =>
      withArchive(join(dir, "laptop"), (laptop) =>
        withArchive(join(dir, "one"), async (one) => {
          const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
          const native = ID.replace(/77$/, "79");
          const records = sessionRecords(native, "/home/user/dock", [`the token is ${secret}`, "seaworthy"]);
          put(join(dir, "logs"), `${native}.jsonl`, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
          await importPaths(laptop, [join(dir, "logs")]);
          const node = testNode(fleet, one);
          const { id } = (await listSessions(laptop, sessionsQuery.parse({}))).sessions[0]!;
          const star = (on: boolean) => setMark(laptop, id, { kind: "star", on, seq: null });
          const sent = async (mask: "none" | "secrets"): Promise<[isStarred: boolean, isMasked: boolean]> => {
            await withDoor(node, (to) => sendSessions(laptop, { ...SENDING, mask, to, sessions: [id] }));
            await readAll(fleet, one);
            const listed = await node.listSessions(sessionsQuery.parse({ q: "seaworthy" }), "all");
            const [texts] = await fleet.sql<
              { all: string }[]
            >`SELECT string_agg(text, ' ') AS all FROM session_texts WHERE session = ${id}`;
            return [listed.sessions[0]!.starred, !texts!.all.includes(secret)];
          };
          const seen = [await sent("secrets")];
          await star(true);
          seen.push(await sent("secrets"));
          await star(false);
          seen.push(await sent("secrets"), await sent("none"), await sent("secrets"));
          expect(seen).toEqual([
            [false, true],
            [true, true],
            [false, true],
            [false, false],
            [false, true],
          ]);
          await node.close();
        }),
      ),
    ));
});
