// Before the unit tests: the bundle of these sources, which the tests of the command line start, and a folder for the database
// and the gateway that the fleet's tests share. They are started by the first test that asks, and end with the run.
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBundle } from "./bundle.mjs";

export const setup = async () => {
  const dir = join(tmpdir(), `plimsoll-services-${process.pid}`);
  process.env.PLIMSOLL_TEST_SERVICES = dir;
  process.env.PLIMSOLL_TEST_OWNER = String(process.pid);
  await ensureBundle();
  return () => {
    const file = join(dir, "services.json");
    if (existsSync(file)) process.kill(JSON.parse(readFileSync(file, "utf8")).pid, "SIGTERM");
  };
};
