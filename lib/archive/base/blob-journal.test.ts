// Small puts: acknowledged by one sync of the database, and good for whatever the power takes of their files.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { LIMITS } from "#lib/kernel/limits.ts";
import { closeArchive, openArchive } from "../archive.ts";
import type { Archive } from "./archive-type.ts";
import { collect } from "../artifacts/gc.ts";
import { createSession } from "../artifacts/create-session.ts";
import { deleteArtifact } from "../artifacts/delete-artifact.ts";
import { recordOutput } from "../artifacts/record-output.ts";
import { storeArtifact } from "../artifacts/store-artifact.ts";
import { check } from "../upkeep/check-archive.ts";
import { rebuild } from "../upkeep/rebuild-archive.ts";
import { inFolder, NOW, testHost, withArchive } from "../testing-archive.ts";

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const rowsOf = (archive: Archive): number =>
  archive.sqlite.prepare("SELECT count(*) FROM journal").pluck().get() as number;
const registryOf = (archive: Archive, id: string): string => join(archive.dir, "sessions", id, "registry.jsonl");
const open = (dir: string): Promise<Archive> => openArchive({ dir, host: testHost(() => NOW) });

/** Ends as a kill does: nothing is settled, the lock and the database are let go. */
function kill(archive: Archive): void {
  Object.assign(archive.journal, { settle: async () => undefined });
  archive.sqlite.close();
  archive.lock!.close();
}

test("a small put stands in the table until its file is synced, and at its place from the answer on", () =>
  inFolder((dir) =>
    withArchive(join(dir, "archive"), async (archive) => {
      const { id } = await createSession(archive, { id: "s" });
      const put = await storeArtifact(archive, { session: id }, Buffer.from("a small output"));
      expect(rowsOf(archive)).toBe(1);
      expect(readFileSync(archive.blobs.path!(put.digest), "utf8")).toBe("a small output");
      expect(readFileSync(registryOf(archive, id), "utf8")).toContain(put.pointer);
      await archive.journal.settle();
      expect(rowsOf(archive)).toBe(0);
      await storeArtifact(archive, { session: id }, Buffer.from("another"));
      await expect.poll(() => rowsOf(archive), { timeout: 5000 }).toBe(0);
      // A large one goes its own way.
      await storeArtifact(archive, { session: id }, Buffer.alloc(200_000, "x"));
      expect(rowsOf(archive)).toBe(0);
    }),
  ));

test("many at once share rows of the table, and the same bytes stand in one of them once", () =>
  inFolder((dir) =>
    withArchive(join(dir, "archive"), async (archive) => {
      const { id } = await createSession(archive, { id: "s" });
      await Promise.all(
        Array.from({ length: 40 }, (_, i) => storeArtifact(archive, { session: id }, Buffer.from(`text ${i % 4}`))),
      );
      expect(rowsOf(archive)).toBe(1);
      expect(archive.sqlite.prepare("SELECT length(bytes) FROM journal").pluck().get()).toBe(4 * "text 0".length);
    }),
  ));

