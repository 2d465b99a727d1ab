// The connection to a fleet's database while nothing answers there.
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { askDatabase, connectFleet } from "./fleet-database.ts";

test(
  "a database that is away for long is told at once, each time, and looked for often",
  { timeout: 60_000 },
  async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as AddressInfo;
    await new Promise((done) => server.close(done));
    const sql = connectFleet(`postgres://nobody@127.0.0.1:${port}/none`);
    try {
      for (let n = 0; n < 24; n++) {
        const startedAt = performance.now();
        await expect(askDatabase("db", () => sql`SELECT 1`)).rejects.toThrow("does not answer (ECONNREFUSED)");
        expect(performance.now() - startedAt).toBeLessThan(1500);
      }
    } finally {
      await sql.end({ timeout: 0 });
    }
  },
);

test.each(["53300", "57P03", "08006"])(
  "a server that takes nobody in at the moment (%s) is one to wait for",
  async (code) => {
    const refused = Object.assign(new Error("sorry, too many clients already"), { code });
    await expect(askDatabase("db", () => Promise.reject(refused))).rejects.toMatchObject({ code: "timeout" });
  },
);
