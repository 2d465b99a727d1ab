// What was removed stays removed: through a kill between the commit and the end of its registry, and through a repair.
import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answer, asks, jsonl, prompt, result, SESSION } from "#lib/formats/claude-code/testing-claude.ts";
import { readRegistry } from "#lib/blobs/session-registry.ts";
import { closeArchive, openArchive } from "../archive.ts";
import { createSession } from "../artifacts/create-session.ts";
import { dropHeldWrite } from "../artifacts/drop-held.ts";
import { collect } from "../artifacts/gc.ts";
import { storeArtifact } from "../artifacts/store-artifact.ts";
import type { Archive } from "../base/archive-type.ts";
import { Batch } from "../base/batch.ts";
import { write } from "../base/write.ts";
import { importPaths } from "../import/import-paths.ts";
import { removeSource } from "../import/remove-source.ts";
import { removeSession } from "../sources/remove-session.ts";
import { inFolder, put, testHost } from "../testing-archive.ts";
import { check } from "./check-archive.ts";
import { rebuild } from "./rebuild-archive.ts";

const LINES = jsonl(
  prompt("p1", 0, "Read the log"),
  answer("a1", 1, "m1", asks("t1", "Bash", { command: "cat log" })),
  result("r1", 2, "t1", "a line of the log\n".repeat(600)),
);

const open = (dir: string): Promise<Archive> => openArchive({ dir, host: testHost() });
const idsOf = (archive: Archive): unknown[] => archive.sqlite.prepare("SELECT id FROM sessions").pluck().all();
const registryOf = (dir: string, id: string): string => join(dir, "sessions", id);

/** Ends as a kill does: nothing is settled, the lock and the database are let go. */
function kill(archive: Archive): void {
  Object.assign(archive.journal, { settle: async () => undefined });
  archive.sqlite.close();
  archive.lock!.close();
}

async function inOpened<T>(dir: string, run: (archive: Archive) => Promise<T>): Promise<T> {
  const archive = await open(dir);
  try {
    return await run(archive);
  } finally {
    await closeArchive(archive);
  }
}

async function importOne(archive: Archive, base: string): Promise<string> {
  const { files } = await importPaths(archive, [put(join(base, "logs"), `${SESSION}.jsonl`, LINES)]);
  return files[0]!.sessions[0]!;
}

test("a session that was removed does not come back where a kill left its registry, and its bytes go", () =>
  inFolder(async (base) => {
    const dir = join(base, "archive");
    const archive = await open(dir);
    const id = await importOne(archive, base);
    cpSync(registryOf(dir, id), join(base, "registry"), { recursive: true });
    await removeSession(archive, id);
    kill(archive);
    // The commit was there, and the process ended before its next call.
    cpSync(join(base, "registry"), registryOf(dir, id), { recursive: true });
    await inOpened(dir, async (again) => {
      expect(existsSync(registryOf(dir, id))).toBe(false);
      expect(await collect(again, { graceMs: 0 })).toMatchObject({ blobs: 1, guarded: 0 });
      await rebuild(again);
      expect(idsOf(again)).toEqual([]);
      expect((await check(again)).problems).toEqual([]);
    });
  }));

test("one that was read again since keeps its registry", () =>
  inFolder(async (base) => {
    const dir = join(base, "archive");
    const archive = await open(dir);
    const id = await importOne(archive, base);
    await removeSession(archive, id);
    await importPaths(archive, [join(base, "logs", `${SESSION}.jsonl`)]);
    kill(archive);
    await inOpened(dir, async (again) => {
      expect(idsOf(again)).toEqual([id]);
      expect((await check(again)).problems).toEqual([]);
    });
  }));

test("a copy of a held session that was dropped leaves no lines that a kill brings back", () =>
  inFolder(async (base) => {
    const dir = join(base, "archive");
    const archive = await open(dir);
    const { id } = await createSession(archive, { id: "s" });
    await storeArtifact(archive, { session: id }, Buffer.from("a small output"));
    await write(archive, dropHeldWrite, { sessionId: id });
    kill(archive);
    await inOpened(dir, async (again) => {
      expect(existsSync(registryOf(dir, id))).toBe(false);
      await rebuild(again);
      expect(idsOf(again)).toEqual([]);
    });
  }));

test("a session that is removed while its rows are repaired stays removed", () =>
  inFolder((base) =>
    inOpened(join(base, "archive"), async (archive) => {
      const id = await importOne(archive, base);
      archive.sqlite.exec("DELETE FROM artifacts");
      const { verify } = archive.blobs;
      let removing: Promise<unknown> | null = null;
      Object.assign(archive.blobs, {
        verify: async (digest: string) => {
          const state = await verify(digest);
          // Not in the check before it.
          if (new Error().stack?.includes("rebuild-rows") === true) await (removing ??= removeSession(archive, id));
          return state;
        },
      });
      await rebuild(archive);
      expect(removing).not.toBeNull();
      expect(idsOf(archive)).toEqual([]);
    }),
  ));

test("an id that another session has by the end of the batch keeps the lines of that one", () =>
  inFolder((base) =>
    inOpened(join(base, "archive"), async (archive) => {
      const id = await importOne(archive, base);
      const batch = new Batch(archive);
      batch.begin();
      removeSource(archive, batch, join(base, "logs", `${SESSION}.jsonl`));
      batch.register(id, { op: "session", nativeId: `claude-code:${SESSION}` });
      await batch.commit();
      const lines = await Array.fromAsync(readRegistry(archive.dir, id));
      expect(lines.map(({ value }) => value?.["op"])).toEqual(["session"]);
    }),
  ));
