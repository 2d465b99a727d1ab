// pg_dump and pg_restore for the test of a backup. They dump servers of their own version and older ones: where the machine has none
// for the tests' server, a server of their own package is started.
import { execFile, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { connectFleet } from "#db/fleet/fleet-database.ts";

const run = promisify(execFile);

export type DumpTools = {
  /** Of the tools, and of the server that was tried with them. */
  readonly version: number;
  /** A server that may make databases. */
  readonly url: string;
  dump(url: string, file: string): Promise<void>;
  restore(file: string, url: string): Promise<void>;
  stop(): Promise<void>;
};

/** Folders with a whole PostgreSQL. What Debian has in /usr/bin is a program that looks for a cluster, and no initdb. */
function folders(): { bin: string; version: number }[] {
  const packaged = "/usr/lib/postgresql";
  const all = [
    ...(process.env["PATH"] ?? "").split(delimiter),
    ...(existsSync(packaged) ? readdirSync(packaged).map((version) => join(packaged, version, "bin")) : []),
  ];
  return all
    .filter((bin) => ["pg_dump", "pg_restore", "initdb", "postgres"].every((name) => existsSync(join(bin, name))))
    .map((bin) => {
      const { stdout } = spawnSync(join(bin, "pg_dump"), ["--version"], { encoding: "utf8" });
      return { bin, version: Number(/(\d+)(?:\.\d+)?/.exec(stdout)?.[1] ?? 0) };
    })
    .toSorted((a, b) => b.version - a.version);
}

/** Whether `dumpTools` finds some. */
export const dumpMissing = (): { readonly missing: string } | object =>
  folders().length === 0 ? { missing: "no folder has pg_dump and initdb" } : {};

export async function dumpTools(dir: string, testUrl: string): Promise<DumpTools> {
  const [{ bin, version }] = folders() as [{ bin: string; version: number }];
  const sql = connectFleet(testUrl);
  const [row] = await sql<{ server_version_num: string }[]>`SHOW server_version_num`;
  await sql.end();
  const isNewEnough = version >= Math.floor(Number(row!.server_version_num) / 10_000);
  const server = isNewEnough ? { url: testUrl, stop: () => Promise.resolve() } : await startServer(dir, bin);
  return {
    version,
    ...server,
    dump: async (url, file) => void (await run(join(bin, "pg_dump"), ["--format=custom", `--file=${file}`, url])),
    restore: async (file, url) =>
      void (await run(join(bin, "pg_restore"), ["--no-owner", "--exit-on-error", `--dbname=${url}`, file])),
  };
}

/** A server whose data is in a folder of its own. It refuses to run as root: then it is the user that its package has made. */
async function startServer(dir: string, bin: string): Promise<Pick<DumpTools, "url" | "stop">> {
  const isRoot = process.getuid?.() === 0;
  const idOf = (flag: string): number => Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout);
  const user = isRoot ? { uid: idOf("-u"), gid: idOf("-g") } : {};
  mkdirSync(dir, { recursive: true, mode: 0o755 });
  if (isRoot) chownSync(dir, idOf("-u"), idOf("-g"));
  const data = join(dir, "data");
  await run(join(bin, "initdb"), ["-D", data, "-U", "postgres", "--auth=trust", "-E", "UTF8", "--no-sync"], {
    ...user,
    cwd: dir,
  });
  const port = await freePort();
  const words = ["-D", data, "-p", String(port), "-k", dir, "-h", "127.0.0.1", "-c", "fsync=off"];
  const child = spawn(join(bin, "postgres"), words, { ...user, cwd: dir, stdio: "ignore" });
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  for (let tries = 0; ; tries++) {
    const sql = connectFleet(url);
    try {
      await sql`SELECT 1`;
      break;
    } catch (error) {
      if (tries === 100) throw error;
      await setTimeout(200);
    } finally {
      await sql.end();
    }
  }
  return {
    url,
    async stop() {
      child.kill("SIGINT");
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });
}
