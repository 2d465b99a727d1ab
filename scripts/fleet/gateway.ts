// Ceph's RADOS gateway with all of its data in memory, on free ports of this machine: one monitor, one store, one gateway. It is
// ready in some ten seconds. Needs ceph-mon, ceph-osd and radosgw of the system's packages.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { hostname } from "node:os";
import { delimiter, join } from "node:path";
import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

export type Gateway = {
  readonly endpoint: string;
  readonly keys: readonly [id: string, secret: string];
  stop(): Promise<void>;
};

const PROGRAMS = ["ceph", "ceph-mon", "ceph-osd", "radosgw", "radosgw-admin", "monmaptool"];

/** What is missing to start one; null when nothing is. */
export function gatewayMissing(): string | null {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const missing = PROGRAMS.filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
  return missing.length === 0
    ? null
    : `${missing.join(", ")} not installed (apt-get install ceph-mon ceph-osd radosgw)`;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}

const READY_MS = 75_000;

/** Fails at once where one of its programs ends (a port that was free may be taken by then), or when the signal says so. */
export async function startGateway(dir: string, signal?: AbortSignal): Promise<Gateway> {
  for (const name of ["mon", "osd", "run", "log"]) mkdirSync(join(dir, name), { recursive: true });
  const [monitor, port] = [await freePort(), await freePort()];
  const id = randomUUID();
  const conf = join(dir, "ceph.conf");
  writeFileSync(conf, configOf({ dir, id, monitor, port }));
  const run = (program: string, ...args: string[]): void => {
    const { status, stderr } = spawnSync(program, args, { cwd: dir, encoding: "utf8", timeout: READY_MS });
    if (status !== 0) throw new Error(`${program} ${args[0]} failed: ${stderr.trim().slice(-500)}`);
  };
  const children: ChildProcess[] = [];
  // In the foreground: they end with who started them.
  const keep = (program: string, ...args: string[]): ChildProcess => {
    const child = spawn(program, ["-c", conf, "-f", ...args], { cwd: dir, stdio: "ignore" });
    children.push(child);
    return child;
  };
  const lasting = async (start: () => ChildProcess): Promise<void> => {
    for (let tries = 0; tries < 10; tries++) {
      const child = start();
      await setTimeout(1000);
      if (child.exitCode === null && child.signalCode === null) return;
      children.splice(children.indexOf(child), 1);
    }
    throw new Error("ceph-osd ended each of ten times it was started.");
  };
  const until = async (isReady: () => boolean | Promise<boolean>): Promise<void> => {
    const end = Date.now() + READY_MS;
    while (!(await isReady())) {
      signal?.throwIfAborted();
      const ended = children.find(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null);
      if (ended !== undefined) throw new Error(`${ended.spawnfile} ended with ${ended.exitCode ?? ended.signalCode}`);
      if (Date.now() > end) throw new Error(`not ready within ${READY_MS / 1000} s`);
      await setTimeout(250);
    }
  };
  const stop = async (): Promise<void> => {
    const ended = children.map(
      (child) =>
        new Promise((done) =>
          child.exitCode === null && child.signalCode === null ? child.once("exit", done) : done(null),
        ),
    );
    for (const child of children.toReversed()) child.kill("SIGKILL");
    await Promise.all(ended);
  };
  try {
    const map = join(dir, "run", "monmap");
    run("monmaptool", "--create", "--addv", "a", `[v1:127.0.0.1:${monitor}]`, "--fsid", id, map);
    run("ceph-mon", "-c", conf, "-i", "a", "--mkfs", "--monmap", map);
    keep("ceph-mon", "-i", "a");
    const store = randomUUID();
    // A program of Ceph that asks before it has the monitor's map is refused ("wrong fsid"), which depends on some milliseconds. All
    // of these may be done twice.
    const osd = (...args: string[]): Promise<void> =>
      until(() => spawnSync("ceph", ["-c", conf, "--connect-timeout", "5", "osd", ...args], { cwd: dir }).status === 0);
    await osd("new", store);
    run("ceph-osd", "-c", conf, "-i", "0", "--mkfs", "--osd-uuid", store);
    await osd("crush", "add", "osd.0", "1.0", "root=default", "host=h");
    await lasting(() => keep("ceph-osd", "-i", "0"));
    keep("radosgw", "-n", "client.rgw.a");
    const endpoint = `http://127.0.0.1:${port}`;
    await until(() =>
      fetch(endpoint).then(
        (response) => response.ok,
        () => false,
      ),
    );
    run(
      "radosgw-admin",
      "-c",
      conf,
      "user",
      "create",
      "--uid=t",
      "--display-name=t",
      "--access-key=AK",
      "--secret-key=SK",
    );
    return { endpoint, keys: ["AK", "SK"], stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const configOf = ({
  dir,
  id,
  monitor,
  port,
}: {
  dir: string;
  id: string;
  monitor: number;
  port: number;
}): string => `[global]
fsid = ${id}
mon_initial_members = a
mon_host = [v1:127.0.0.1:${monitor}]
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
run_dir = ${dir}/run
admin_socket = ${dir}/run/$name.asok
log_file = ${dir}/log/$name.log
pid_file = ${dir}/run/$name.pid
mon_data = ${dir}/mon
osd_data = ${dir}/osd
osd_objectstore = memstore
memstore_device_bytes = 4294967296
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 4
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
[mon.a]
host = ${hostname()}
mon_addr = 127.0.0.1:${monitor}
[client.rgw.a]
rgw_frontends = beast endpoint=127.0.0.1:${port}
`;
