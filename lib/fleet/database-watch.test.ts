// A database behind a wire that can be frozen.
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { skippedFor, testServices } from "#lib/blobs/testing-services.ts";
import { connectFleet } from "#db/fleet/fleet-database.ts";
import { watchDatabase } from "#db/fleet/database-watch.ts";
import { frozenWire } from "./testing-frozen-wire.ts";

const { database } = await testServices();

describe.skipIf("missing" in database)(`a database that answers nothing${skippedFor(database)}`, () => {
  test("is told of when it is silent, at once from then on, and found when it is back; a slow one is waited for", async () => {
    const at = new URL((database as { url: string }).url);
    const { port, freeze, close } = await frozenWire({ port: Number(at.port), host: at.hostname });
    at.port = String(port);
    const sql = connectFleet(at.href);
    const watch = watchDatabase(at.href, { waitMs: 300, answerMs: 500, againMs: 100 });
    const one = async (): Promise<number> => (await watch.ask(() => sql<{ n: number }[]>`SELECT 1 AS n`))[0]!.n;
    try {
      expect(await one()).toBe(1);
      await watch.ask(() => sql`SELECT pg_sleep(2)`);
      freeze(true);
      await expect(Promise.all([one(), one()])).rejects.toMatchObject({ code: "CONNECTION_SILENT" });
      const startedAt = performance.now();
      await expect(one()).rejects.toMatchObject({ code: "CONNECTION_SILENT" });
      expect(performance.now() - startedAt).toBeLessThan(50);
      freeze(false);
      for (let n = 0; n < 50; n++) {
        if ((await one().catch(() => 0)) === 1) break;
        await sleep(50);
      }
      expect(await one()).toBe(1);
    } finally {
      watch.close();
      await sql.end({ timeout: 0 });
      await close();
    }
  });
});
