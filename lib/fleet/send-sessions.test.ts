// What a sender asks for and sends: all of it where nothing was begun, and after a cut what the bucket does not have yet.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { planSentFamily } from "#lib/archive/exports/sent-family.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { inFolder, put, withArchive } from "#lib/archive/testing-archive.ts";
import { skippedFor } from "#lib/blobs/testing-services.ts";
import { fail } from "#lib/kernel/errors.ts";
import { catalogueNext } from "./catalogue.ts";
import { checkFleet } from "./check/check-fleet.ts";
import type { FleetNode } from "./fleet-node.ts";
import type { Fleet } from "./open-fleet.ts";
import { sendSessions, type SentResult } from "./send-sessions.ts";
import { openTestFleet, sessionRecords, testFleet } from "./testing-fleet.ts";
import { readerOf, SENDING, testNode, withDoor } from "./testing-sender.ts";

const found = await testFleet();

test("a token that may not send to the named project is refused once, before anything of a session goes", () =>
  inFolder((dir) =>
    withArchive(join(dir, "laptop"), async (laptop) => {
      for (let n = 0; n < 6; n++) {
        const records = sessionRecords(`0a1b2c3d-0000-4000-8000-00000000002${n}`, "/home/user/shop", [`mend ${n}`]);
        put(join(dir, "logs"), `${n}.jsonl`, records.map((one) => `${JSON.stringify(one)}\n`).join(""));
      }
      await importPaths(laptop, [join(dir, "logs")]);
      const asked: string[] = [];
      const message = "You may not send to the project other. Yours: shop.";
      const server = createServer((request, response) => {
        void text(request).then((body) => {
          asked.push(`${request.url} ${body}`);
          response.writeHead(403).end(JSON.stringify({ error: { code: "refused", message } }));
        });
      });
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
      const to = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      for (const dryRun of [true, false]) {
        await expect(sendSessions(laptop, { ...SENDING, to, project: "other", dryRun })).rejects.toMatchObject({
          code: "conflict",
          message: `The node ${to} refused: ${message}`,
        });
        expect(asked.splice(0)).toEqual([
          '/api/fleet/missing {"objects":[],"family":{"project":"other","sessions":[],"bytes":0}}',
        ]);
      }
      server.close();
    }),
  ));

describe.skipIf("missing" in found)(`a sender${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  /** A session of three blocks, imported. */
  async function importOne(archive: Archive, dir: string, n: number): Promise<string> {
    const id = `0a1b2c3d-0000-4000-8000-00000000001${n}`;
    const noise = Array.from({ length: 25 }, (_, i) => `prompt ${n} ${i} ${Buffer.alloc(100_000, `${i}`)}`);
    const records = sessionRecords(id, "/home/user/shop", noise);
    put(dir, `${id}.jsonl`, records.map((one) => `${JSON.stringify(one)}\n`).join(""));
    await importPaths(archive, [dir]);
    return archive.sqlite.prepare("SELECT id FROM sessions").pluck().get() as string;
  }

  type Asked = { readonly fresh: boolean | undefined; readonly missing: number };

  type Sent = { readonly asked: Asked[]; readonly sent: SentResult };

  /** Runs with a sender that says what it asked a node at one address, which takes commits or does not. */
  const withSender = (
    archive: Archive,
    node: FleetNode,
    run: (send: (takes: boolean) => Promise<Sent>) => Promise<void>,
  ): Promise<void> => {
    const asked: Asked[] = [];
    let isTaking = true;
    const watched: FleetNode = {
      ...node,
      missing: async (request) => {
        const answer = await node.missing(request);
        // Whether the token may send there is asked without an object.
        if (request.objects.length > 0) asked.push({ fresh: request.fresh, missing: answer.missing.length });
        return answer;
      },
      commit: async (request) =>
        isTaking ? node.commit(request) : fail("conflict", "The node stops before it commits."),
    };
    return withDoor(watched, (to) =>
      run(async (takes) => {
        isTaking = takes;
        const [sent] = await sendSessions(archive, { ...SENDING, to });
        return { asked: asked.splice(0), sent: sent! };
      }),
    );
  };

  test("asks the bucket for nothing at first, and after a cut sends what is not there", () =>
    inFolder((dir) =>
      withArchive(join(dir, "laptop"), (laptop) =>
        withArchive(join(dir, "node"), async (archive) => {
          const node = testNode(fleet, archive);
          await importOne(laptop, join(dir, "logs"), 1);
          await withSender(laptop, node, async (send) => {
            const cut = await send(false);
            const all = cut.asked[0]!.missing;
            expect(all).toBeGreaterThan(2);
            expect([cut.asked, cut.sent.state]).toEqual([[{ fresh: true, missing: all }], "failed"]);
            const { asked, sent } = await send(true);
            expect([asked, sent.state, sent.objects, sent.sentObjects]).toEqual([
              [{ fresh: false, missing: 0 }],
              ...["sent", all, 0],
            ]);
            expect((await send(true)).sent.state).toBe("unchanged");
          });
          expect(await catalogueNext(fleet, readerOf(archive))).toBe("done");
          await node.close();
        }),
      ),
    ));

  test("that finds its bytes in the bucket without a note hands them in all the same", () =>
    inFolder((dir) =>
      withArchive(join(dir, "one"), (one) =>
        withArchive(join(dir, "two"), (two) =>
          withArchive(join(dir, "node"), async (archive) => {
            const node = testNode(fleet, archive);
            for (const laptop of [one, two]) await importOne(laptop, join(dir, "logs"), 2);
            await withSender(one, node, async (send) => expect((await send(false)).sent.state).toBe("failed"));
            await withSender(two, node, async (send) => {
              const { asked, sent } = await send(true);
              expect([asked[0]!.fresh, sent.state, sent.sentObjects]).toEqual([true, "sent", sent.objects]);
            });
            expect(await catalogueNext(fleet, readerOf(archive))).toBe("done");
            expect(await checkFleet(fleet)).toMatchObject({ missing: [], failed: [] });
            await node.close();
          }),
        ),
      ),
    ));

  test("that says it is new and sends nothing commits nothing", () =>
    inFolder((dir) =>
      withArchive(join(dir, "laptop"), (laptop) =>
        withArchive(join(dir, "node"), async (archive) => {
          const node = testNode(fleet, archive);
          const { manifest, entries } = await planSentFamily(
            laptop,
            await importOne(laptop, join(dir, "logs"), 3),
            "none",
          );
          const objects = Object.values(entries).flat();
          expect((await node.missing({ objects, fresh: true })).missing).toHaveLength(objects.length);
          await expect(
            node.commit({ project: "team", sender: "laptop", family: { manifest, entries } }),
          ).rejects.toMatchObject({ code: "conflict" });
          await node.close();
        }),
      ),
    ));
});
