// A database and a gateway for the bench of a fleet, and nodes on them, all on this machine's processors.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { migrateFleet } from "#lib/fleet/migrate-fleet.ts";
import { openFleet, type Fleet } from "#lib/fleet/open-fleet.ts";
import { createFleetToken } from "#lib/fleet/people/fleet-tokens.ts";
import { faultNode, type FaultNode } from "../fleet/fault-nodes.ts";
import { startGateway } from "../fleet/gateway.ts";
import { startPostgres } from "../fleet/postgres.ts";

/** What one would set on a machine with 16 GB for the database. PostgreSQL's own values are for one with less than 1 GB. */
export const DATABASE_FLAGS = [
  ...["shared_buffers=4GB", "effective_cache_size=12GB", "max_wal_size=16GB", "checkpoint_timeout=30min"],
  ...["random_page_cost=1.1", "work_mem=32MB"],
].flatMap((setting) => ["-c", setting]);

export type BenchServices = {
  /** A database and a bucket of their own, made and migrated. */
  fleet(name: string): Promise<BenchFleet>;
  stop(): Promise<void>;
};

export type BenchFleet = {
  readonly fleet: Fleet;
  /** Of its project `bench`: reads, sends and writes. */
  readonly token: string;
  /** The same gateway, another bucket. */
  bucket(name: string): string;
  node(name: string, env?: Readonly<Record<string, string>>): Promise<FaultNode>;
  close(): Promise<void>;
};

/** `folder`: the database stays there. */
export async function benchServices(work: string, folder: string | null): Promise<BenchServices> {
  mkdirSync(work, { recursive: true, mode: 0o755 });
  const dir = folder ?? join(work, "database");
  mkdirSync(dir, { recursive: true, mode: 0o755 });
  const postgres = await startPostgres(dir, { persistent: folder !== null, flags: DATABASE_FLAGS });
  const gateway = await startGateway(join(work, "ceph"));
  const [key, secret] = gateway.keys;
  const bucket = (name: string): string =>
    `${gateway.endpoint.replace("http:", "s3+http:").replace("//", `//${key}:${secret}@`)}/${name}`;
  const open: BenchFleet[] = [];
  return {
    async fleet(name) {
      const database = postgres.url.replace(/[^/]*$/, name);
      const admin = openFleet({ database: postgres.url, bucket: bucket("none") });
      const [there] = await admin.sql`SELECT 1 FROM pg_database WHERE datname = ${name}`;
      if (there === undefined) await admin.sql.unsafe(`CREATE DATABASE ${name}`);
      await admin.close();
      const address = { database, bucket: bucket(name.replaceAll("_", "-")) };
      const fleet = openFleet(address);
      await fleet.objects.ensure();
      await migrateFleet(fleet);
      const { token } = await createFleetToken(
        fleet,
        { project: "bench", scope: "write", name: "bench" },
        { who: "bench", address: "bench" },
      );
      const nodes: FaultNode[] = [];
      const made: BenchFleet = {
        ...{ fleet, token, bucket },
        async node(id, env = {}) {
          const variables = { PLIMSOLL_DATABASE: address.database, PLIMSOLL_BUCKET: address.bucket, ...env };
          mkdirSync(join(work, name), { recursive: true, mode: 0o755 });
          const node = faultNode(join(work, name), id, variables, () => 0);
          await node.start();
          nodes.push(node);
          return node;
        },
        async close() {
          for (const node of nodes) await node.end();
          await fleet.close();
        },
      };
      open.push(made);
      return made;
    },
    async stop() {
      for (const one of open) await one.close();
      await gateway.stop();
      await postgres.stop();
    },
  };
}

/** Nodes find no commit to read while this runs: what cataloguing takes of the processors is measured by itself. */
export async function whileNobodyReads<T>({ sql }: Fleet, run: () => Promise<T>): Promise<T> {
  await sql`CREATE FUNCTION leave_waiting() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`;
  await sql`CREATE TRIGGER leave_waiting BEFORE UPDATE ON commits FOR EACH ROW EXECUTE FUNCTION leave_waiting()`;
  try {
    return await run();
  } finally {
    await sql`DROP FUNCTION leave_waiting CASCADE`;
  }
}

/** Asks a node with its own credentials; the whole answer, and the milliseconds until its last byte. */
export async function askNode(
  node: FaultNode,
  path: string,
  token = node.token!,
): Promise<{ readonly ms: number; readonly text: string }> {
  const startedAt = performance.now();
  const response = await fetch(`${node.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${text.slice(0, 300)}`);
  return { ms: performance.now() - startedAt, text };
}

/** The most memory that a process ever held; null where the system does not tell. */
export function peakBytes(pid: number): number | null {
  try {
    const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  } catch {
    return null;
  }
}
