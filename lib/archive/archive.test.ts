// The archive as a folder: modes, the writer lock, readers beside a writer.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { jsonl, prompt, result, SESSION } from "#lib/formats/claude-code/testing-claude.ts";
import { closeArchive, openArchive } from "./archive.ts";
import { defaultArchiveDir } from "./base/archive-folder.ts";
import { importPaths } from "./import/import-paths.ts";
import { showSession } from "./sessions/show-session.ts";
import { inFolder, put, testHost, withArchive } from "./testing-archive.ts";

const host = testHost();
const MODULE = join(import.meta.dirname, "archive.ts");
const HOST = join(import.meta.dirname, "testing-archive.ts");

/** A process of its own that opens the archive, says so, and holds it. */
async function holder(dir: string): Promise<ReturnType<typeof spawn>> {
  const code = `import { openArchive } from ${JSON.stringify(MODULE)}; import { testHost } from ${JSON.stringify(HOST)};
    await openArchive({ dir: ${JSON.stringify(dir)}, host: testHost() }); console.log("open"); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return child;
}

test("every folder is 0700 and every file 0600, whatever the umask", () =>
  inFolder(async (dir) => {
    const path = put(
      join(dir, "logs"),
      `${SESSION}.jsonl`,
      jsonl(prompt("p", 1, "hello"), result("r", 2, "t", "x".repeat(9000))),
    );
    const before = process.umask(0);
    try {
      const home = join(dir, "archive");
      await withArchive(home, async (archive) => {
        await importPaths(archive, [path]);
        const modes = [".", ...(readdirSync(home, { recursive: true, encoding: "utf8" }) as string[])].map((name) => {
          const stat = statSync(join(home, name));
          return [name, stat.isDirectory() ? "folder" : "file", (stat.mode & 0o777).toString(8)];
        });
        expect(modes.length).toBeGreaterThan(8);
        expect(modes.filter(([, kind, mode]) => mode !== (kind === "folder" ? "700" : "600"))).toEqual([]);
      });
    } finally {
      process.umask(before);
    }
  }));

test("a folder that others can read is made private", () =>
  inFolder(async (dir) => {
    const home = join(dir, "archive");
    mkdirSync(home, { mode: 0o755 });
    chmodSync(home, 0o755);
    await withArchive(home, async () => expect(statSync(home).mode & 0o777).toBe(0o700));
  }));

test("a second writer is refused with one sentence, in the same process and from another", () =>
  inFolder(async (dir) => {
    const home = join(dir, "archive");
    await withArchive(home, async () => {
      await expect(openArchive({ dir: home, host })).rejects.toMatchObject({
        code: "conflict",
        message: expect.stringContaining("Another Plimsoll is writing to the archive"),
      });
    });
    const child = await holder(home);
    try {
      await expect(openArchive({ dir: home, host })).rejects.toMatchObject({ code: "conflict" });
    } finally {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  }));

test("the lock of a writer that was killed is free at once, and what it had committed is there", () =>
  inFolder(async (dir) => {
    const home = join(dir, "archive");
    for (let round = 0; round < 3; round++) {
      const child = await holder(home);
      child.kill("SIGKILL");
      await once(child, "exit");
      const startedAt = performance.now();
      const archive = await openArchive({ dir: home, host });
      expect(performance.now() - startedAt).toBeLessThan(1000);
      await closeArchive(archive);
    }
  }));

test("of ten that start at once exactly one writes", { timeout: 60_000 }, () =>
  inFolder(async (dir) => {
    const home = join(dir, "archive");
    const tries = await Promise.allSettled(Array.from({ length: 10 }, () => openArchive({ dir: home, host })));
    const opened = tries.filter((one) => one.status === "fulfilled");
    expect(opened).toHaveLength(1);
    for (const one of tries) if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "conflict" });
    await closeArchive(opened[0]!.value);
  }),
);

test("a reader stands beside the writer, and sees what was committed", () =>
  inFolder(async (dir) => {
    const home = join(dir, "archive");
    const path = put(join(dir, "logs"), `${SESSION}.jsonl`, jsonl(prompt("p", 1, "hello")));
    await withArchive(home, async (writer) => {
      await importPaths(writer, [path]);
      const reader = await openArchive({ dir: home, host, mode: "read" });
      expect((await showSession(reader, SESSION)).turns).toBe(1);
      expect(() => reader.sqlite.exec("DELETE FROM events")).toThrow(/readonly/);
      await closeArchive(reader);
    });
  }));

test("reading where there is no archive says so, and makes none", () =>
  inFolder(async (dir) => {
    const home = join(dir, "nothing");
    await expect(openArchive({ dir: home, host, mode: "read" })).rejects.toMatchObject({ code: "not_found" });
    expect(readdirSync(dir)).toEqual([]);
  }));

test("a folder that is a file, or cannot be made, is refused with one sentence", () =>
  inFolder(async (dir) => {
    writeFileSync(join(dir, "file"), "");
    for (const at of ["file", "file/below"])
      await expect(openArchive({ dir: join(dir, at), host })).rejects.toMatchObject({ code: "invalid" });
    symlinkSync(join(dir, "elsewhere"), join(dir, "link"));
    await expect(openArchive({ dir: join(dir, "link"), host })).rejects.toMatchObject({ code: "invalid" });
  }));

test("writes survive a power loss: synchronous is FULL on every connection, the journal is WAL", () =>
  inFolder(async (dir) => {
    for (let boot = 0; boot < 2; boot++)
      await withArchive(join(dir, "archive"), async ({ sqlite }) => {
        expect(sqlite.pragma("synchronous", { simple: true })).toBe(2);
        expect(sqlite.pragma("journal_mode", { simple: true })).toBe("wal");
      });
  }));

test("the archive lies where the environment says, else where data of programs lies", () => {
  expect(defaultArchiveDir({ PLIMSOLL_ARCHIVE: "/a/b", HOME: "/home/ada" })).toBe("/a/b");
  expect(defaultArchiveDir({ XDG_DATA_HOME: "/data", HOME: "/home/ada" })).toBe("/data/plimsoll");
  expect(defaultArchiveDir({ HOME: "/home/ada" })).toBe("/home/ada/.local/share/plimsoll");
});
