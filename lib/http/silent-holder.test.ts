// The node that holds a session is frozen, or gone: what pages show of it elsewhere, and when they go on.
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { inFolder } from "#lib/archive/testing-archive.ts";
import type { Fleet } from "#lib/fleet/open-fleet.ts";
import { frozenWire, type FrozenWire } from "#lib/fleet/testing-frozen-wire.ts";
import { openTestFleet, skippedFor, testFleet, testToken } from "#lib/fleet/testing-fleet.ts";
import type { EventsAnswer } from "#lib/wire/events-schema.ts";
import type { SessionSummary } from "#lib/wire/sessions-schema.ts";
import { withNodeDoors, type NodeDoor } from "./testing-nodes.ts";

const found = await testFleet();
const ends: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(ends.splice(0).map((end) => end())));

const said = (n: number) => ({
  record: "event",
  uuid: `u${n}`,
  startsTurn: true,
  body: { type: "user", text: `text ${n}` },
});

describe.skipIf("missing" in found)(`pages while the node that holds a session is silent${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  /** A session of the first node, of which one event is packed and a second one and a stored text are not. */
  type Scene = { one: NodeDoor; two: NodeDoor; path: string; id: string; pointer: string; wire: FrozenWire };
  const withScene = (run: (scene: Scene) => Promise<void>): Promise<void> =>
    inFolder((dir) =>
      withNodeDoors(fleet, join(dir, "one"), (one) =>
        withNodeDoors(fleet, join(dir, "two"), async (two) => {
          const wire = await frozenWire({ host: "127.0.0.1", port: one.server.port });
          ends.push(wire.close);
          await one.moveTo(`http://127.0.0.1:${wire.port}`);
          const ask = async (at: string, init: object): Promise<never> => {
            const answer = await one.server.ask("POST", at, init);
            expect(answer.status).toBeLessThan(300);
            return (await answer.json()) as never;
          };
          const { id } = (await ask("/api/sessions", { json: { title: "Harbour" } })) as { id: string };
          const path = `/api/sessions/${id}`;
          await ask(`${path}/events`, { json: { records: [said(1)] } });
          await one.node.held.tend();
          await ask(`${path}/events`, { json: { records: [said(2)] } });
          const { pointer } = (await ask(`${path}/artifacts?name=plan.md`, {
            body: "# Plan",
            headers: { "content-type": "text/markdown" },
          })) as { pointer: string };
          await run({ one, two, path, id, pointer, wire });
        }),
      ),
    );
  const timed = async <T>(work: Promise<T>): Promise<[T, number]> => {
    const startedAt = performance.now();
    return [await work, performance.now() - startedAt];
  };
  const summaryOf = async (answer: Response): Promise<SessionSummary> => {
    expect([answer.status, answer.ok ? "" : await answer.clone().text()]).toEqual([200, ""]);
    return (await answer.json()) as SessionSummary;
  };
  const seqsOf = async (answer: Response): Promise<number[]> =>
    ((await answer.json()) as EventsAnswer).events.map(({ seq }) => seq);

  for (const how of ["frozen", "gone"] as const)
    test(`one that is ${how}: what is packed within 3 s, with when another takes over`, { timeout: 60_000 }, () =>
      withScene(async ({ one, two, path, id, pointer, wire }) => {
        const stop = async (): Promise<void> => (how === "frozen" ? wire.freeze(true) : wire.close());
        expect(await seqsOf(await two.browse(`${path}/events`))).toEqual([1, 2]);
        expect((await summaryOf(await two.browse(path))).takeover).toBeUndefined();
        expect((await two.browse(`/api/artifacts/${pointer}`)).status).toBe(200);
        // As the page does before its parts are asked for.
        await two.node.ensure(id, "all");
        await stop();
        if (how === "gone") ends.splice(0);
        const [summary, tookMs] = await timed(two.browse(path).then(summaryOf));
        expect(tookMs).toBeLessThan(3000);
        expect(summary.takeover).toEqual({ node: `127.0.0.1:${one.server.port}`, inMs: expect.any(Number) });
        expect(summary.takeover!.inMs).toBeGreaterThan(10_000);
        expect(summary.takeover!.inMs).toBeLessThanOrEqual(20_000);
        const [events, eventsMs] = await timed(two.browse(`${path}/events`));
        expect([events.headers.get("plimsoll-packed"), await seqsOf(events)]).toEqual(["1", [1]]);
        expect(eventsMs).toBeLessThan(3000);
        // What is not packed is not said to be missing.
        const stored = await two.browse(`/api/artifacts/${pointer}`);
        expect([stored.status, await stored.text()]).toEqual([
          504,
          expect.stringMatching(/does not answer\. This part is not packed yet\. Another node takes over in \d+ s\./),
        ]);
        // An agent goes on from what it reads: it waits for all of it.
        const { token } = await testToken(fleet, { project: "default", scope: "read" });
        await expect(
          two.server.ask("GET", `${path}/events`, { token, signal: AbortSignal.timeout(2500) }),
        ).rejects.toThrow();
        if (how === "frozen") {
          // It was paused: it answers again.
          wire.freeze(false);
          await new Promise((done) => setTimeout(done, 1500));
          expect((await summaryOf(await two.browse(path))).takeover).toBeUndefined();
          expect(await seqsOf(await two.browse(`${path}/events`))).toEqual([1, 2]);
          return;
        }
        await fleet.sql`UPDATE held_sessions SET until = clock_timestamp() - interval '1 second' WHERE session = ${id}`;
        two.node.held.doubt(id);
        expect((await summaryOf(await two.browse(path))).takeover).toBeUndefined();
        expect(await seqsOf(await two.browse(`${path}/events`))).toEqual([1, 2]);
        expect(await (await two.browse(`/api/artifacts/${pointer}/raw`)).text()).toBe("# Plan");
      }),
    );

  test("of a session that nobody packed yet it says so", { timeout: 60_000 }, () =>
    withScene(async ({ one, two, wire }) => {
      const begun = await one.server.ask("POST", "/api/sessions", { json: { title: "New" } });
      const { id } = (await begun.json()) as { id: string };
      wire.freeze(true);
      const [answer, tookMs] = await timed(two.browse(`/api/sessions/${id}`));
      expect(tookMs).toBeLessThan(3000);
      expect([answer.status, await answer.text()]).toEqual([
        504,
        expect.stringContaining("This part is not packed yet. Another node takes over in"),
      ]);
      wire.freeze(false);
    }),
  );
});
