// Where the archive lies, and what of it others on the machine can come by: a location that somebody else prepared is refused,
// and no secret stands where processes are listed.
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { defaultArchiveDir } from "#lib/archive/base/archive-folder.ts";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { createToken } from "#lib/archive/settings/access-tokens.ts";
import { writeAddress } from "#lib/http/running-server.ts";
import { NONCE, withDoors } from "#lib/http/testing-http.ts";
import { entryOf } from "../scripts/bundle.mjs";

const program = entryOf("bin/plimsoll.ts");
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

const envOf = (dir: string) => ({ PATH: process.env["PATH"], HOME: dir, NODE_ENV: "test" as const });

function storeInto(dir: string, archive: string): { code: number | null; said: string } {
  writeFileSync(join(dir, "note.txt"), "a note");
  const words = ["store", "new", join(dir, "note.txt"), "--archive", archive];
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    env: envOf(dir),
    encoding: "utf8",
  });
  return { code: status, said: stdout + stderr };
}

describe("a place that somebody else prepared", () => {
  test("as a link, or as a file, is refused in a sentence, and nothing is written through it", () =>
    inFolder(async (dir) => {
      mkdirSync(join(dir, "victim"));
      symlinkSync(join(dir, "victim"), join(dir, "link"));
      writeFileSync(join(dir, "file"), "not a folder");
      for (const name of ["link", "file"]) {
        const { code, said } = storeInto(dir, join(dir, name));
        expect([name, code]).toEqual([name, 2]);
        expect(said).toContain("Name another one with --archive");
        expect(said).not.toContain("    at ");
      }
      expect(readdirSync(join(dir, "victim"))).toEqual([]);
      expect(readFileSync(join(dir, "file"), "utf8")).toBe("not a folder");
    }));

  test.skipIf(!isRoot)("as a folder of another user's is refused, and nothing is written into it", () =>
    inFolder(async (dir) => {
      const theirs = join(dir, "theirs");
      mkdirSync(theirs);
      chownSync(theirs, NOBODY, NOBODY);
      const { code, said } = storeInto(dir, theirs);
      expect([code, readdirSync(theirs)]).toEqual([2, []]);
      expect(said).toContain("belongs to another user");
      expect(statSync(theirs).uid).toBe(NOBODY);
    }),
  );

  test("as a folder of one's own that others may write is made one's own before anything is in it", () =>
    inFolder(async (dir) => {
      const open = join(dir, "open");
      mkdirSync(open);
      chmodSync(open, 0o777);
      expect(storeInto(dir, open).code).toBe(0);
      expect(statSync(open).mode & 0o777).toBe(0o700);
    }));

  test("is nowhere on the way: by default the archive lies with the data of programs, not among temporary files", () => {
    for (const env of [
      { HOME: "/home/x" },
      { HOME: "/home/x", XDG_DATA_HOME: "/data" },
      { HOME: "/home/x", TMPDIR: "/t" },
    ])
      expect(defaultArchiveDir(env)).toMatch(/^(\/home\/x\/\.local\/share|\/data)\/plimsoll$/);
    expect(defaultArchiveDir({ HOME: "/home/x" }).startsWith(tmpdir())).toBe(false);
  });
});

test("what the database sets aside while it writes is in no file of a folder that all share", () =>
  inFolder((dir) =>
    withArchive(join(dir, "archive"), async (archive) => {
      // 2 is MEMORY: without it each savepoint opened a file in /var/tmp (seen with strace).
      expect(archive.sqlite.pragma("temp_store", { simple: true })).toBe(2);
    }),
  ));

describe("secrets", () => {
  test.skipIf(!existsSync("/proc/self/environ"))(
    "stand neither in the words nor in the environment of a command, and where they are kept only their owner reads",
    () =>
      inFolder((dir) =>
        withArchive(join(dir, "archive"), (archive) =>
          withDoors(archive, async (server) => {
            await createSession(archive, { id: "run" });
            const { port, credentials } = server;
            await writeAddress(archive.dir, { pid: process.pid, port, nonce: NONCE, token: credentials.bearer });
            const words = ["store", "run", "-", "--archive", archive.dir];
            const child = spawn(process.execPath, [program, ...words], { env: envOf(dir) });
            const ended = new Promise((done) => child.once("close", done));
            child.stdin.write("the first half, ");
            // It has begun to send: it holds the token by now.
            await expect.poll(() => server.open(), { timeout: 30_000 }).toBeGreaterThan(0);
            for (const file of ["cmdline", "environ"]) {
              const text = readFileSync(`/proc/${child.pid}/${file}`, "utf8");
              for (const secret of [credentials.bearer, NONCE]) expect(text.includes(secret), file).toBe(false);
            }
            child.stdin.end("the second half");
            expect(await ended).toBe(0);
            expect(statSync(join(archive.dir, "endpoint.json")).mode & 0o777).toBe(0o600);
            expect(statSync(archive.dir).mode & 0o777).toBe(0o700);
          }),
        ),
      ),
  );

  test("that are wrong, cut, old or absent open nothing", () =>
    inFolder((dir) =>
      withArchive(join(dir, "archive"), (archive) =>
        withDoors(archive, async (server) => {
          const { token } = await createToken(archive, {});
          const wrong = [
            "",
            "x",
            token.slice(0, -1),
            `${token}x`,
            token.toUpperCase(),
            `plm_${"A".repeat(43)}`,
            server.credentials.newLaunchToken(),
          ];
          for (const one of wrong)
            for (const path of ["/api/sessions", "/api/artifacts", "/api/tools", "/api/tokens", "/"]) {
              const response = await fetch(server.url + path, {
                headers: { authorization: `Bearer ${one}` },
                redirect: "manual",
              });
              expect(response.status, path).toBe(401);
              expect(await response.text()).not.toContain('sessions":');
            }
          expect((await server.ask("GET", "/api/sessions", { token })).status).toBe(200);
        }),
      ),
    ));
});

test("an archive on a disk for reading alone is read, or a sentence says why it is not", () =>
  inFolder(async (dir) => {
    const disk = join(dir, "disk");
    mkdirSync(disk);
    const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=32m", "tmpfs", disk]).status === 0;
    if (!isMounted) return console.log("SKIPPED: a disk for reading alone cannot be mounted here.");
    try {
      const archive = join(disk, "archive");
      await withArchive(archive, (open) => createSession(open, { id: "s" }));
      spawnSync("mount", ["-o", "remount,ro", disk]);
      for (const words of [
        ["sessions"],
        ["artifacts"],
        ["show", "plimsoll:s"],
        ["check"],
        ["gc", "--dry-run"],
        ["import", dir],
      ]) {
        const { status, stderr } = spawnSync(process.execPath, [program, ...words], {
          encoding: "utf8",
          env: { ...envOf(dir), PLIMSOLL_ARCHIVE: archive },
        });
        expect(status, stderr).toBeGreaterThan(0);
        expect(stderr.trim().split("\n"), stderr).toHaveLength(1);
        expect(stderr).toMatch(/is on a read-only disk|cannot be written/);
      }
    } finally {
      spawnSync("umount", [disk]);
    }
  }));
