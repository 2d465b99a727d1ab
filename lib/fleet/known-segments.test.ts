// A session that grows is brought to a node again and again: what the node has is not fetched, and not read, again.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { importBundle } from "#lib/archive/bundle/import-bundle.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { listEvents } from "#lib/archive/sessions/list-events.ts";
import { removeSession } from "#lib/archive/sources/remove-session.ts";
import { inFolder, put, withArchive } from "#lib/archive/testing-archive.ts";
import { eventsQuery } from "#lib/wire/events-schema.ts";
import { catalogueNext, type Reader } from "./catalogue.ts";
import type { Fleet } from "./open-fleet.ts";
import { sendSessions } from "./send-sessions.ts";
import { SEGMENTS } from "./stored-objects.ts";
import { openTestFleet, sessionRecords, skippedFor, testFleet } from "./testing-fleet.ts";
import { readerOf, SENDING, testNode, withDoor } from "./testing-sender.ts";

const found = await testFleet();
const ID = "0a1b2c3d-0000-4000-8000-000000000091";

describe.skipIf("missing" in found)(`a session that grows in a fleet${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  const eventsOf = async (archive: Archive, id: string): Promise<unknown> =>
    (await listEvents(archive, id, eventsQuery.parse({}))).events.map(({ seq, type, text }) => ({ seq, type, text }));

  test("is fetched and read from where it ended; rewritten, or taken out, it is fetched whole", () =>
    inFolder((dir) =>
      withArchive(join(dir, "laptop"), (laptop) =>
        withArchive(join(dir, "one"), async (one) => {
          const get = vi.spyOn(fleet.objects, "get");
          const events: number[] = [];
          const reader: Reader = {
            ...readerOf(one),
            importBundle: async (path) => {
              const read = await importBundle(one, path, { isCopy: true });
              events.push(read!.events);
            },
          };
          const node = testNode(fleet, one);
          /** How many segments were fetched, and how many events read. */
          const bring = async (prompts: readonly string[]): Promise<[segments: number, events: number]> => {
            const records = sessionRecords(ID, "/home/user/dock", prompts);
            put(join(dir, "logs"), `${ID}.jsonl`, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
            await importPaths(laptop, [join(dir, "logs")]);
            await withDoor(node, (to) => sendSessions(laptop, { ...SENDING, to }));
            get.mockClear();
            events.length = 0;
            expect(await catalogueNext(fleet, reader)).toBe("done");
            const id = laptop.sqlite.prepare("SELECT id FROM sessions WHERE earlier IS NULL").pluck().get() as string;
            expect(await eventsOf(one, id)).toEqual(await eventsOf(laptop, id));
            return [
              get.mock.calls.filter(([name]) => name.startsWith(SEGMENTS)).length,
              events.reduce((sum, n) => sum + n, 0),
            ];
          };
          // Two are more than a block.
          const long = (n: number): string => `${n} ${"the tide turns ".repeat(20_000)}`;
          const prompts = Array.from({ length: 4 }, (_, n) => long(n));
          const [whole, all] = await bring(prompts);
          expect([whole >= 3, all]).toEqual([true, 8]);
          const [grown, added] = await bring([...prompts, "and on", "and on again"]);
          // What the last block of the laptop was joined with.
          expect(grown).toBe(1);
          expect(added).toBe(4);
          // Another node reads all of it, and has the same.
          await withArchive(join(dir, "two"), async (two) => {
            const id = one.sqlite.prepare("SELECT id FROM sessions").pluck().get() as string;
            await testNode(fleet, two).ensure(id, "all");
            expect(await eventsOf(two, id)).toEqual(await eventsOf(one, id));
          });
          const [rewritten] = await bring([long(9), ...prompts]);
          expect(rewritten).toBeGreaterThanOrEqual(whole);
          await removeSession(
            one,
            one.sqlite.prepare("SELECT id FROM sessions WHERE earlier IS NULL").pluck().get() as string,
          );
          const [again] = await bring([long(9), ...prompts, "and on"]);
          expect(again).toBeGreaterThanOrEqual(whole);
          await node.close();
        }),
      ),
    ));
});
