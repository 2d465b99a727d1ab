// PostgreSQL and the gateway for tests and trials: starts what this machine can start, says so in a file, and stops it when
// it is told to, or when the process that wanted it is gone. One for a whole run of tests.
//   node scripts/fleet/services.ts FOLDER [PID]
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { gatewayMissing, startGateway, type Gateway } from "./gateway.ts";
import { startPostgres } from "./postgres.ts";

/** What runs, or why it does not. */
export type Services = {
  readonly pid: number;
  readonly database: { readonly url: string } | { readonly missing: string };
  readonly bucket:
    | { readonly endpoint: string; readonly keys: readonly [string, string] }
    | { readonly missing: string };
};

/** Tries to start the gateway. */
const STARTS = 3;

type Stoppable = { stop(): Promise<void> };

async function startDatabase(dir: string, started: Stoppable[]): Promise<Services["database"]> {
  try {
    const postgres = await startPostgres(dir);
    started.push(postgres);
    return { url: postgres.url };
  } catch (error) {
    return { missing: `PostgreSQL does not start (${String((error as Error)?.message ?? error).slice(0, 200)})` };
  }
}

async function startBucket(dir: string, started: Stoppable[]): Promise<Services["bucket"]> {
  const missing = gatewayMissing();
  if (missing !== null) return { missing };
  // A free port may be taken before it is used.
  for (let n = 1; ; n++)
    try {
      const gateway: Gateway = await startGateway(join(dir, `ceph-${n}`));
      started.push(gateway);
      return { endpoint: gateway.endpoint, keys: gateway.keys };
    } catch (error) {
      if (n === STARTS) return { missing: `the gateway does not start (${(error as Error).message.slice(0, 200)})` };
    }
}

async function main(dir: string, owner: number | null): Promise<void> {
  // Its user reads what lies in it.
  mkdirSync(dir, { recursive: true, mode: 0o755 });
  const started: Stoppable[] = [];
  let isEnding = false;
  const end = async (): Promise<void> => {
    if (isEnding) return;
    isEnding = true;
    await Promise.allSettled(started.map((one) => one.stop()));
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void end());
  const [database, bucket] = await Promise.all([startDatabase(dir, started), startBucket(dir, started)]);
  const services: Services = { pid: process.pid, database, bucket };
  writeFileSync(join(dir, "services.tmp"), JSON.stringify(services));
  renameSync(join(dir, "services.tmp"), join(dir, "services.json"));
  console.log(JSON.stringify(services));
  for (;;) {
    await setTimeout(1000);
    if (owner !== null && !isAlive(owner)) return end();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const [dir, owner] = process.argv.slice(2);
if (dir === undefined) throw new Error("node scripts/fleet/services.ts FOLDER [PID]");
await main(dir, owner === undefined ? null : Number(owner));
