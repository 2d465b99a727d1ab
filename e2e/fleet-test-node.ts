// A node of a fleet for browser tests: its database and bucket are of its own, and people sign in by links.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test as base, type BrowserContext } from "@playwright/test";
import { migrateFleet } from "#db/fleet/fleet-database.ts";
import { openFleet, type Fleet } from "#lib/fleet/open-fleet.ts";
import { setFleetAdmin, setRole } from "#lib/fleet/people/people-rows.ts";
import { createLink } from "#lib/fleet/people/sign-ins.ts";
import { startPostgres } from "../scripts/fleet/postgres.ts";
import { startServer, type TestServer } from "./test-server.ts";

export type FleetTestNode = {
  readonly server: TestServer;
  readonly fleet: Fleet;
  signIn(context: BrowserContext, person: string): Promise<void>;
};

/** A node with a database and a bucket of its own; Ann is an admin of the fleet, Bob of the project shop, and Rita reads that project. */
export async function startFleetNode(): Promise<FleetTestNode & { stop(): Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), "plimsoll-node-"));
  // The database runs as a user of its own.
  chmodSync(dir, 0o755);
  const postgres = await startPostgres(join(dir, "database"));
  const address = { database: postgres.url, bucket: pathToFileURL(join(dir, "bucket")).href };
  const fleet = openFleet(address);
  await fleet.objects.ensure();
  await migrateFleet(fleet.sql);
  await setFleetAdmin(fleet, "ann@example.com", true);
  await setRole(fleet, "bob@example.com", "shop", "admin");
  await setRole(fleet, "rita@example.com", "shop", "reader");
  const server = await startServer({
    env: { PLIMSOLL_DATABASE: address.database, PLIMSOLL_BUCKET: address.bucket },
  });
  return {
    server,
    fleet,
    async signIn(context, person) {
      const token = await createLink(fleet, `${person}@example.com`, 5);
      // As a browser opens it: what only looks behind a link does not use it up.
      const headers = { "sec-fetch-mode": "navigate" };
      await context.request.get(`${server.url}/sign-in/link?token=${token}`, { headers });
      await context.addCookies([{ name: "hints", value: "seen", url: server.url }]);
    },
    async stop() {
      await server.stop();
      await fleet.close();
      await postgres.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export const test = base.extend<object, { node: FleetTestNode }>({
  node: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
    async ({}, use) => {
      const node = await startFleetNode();
      await use(node);
      await node.stop();
    },
    { scope: "worker" },
  ],
  baseURL: async ({ node }, use) => use(node.server.url),
});
