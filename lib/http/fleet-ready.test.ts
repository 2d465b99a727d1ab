// The probe that a balancer asks a node, while a part of its fleet takes requests and answers none.
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { fleetNode } from "#lib/fleet/fleet-node.ts";
import { openFleet } from "#lib/fleet/open-fleet.ts";
import { openTestFleet, skippedFor, testFleet } from "#lib/fleet/testing-fleet.ts";
import { frozenWire } from "#lib/fleet/testing-frozen-wire.ts";
import { withDoors } from "./testing-http.ts";

const found = await testFleet();

describe.skipIf("missing" in found)(`whether a node is ready${skippedFor(found)}`, () => {
  test.for(["database", "bucket"] as const)("a %s that is silent is named within 5 s", { timeout: 60_000 }, (part) =>
    inFolder(async (dir) => {
      const { address } = found as Extract<typeof found, { address: object }>;
      await (await openTestFleet(address)).close();
      // The path of such an address is not that of the Web's own.
      const at = new URL(address[part].replace(/^s3\+http:/, "http:"));
      const { port, freeze, close } = await frozenWire({ host: at.hostname, port: Number(at.port) });
      const fleet = openFleet({ ...address, [part]: address[part].replace(`:${at.port}/`, `:${port}/`) });
      await withArchive(join(dir, "node"), async (archive) => {
        const reader = { importBundle: () => Promise.resolve(), judge: () => Promise.resolve() };
        const node = fleetNode({ ...fleet, close: () => Promise.resolve() }, { archive, ...reader }, 1e9);
        await withDoors(
          archive,
          async (server) => {
            const ready = async (): Promise<[status: number, text: string]> => {
              const said = await server.ask("GET", "/api/ready", {});
              return [said.status, await said.text()];
            };
            expect((await ready())[0]).toBe(200);
            const log = vi.spyOn(console, "error").mockReturnValue(undefined);
            freeze(true);
            const startedAt = performance.now();
            const [status, text] = await ready();
            const name = part === "database" ? "PostgreSQL" : "S3";
            expect([status, text]).toEqual([504, expect.stringContaining(`${name} does not answer. The node's log`)]);
            // Anybody may ask: where it is, is for the log alone.
            expect(text).not.toContain(at.hostname);
            expect(log).toHaveBeenLastCalledWith(expect.stringContaining(`${at.hostname}:${port}/`));
            expect(performance.now() - startedAt).toBeLessThan(5000);
            freeze(false);
            expect((await ready())[0]).toBe(200);
            expect(log).toHaveBeenLastCalledWith("This node is ready again.");
            log.mockRestore();
          },
          undefined,
          node,
        );
        await node.close();
      });
      await fleet.close();
      await close();
    }),
  );
});
