// A server on a disk with no free byte: it starts, reads, deletes and sweeps, and stores again once there is room.
import { execFileSync, spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { collect } from "#lib/archive/artifacts/gc.ts";
import { storeArtifact } from "#lib/archive/artifacts/store-artifact.ts";
import { check } from "#lib/archive/upkeep/check-archive.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { inFolder, put, withArchive } from "#lib/archive/testing-archive.ts";
import { createChanges } from "#lib/http/changes.ts";
import { openCredentials } from "#lib/http/credentials.ts";
import { writeAddress } from "#lib/http/running-server.ts";
import { readAddress } from "#lib/http/server-address.ts";
import { NONCE, withDoors, type DoorServer } from "#lib/http/testing-http.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { systemHost } from "./system-host.ts";
import { createImports } from "./server-imports.ts";

const MB = 1024 * 1024;
const SIZE_MB = 128;
const SESSION = "11111111-1111-4111-8111-111111111111";

const mounted: string[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const dir of mounted.splice(0)) execFileSync("umount", [dir]);
});

/** Runs with a folder on a small disk of its own; says so where none can be mounted. */
const onSmallDisk = (run: (disk: string) => Promise<void>): Promise<void> =>
  inFolder(async (base) => {
    const disk = join(base, "disk");
    mkdirSync(disk);
    if (spawnSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE_MB}m,mode=700`, "tmpfs", disk]).status !== 0)
      return console.log("SKIPPED: a small disk cannot be mounted here (that takes root).");
    mounted.push(disk);
    try {
      await run(disk);
    } finally {
      mounted.pop();
      execFileSync("umount", ["-l", disk]);
    }
  });

/** Takes the rest of the disk, to the last byte. */
function fill(disk: string): void {
  const fd = openSync(join(disk, `fill-${readdirSync(disk).length}`), "w");
  try {
    for (let size = MB; size >= 1; size = Math.floor(size / 2))
      for (;;) if (writeSync(fd, Buffer.alloc(size)) < size) break;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    closeSync(fd);
  }
  expect(statfsSync(disk).bfree).toBe(0);
}

const dropFill = (disk: string): void => {
  for (const name of readdirSync(disk)) if (name.startsWith("fill-")) rmSync(join(disk, name));
};

/** An archive with an imported session that was not counted yet, and 30 artifacts of an agent; older than the grace. */
async function prepare(disk: string, dir: string): Promise<string[]> {
  const logs = join(disk, "logs");
  const records = Array.from({ length: 80 }, (_, n) => ({
    type: "user",
    sessionId: SESSION,
    uuid: `u${n}`,
    parentUuid: n === 0 ? null : `u${n - 1}`,
    timestamp: new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString(),
    version: "2.0.0",
    cwd: "/synthetic",
    message: { role: "user", content: `line ${n} of the tide tables\n`.repeat(100) },
  }));
  put(logs, `${SESSION}.jsonl`, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  const pointers: string[] = [];
  await withArchive(
    dir,
    async (archive) => {
      await importPaths(archive, [logs]);
      const { id } = await createSession(archive, { id: "s" });
      for (let i = 0; i < 30; i++)
        pointers.push((await storeArtifact(archive, { session: id }, Buffer.from(`${i} `.repeat(60_000)))).pointer);
      await collect(archive);
      expect(statSync(join(dir, "ballast")).size).toBe(LIMITS.reserveFileBytes);
    },
    systemHost(),
  );
  const blobs = join(dir, "blobs");
  const old = new Date(Date.now() - LIMITS.gcGraceMs - 60_000);
  for (const name of readdirSync(blobs, { recursive: true, encoding: "utf8" }))
    if (/[0-9a-f]{64}$/.test(name)) utimesSync(join(blobs, name), old, old);
  return pointers;
}

async function withServer(
  dir: string,
  run: (server: DoorServer, archive: Archive, count: () => void) => Promise<void>,
): Promise<void> {
  await withArchive(
    dir,
    async (archive) => {
      const imports = await createImports({ archive, changes: createChanges("0"), sources: [] });
      try {
        const pk = archive.sqlite
          .prepare("SELECT pk FROM sessions WHERE source_pk IS NOT NULL")
          .pluck()
          .get() as number;
        await withDoors(archive, (server) => run(server, archive, () => imports.count(pk)), imports);
      } finally {
        await imports.close();
      }
    },
    systemHost(),
  );
}

const remove = (server: DoorServer, pointer: string): Promise<Response> =>
  server.ask("DELETE", `/api/artifacts/${encodeURIComponent(pointer)}`, { json: {} });
const rawOf = (server: DoorServer, pointer: string): Promise<Response> =>
  server.ask("GET", `/api/artifacts/${encodeURIComponent(pointer)}/raw`);
const store = (server: DoorServer, body: Uint8Array<ArrayBuffer>): Promise<Response> =>
  server.ask("POST", "/api/sessions/plimsoll:s/artifacts", { body });

test(
  "a server starts, reads, deletes and sweeps on a full disk, and stores again when there is room",
  { timeout: 60_000 },
  () =>
    onSmallDisk(async (disk) => {
      const dir = join(disk, "archive");
      const pointers = await prepare(disk, dir);
      fill(disk);
      const errors = vi.spyOn(console, "error").mockImplementation(() => undefined);
      await withServer(dir, async (server, archive, count) => {
        // What a start writes for the browser and for the command line.
        const credentials = openCredentials(dir);
        const secret = await credentials.exchange(credentials.newLaunchToken());
        expect(credentials.browserOf(secret!)).not.toBeNull();
        await writeAddress(dir, { pid: 1, port: server.port, nonce: NONCE, token: credentials.bearer });
        expect(await readAddress(dir)).toMatchObject({ port: server.port });
        fill(disk);

        count();
        expect((await server.ask("GET", "/api/artifacts?limit=5")).status).toBe(200);
        expect((await server.ask("GET", "/api/sessions")).status).toBe(200);
        expect(await (await rawOf(server, pointers[0]!)).text()).toBe("0 ".repeat(60_000));
        const refused = await store(server, Buffer.alloc(40 * MB, "x"));
        expect([refused.status, await refused.text()]).toEqual([507, expect.stringContaining("full")]);

        // Each delete finds the disk full again.
        for (const pointer of pointers.slice(0, 3)) {
          fill(disk);
          expect((await remove(server, pointer)).status).toBe(200);
          expect((await rawOf(server, pointer)).status).toBe(410);
        }
        fill(disk);
        const saved = await server.ask("PUT", "/api/retention", { json: { maxBytes: 2 * MB } });
        expect([saved.status, await saved.text()]).toEqual([200, expect.stringContaining("2097152")]);
        fill(disk);
        const swept = await server.ask("POST", "/api/retention/sweep", { json: {} });
        const answered = (await swept.json()) as { swept: number; blobs: number; bytes: number };
        expect([swept.status, answered]).toEqual([200, expect.objectContaining({ swept: expect.any(Number) })]);
        expect(answered.swept).toBeGreaterThan(5);
        expect(answered.blobs).toBeGreaterThanOrEqual(answered.swept);
        expect(answered.bytes).toBeGreaterThan(MB);

        // Without a new start, and without anybody making room.
        expect((await store(server, Buffer.from("there is room again"))).status).toBe(201);
        dropFill(disk);
        expect((await server.ask("POST", "/api/retention/sweep", { json: {} })).status).toBe(200);
        expect(statSync(join(dir, "ballast")).size).toBe(LIMITS.reserveFileBytes);
        expect((await check(archive)).problems).toEqual([]);
      });
      const said = errors.mock.calls.map((words) => words.map(String).join(" "));
      expect(said.filter((line) => line.includes("The import worker ended"))).toEqual([]);
      expect(existsSync(join(dir, "endpoint.json"))).toBe(true);
    }),
);

test("where the reserve was used up a start says in a sentence that the disk is full", () =>
  onSmallDisk(async (disk) => {
    const dir = join(disk, "archive");
    await prepare(disk, dir);
    rmSync(join(dir, "ballast"));
    fill(disk);
    const error = await withServer(dir, async () => undefined).catch((failure: unknown) => failure);
    expect(String((error as Error)?.message)).toMatch(/disk.*full.*Free/s);
  }));
