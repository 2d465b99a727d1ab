// Before the unit tests: the bundle of these sources, which the tests of the command line start, and a folder for the database
// and the gateway that the fleet's tests share. They are started by the first test that asks, and end with the run.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ensureBundle } from "./bundle.mjs";

/** The database and the gateway end in a second or two. */
const ENDED_MS = 15_000;

export const setup = async () => {
  // Of a run that was killed its folder stays, and its number comes again.
  const own = mkdtempSync(join(tmpdir(), "plimsoll-services-"));
  // The database runs as a user of its own.
  chmodSync(own, 0o755);
  const dir = join(own, "run");
  process.env.PLIMSOLL_TEST_SERVICES = dir;
  process.env.PLIMSOLL_TEST_OWNER = String(process.pid);
  await ensureBundle();
  return async () => {
    const file = join(dir, "services.json");
    if (existsSync(file)) process.kill(JSON.parse(readFileSync(file, "utf8")).pid, "SIGTERM");
    for (const end = Date.now() + ENDED_MS; existsSync(dir) && Date.now() < end;) await setTimeout(100);
    rmSync(own, { recursive: true, force: true });
  };
};