test("whatever a power failure takes of unsynced files, everything acknowledged is whole when it is opened again", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 3000 }), { minLength: 1, maxLength: 8 }),
      fc.array(fc.constantFrom("gone", "empty", "cut", "other", "temporary"), { minLength: 8, maxLength: 8 }),
      fc.nat(),
      fc.boolean(),
      async (contents, harms, cut, isRebuilt) =>
        inFolder(async (base) => {
          const dir = join(base, "archive");
          const archive = await open(dir);
          const { id } = await createSession(archive, { id: "s" });
          const put = (bytes: Uint8Array) => storeArtifact(archive, { session: id }, Buffer.from(bytes));
          const [first, ...rest] = contents;
          const puts = [await put(first!), ...(await Promise.all(rest.map(put)))];
          kill(archive);
          for (const [i, bytes] of contents.entries()) {
            const path = archive.blobs.path!(sha256(bytes));
            const harm = harms[i]!;
            if (harm === "gone" || harm === "temporary") rmSync(path, { force: true });
            else if (existsSync(path)) {
              if (harm === "empty") truncateSync(path, 0);
              else if (harm === "cut") truncateSync(path, cut % (bytes.length + 1));
              else writeFileSync(path, Buffer.alloc(bytes.length, 0xa5));
            }
          }
          // The end of the registry, which no sync had reached, in the middle of a line.
          const registry = readFileSync(registryOf(archive, id));
          const kept = registry.indexOf("\n") + 1;
          truncateSync(registryOf(archive, id), kept + (cut % (registry.length - kept + 1)));
          const again = await open(dir);
          try {
            expect(rowsOf(again)).toBe(0);
            if (isRebuilt) {
              again.sqlite.exec("DELETE FROM artifacts");
              await rebuild(again);
            }
            for (const [i, { pointer, digest }] of puts.entries()) {
              const row = again.sqlite.prepare("SELECT digest FROM artifacts WHERE pointer = ?").get(pointer);
              expect(row).toEqual({ digest });
              expect(readFileSync(again.blobs.path!(digest)).equals(Buffer.from(contents[i]!))).toBe(true);
            }
            expect((await check(again)).problems.filter(({ text }) => !/torn|damaged/.test(text))).toEqual([]);
          } finally {
            await closeArchive(again);
          }
        }),
    ),
    { numRuns: 30 },
  );
});

const hasStrace = ((): boolean => {
  const tried = spawnSync("strace", ["-f", "-qq", "-o", "/dev/null", "-e", "trace=none", "true"]);
  if (tried.status !== 0)
    console.log("SKIPPED: the order of syncs is not shown here, strace is missing or not allowed.");
  return tried.status === 0;
})();

const urlOf = (path: string): string => JSON.stringify(pathToFileURL(join(import.meta.dirname, path)).href);

/** Stores one small output, and waits until its file is synced. */
const STORING = `
  import { writeSync } from "node:fs";
  const { closeArchive, openArchive } = await import(${urlOf("../archive.ts")});
  const { createSession } = await import(${urlOf("../artifacts/create-session.ts")});
  const { storeArtifact } = await import(${urlOf("../artifacts/store-artifact.ts")});
  const { testHost } = await import(${urlOf("../testing-archive.ts")});
  const archive = await openArchive({ dir: process.argv[1], host: testHost(() => 1_700_000_000_000) });
  const { id } = await createSession(archive, { id: "s" });
  writeSync(1, "BEGIN\\n");
  const { digest } = await storeArtifact(archive, { session: id }, Buffer.from("a small output"));
  writeSync(1, "ACK " + digest + " " + id + "\\n");
  await archive.journal.settle();
  writeSync(1, "SETTLED\\n");
  await closeArchive(archive);
`;

