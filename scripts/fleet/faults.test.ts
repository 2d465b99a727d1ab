// A short part of the fault run: some seconds of it in each run of the tests.
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder } from "#lib/archive/testing-archive.ts";
import { testFleet } from "#lib/fleet/testing-fleet.ts";
import { runFaults } from "./fault-run.ts";

const found = await testFleet();
const SECONDS = 12;
const seed = Number(process.env["FAULT_SEED"] ?? Math.floor(Math.random() * 1e6));

test.skipIf("missing" in found)(
  `nothing acknowledged is lost, doubled or renumbered while parts of a fleet fail, seed ${seed}${"missing" in found ? ` (NOT RUN: ${found.missing})` : ""}`,
  async () => {
    await inFolder(async (dir) => {
      // The database runs as a user of its own.
      chmodSync(dir, 0o755);
      const at = new URL((found as Exclude<typeof found, { missing: string }>).address.bucket);
      const bucket = { endpoint: `http://${at.host}`, keys: [at.username, at.password] as const };
      const figures = await runFaults({ dir: join(dir, "run"), bucket, seconds: SECONDS, seed, leaseSeconds: 2 });
      expect({ findings: figures.findings, ended: figures.ended }).toEqual({ findings: [], ended: 0 });
      expect(figures.acknowledged).toBeGreaterThan(20);
      expect(figures.sessions).toBeGreaterThan(0);
    });
  },
  300_000,
);
