// PostgreSQL and the gateway for tests and trials: starts what this machine can start, says so in a file, and stops it when
// it is told to, or when the process that wanted it is gone. One for a whole run of tests.
//   node scripts/fleet/services.ts FOLDER [PID]
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gatewayMissing, startGateway } from "./gateway.ts";
import { startPostgres } from "./postgres.ts";

/** What runs, or why it does not. */
export type Services = {
  readonly pid: number;
  readonly database: { readonly url: string } | { readonly missing: string };
  readonly bucket:
    | { readonly endpoint: string; readonly keys: readonly [string, string] }
    | { readonly missing: string };
};

/** Tries to start each of them. */
const STARTS = 3;

type Stoppable = { stop(): Promise<void> };

/** What starts, tried again in another folder: a free port may be taken before it is used. */
async function start<T extends Stoppable>(
  what: string,
  tryOnce: (n: number) => Promise<T>,
  started: Stoppable[],
  signal: AbortSignal,
): Promise<T | { readonly missing: string }> {
  for (let n = 1; ; n++)
    try {
      const one = await tryOnce(n);
      started.push(one);
      return one;
    } catch (error) {
      if (n === STARTS || signal.aborted)
        return { missing: `${what} does not start (${String((error as Error)?.message ?? error).slice(0, 200)})` };
    }
}

async function startDatabase(dir: string, started: Stoppable[], signal: AbortSignal): Promise<Services["database"]> {
  const postgres = await start("PostgreSQL", (n) => startPostgres(join(dir, `database-${n}`)), started, signal);
  return "missing" in postgres ? postgres : { url: postgres.url };
}

async function startBucket(dir: string, started: Stoppable[], signal: AbortSignal): Promise<Services["bucket"]> {
  const missing = gatewayMissing();
  if (missing !== null) return { missing };
  const gateway = await start("The gateway", (n) => startGateway(join(dir, `ceph-${n}`), signal), started, signal);
  return "missing" in gateway ? gateway : { endpoint: gateway.endpoint, keys: gateway.keys };
}

async function main(dir: string, owner: number | null): Promise<void> {
  // Its user reads what lies in it.
  mkdirSync(dir, { recursive: true, mode: 0o755 });
  const started: Stoppable[] = [];
  const ending = new AbortController();
  let starting: Promise<unknown> = Promise.resolve();
  const end = async (): Promise<void> => {
    if (ending.signal.aborted) return;
    ending.abort();
    await starting;
    await Promise.allSettled(started.map((one) => one.stop()));
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void end());
  // Also while they start.
  if (owner !== null) setInterval(() => isAlive(owner) || void end(), 1000);
  const both = Promise.all([startDatabase(dir, started, ending.signal), startBucket(dir, started, ending.signal)]);
  starting = both;
  const [database, bucket] = await both;
  if (ending.signal.aborted) return;
  const services: Services = { pid: process.pid, database, bucket };
  writeFileSync(join(dir, "services.tmp"), JSON.stringify(services));
  renameSync(join(dir, "services.tmp"), join(dir, "services.json"));
  console.log(JSON.stringify(services));
  // Until it is told to end, or nobody wants it any more.
  if (owner === null) setInterval(() => undefined, 60_000);
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