test.skipIf(!hasStrace)(
  "a small put is answered after the sync of its commit, and leaves the table after the syncs of its files",
  () =>
    inFolder(async (base) => {
      const dir = join(base, "archive");
      const log = join(base, "strace.log");
      const node = [process.execPath, "--input-type=module", "-e", STORING, dir];
      const env = { ...process.env, UV_THREADPOOL_SIZE: "1", NODE_NO_WARNINGS: "1" };
      const traced = ["-f", "-qq", "-y", "-o", log, "-e", "trace=fsync,fdatasync,rename,write,pwrite64"];
      const ran = spawnSync("strace", [...traced, ...node], { encoding: "utf8", env });
      const [, digest = "", id = ""] = /ACK (\w+) (\w+)/.exec(ran.stdout) ?? [];
      const calls = readFileSync(log, "utf8").split("\n");
      const at = (found: (call: string) => boolean, from = 0): number =>
        calls.findIndex((call, i) => i >= from && found(call));
      const begin = at((call) => call.includes('"BEGIN'));
      const ack = at((call) => call.includes('"ACK '));
      const settled = at((call) => call.includes('"SETTLED'));
      const committed = at((call) => /sync\(.*archive\.db-wal>/.test(call), begin);
      const seen = at((call) => call.includes("rename(") && call.includes(`/${digest}"`), begin);
      const result = at((call) => call.includes("registry.jsonl>"), begin);
      expect([begin, seen, committed, result, ack, settled].every((one, i, all) => one > (all[i - 1] ?? 0))).toBe(true);
      // No sync of its own before the answer; all of them before its row is taken out of the table.
      const syncs = (from: number, to: number): string[] =>
        calls.slice(from, to).flatMap((call) => /sync\(\d+<([^>]+)>/.exec(call)?.[1] ?? []);
      expect(syncs(begin, ack)).toEqual([join(dir, "archive.db-wal")]);
      const emptied = calls.findLastIndex((call, i) => i < settled && /pwrite64\(.*archive\.db-wal>/.test(call));
      const path = join(dir, "blobs", digest.slice(0, 2), digest.slice(2, 4), digest);
      const folders = [dirname(path), dirname(dirname(path)), join(dir, "blobs"), dir];
      expect(syncs(ack, emptied)).toEqual(
        expect.arrayContaining([path, ...folders, join(dir, "sessions", id, "registry.jsonl")]),
      );
    }),
);

/** Stores one small output, and is killed. */
const KILLED = STORING.replace('writeSync(1, "ACK', 'process.kill(process.pid, "SIGKILL"); writeSync(1, "').replace(
  '"BEGIN',
  'id + "',
);
const OPENING = `
  const { closeArchive, openArchive } = await import(${urlOf("../archive.ts")});
  const { testHost } = await import(${urlOf("../testing-archive.ts")});
  await closeArchive(await openArchive({ dir: process.argv[1], host: testHost(() => 1_700_000_000_000) }));
`;

test.skipIf(!hasStrace)("what a killed process left is synced when it is opened again, lines that are there too", () =>
  inFolder(async (base) => {
    const dir = join(base, "archive");
    const log = join(base, "strace.log");
    const run = (code: string): string[] => ["--input-type=module", "-e", code, dir];
    const env = { ...process.env, UV_THREADPOOL_SIZE: "1", NODE_NO_WARNINGS: "1" };
    const killed = spawnSync(process.execPath, run(KILLED), { encoding: "utf8", env });
    expect(killed.signal).toBe("SIGKILL");
    const id = /s_[0-9a-f]{16}/.exec(killed.stdout)![0];
    spawnSync("strace", ["-f", "-qq", "-y", "-o", log, "-e", "trace=fsync", process.execPath, ...run(OPENING)], {
      env,
    });
    const synced = readFileSync(log, "utf8").match(/(?<=fsync\(\d+<)[^>]+/g)!;
    const registry = join(dir, "sessions", id, "registry.jsonl");
    expect(synced).toEqual(
      expect.arrayContaining([registry, dirname(registry), join(dir, "sessions"), join(dir, "blobs"), dir]),
    );
    expect(synced.some((path) => /blobs\/..\/..\/[0-9a-f]{64}$/.test(path))).toBe(true);
  }),
);

test("what was removed on purpose does not come back from the table", () =>
  inFolder(async (base) => {
    const dir = join(base, "archive");
    const archive = await open(dir);
    const { id } = await createSession(archive, { id: "s" });
    const gone = await storeArtifact(archive, { session: id }, Buffer.from("a secret"));
    const kept = await storeArtifact(archive, { session: id }, Buffer.from("no secret"));
    await deleteArtifact(archive, gone.pointer);
    await collect(archive, { graceMs: -60_000 });
    expect(await archive.blobs.has(gone.digest)).toBe(false);
    kill(archive);
    const again = await open(dir);
    expect([await again.blobs.has(gone.digest), await again.blobs.has(kept.digest)]).toEqual([false, true]);
    await closeArchive(again);
  }));

/** Lets a sync of files fail once, and then no more. */
function failOnce(archive: Archive, code: string): void {
  const { sync } = archive.blobs;
  Object.assign(archive.blobs, {
    sync: async () => {
      Object.assign(archive.blobs, { sync });
      throw Object.assign(new Error("it failed"), { code });
    },
  });
}

test("what is committed is acknowledged when its registry takes no line, once, and the line comes later", () =>
  inFolder(async (base) =>
    withArchive(join(base, "archive"), async (archive) => {
      const { id } = await createSession(archive, { id: "s" });
      const registry = registryOf(archive, id);
      renameSync(registry, `${registry}.away`);
      mkdirSync(registry, { mode: 0o700 });
      const bytes = Buffer.from("a line of an output\n".repeat(1000));
      const result = await recordOutput(archive, { session: id, toolName: "bash", isError: false }, bytes);
      expect(result.artifact?.digest).toBe(sha256(bytes));
      expect(await archive.blobs.verify(sha256(bytes))).toBe("ok");
      const count = (table: string): unknown => archive.sqlite.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
      expect([count("offload_decisions"), count("artifacts"), count("journal")]).toEqual([1, 1, 1]);
      rmSync(registry, { recursive: true });
      renameSync(`${registry}.away`, registry);
      await archive.journal.settle();
      expect(rowsOf(archive)).toBe(0);
      expect(readFileSync(registry, "utf8")).toContain(result.artifact!.pointer);
      expect((await check(archive)).ok).toBe(true);
    }),
  ));

test("a put whose group is not committed leaves no file", () =>
  inFolder(async (base) =>
    withArchive(join(base, "archive"), async (archive) => {
      const { id } = await createSession(archive, { id: "s" });
      const kept = await storeArtifact(archive, { session: id }, Buffer.from("kept"));
      const { journal } = archive;
      Object.assign(journal, {
        add() {
          throw Object.assign(new Error("the disk is full"), { code: "SQLITE_FULL" });
        },
      });
      await expect(storeArtifact(archive, { session: id }, Buffer.from("gone"))).rejects.toThrow("full");
      await expect(storeArtifact(archive, { session: id }, Buffer.from("kept"))).rejects.toThrow("full");
      delete (journal as { add?: unknown }).add;
      expect(await archive.blobs.has(sha256(Buffer.from("gone")))).toBe(false);
      expect(await archive.blobs.verify(kept.digest)).toBe("ok");
    }),
  ));

test("after a sync that failed nothing is taken out of the table, and the next opening writes the file anew", () =>
  inFolder(async (base) => {
    const dir = join(base, "archive");
    const archive = await open(dir);
    const { id } = await createSession(archive, { id: "s" });
    const put = await storeArtifact(archive, { session: id }, Buffer.from("of which the disk lost the page"));
    const path = archive.blobs.path!(put.digest);
    const before = statSync(path).ino;
    failOnce(archive, "EIO");
    await archive.journal.settle();
    await archive.journal.settle();
    expect(rowsOf(archive)).toBe(1);
    await expect(storeArtifact(archive, { session: id }, Buffer.from("one more"))).rejects.toMatchObject({
      code: "EIO",
    });
    kill(archive);
    const again = await open(dir);
    expect([rowsOf(again), await again.blobs.verify(put.digest)]).toEqual([0, "ok"]);
    expect(statSync(path).ino).not.toBe(before);
    await closeArchive(again);
  }));

test("puts of next to nothing have a limit too", () =>
  inFolder((base) =>
    withArchive(join(base, "archive"), async (archive) => {
      const { id } = await createSession(archive, { id: "s" });
      const { journalBytes } = LIMITS;
      Object.assign(LIMITS, { journalBytes: 2000 });
      try {
        for (let i = 0; i < 30; i++) {
          await storeArtifact(archive, { session: id }, Buffer.alloc(i % 2));
          expect(rowsOf(archive)).toBeLessThan(10);
        }
      } finally {
        Object.assign(LIMITS, { journalBytes });
      }
    }),
  ));

test("nothing of a small artifact that was deleted is left in the database", () =>
  inFolder(async (base) => {
    const dir = join(base, "archive");
    await withArchive(dir, async (archive) => {
      const { id } = await createSession(archive, { id: "s" });
      const bytes = Buffer.from(`${"x".repeat(30_000)} the marker of a deleted text ${"y".repeat(10_000)}`);
      const put = await storeArtifact(archive, { session: id }, bytes);
      await archive.journal.settle();
      await deleteArtifact(archive, put.pointer);
      await collect(archive, { graceMs: -60_000 });
    });
    expect(readFileSync(join(dir, "archive.db")).includes("the marker of a deleted text")).toBe(false);
  }));

test("one blob without a place keeps nobody from the archive, and is made good when it has one", () =>
  inFolder(async (base) => {
    const dir = join(base, "archive");
    const archive = await open(dir);
    const { id } = await createSession(archive, { id: "s" });
    const [lost, other] = [
      await storeArtifact(archive, { session: id }, Buffer.from("lost")),
      await storeArtifact(archive, { session: id }, Buffer.from("other")),
    ];
    kill(archive);
    const folder = join(dir, "blobs", lost.digest.slice(0, 2));
    for (const { digest } of [lost, other]) rmSync(join(dir, "blobs", digest.slice(0, 2)), { recursive: true });
    writeFileSync(folder, "a file stands where the folder should", { mode: 0o600 });
    const again = await open(dir);
    expect([await again.blobs.verify(other.digest), rowsOf(again)]).toEqual(["ok", 1]);
    rmSync(folder);
    await storeArtifact(again, { session: id }, Buffer.from("one more"));
    await again.journal.settle();
    expect([await again.blobs.verify(lost.digest), rowsOf(again)]).toEqual(["ok", 0]);
    await closeArchive(again);
  }));

test("what a writing thread that ended left is not taken out before its files are synced", () =>
  inFolder(async (base) => {
    const dir = join(base, "archive");
    const archive = await open(dir);
    const { id } = await createSession(archive, { id: "s" });
    const put = await storeArtifact(archive, { session: id }, Buffer.from("of the first thread"));
    rmSync(archive.blobs.path!(put.digest));
    const worker = await openArchive({ dir, host: testHost(() => NOW), mode: "worker" });
    await storeArtifact(worker, { session: id }, Buffer.from("of the second"));
    await closeArchive(worker);
    expect([await archive.blobs.verify(put.digest), rowsOf(archive)]).toEqual(["ok", 0]);
    kill(archive);
  }));

test("of a group, only who brought what cannot be written is refused", () =>
  inFolder(async (base) =>
    withArchive(join(base, "archive"), async (archive) => {
      const { id } = await createSession(archive, { id: "s" });
      const bytes = Buffer.from("bytes whose folder is a file");
      mkdirSync(join(archive.dir, "blobs"), { mode: 0o700 });
      writeFileSync(join(archive.dir, "blobs", sha256(bytes).slice(0, 2)), "");
      const result = await Promise.allSettled(
        [bytes, Buffer.from("one"), Buffer.from("two")].map((one) => storeArtifact(archive, { session: id }, one)),
      );
      expect(result.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
      rmSync(join(archive.dir, "blobs", sha256(bytes).slice(0, 2)));
      await storeArtifact(archive, { session: id }, bytes);
      archive.blobs.close();
      expect(
        readdirSync(join(archive.dir, "blobs"), { recursive: true }).filter((name) => `${name}`.includes(".tmp-")),
      ).toEqual([]);
    }),
  ));
