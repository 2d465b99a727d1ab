// The node that holds a session says now and again that it runs, and answers nothing else: a page does not wait for it again and again.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { inFolder } from "#lib/archive/testing-archive.ts";
import type { Fleet } from "#lib/fleet/open-fleet.ts";
import { frozenWire } from "#lib/fleet/testing-frozen-wire.ts";
import { openTestFleet, skippedFor, testFleet } from "#lib/fleet/testing-fleet.ts";
import type { EventsAnswer } from "#lib/wire/events-schema.ts";
import { withNodeDoors } from "./testing-nodes.ts";

vi.mock("./silent-nodes.ts", () => ({
  isSilent: () => Promise.resolve(false),
  doubtNode: () => undefined,
  whenSilent: () => AbortSignal.timeout(300),
}));

const found = await testFleet();

describe.skipIf("missing" in found)(`a page of a session whose node flaps${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  test("shows what is packed after it was silent once", { timeout: 30_000 }, () =>
    inFolder((dir) =>
      withNodeDoors(fleet, join(dir, "one"), (one) =>
        withNodeDoors(fleet, join(dir, "two"), async (two) => {
          const wire = await frozenWire({ host: "127.0.0.1", port: one.server.port });
          try {
            await one.moveTo(`http://127.0.0.1:${wire.port}`);
            const begun = await one.server.ask("POST", "/api/sessions", { json: { title: "Harbour" } });
            const { id } = (await begun.json()) as { id: string };
            const path = `/api/sessions/${id}/events`;
            const record = { record: "event", uuid: "u1", startsTurn: true, body: { type: "user", text: "text" } };
            expect((await one.server.ask("POST", path, { json: { records: [record] } })).status).toBeLessThan(300);
            await one.node.held.tend();
            wire.freeze(true);
            const startedAt = performance.now();
            const answer = await two.browse(path);
            expect([answer.status, answer.headers.get("plimsoll-packed")]).toEqual([200, "1"]);
            expect(((await answer.json()) as EventsAnswer).events.map(({ seq }) => seq)).toEqual([1]);
            expect(performance.now() - startedAt).toBeLessThan(3000);
          } finally {
            await wire.close();
          }
        }),
      ),
    ),
  );
});
