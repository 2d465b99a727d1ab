// A session out of one archive and into another: the same there, once, whatever is there already.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answer, asks, jsonl, prompt, result, SESSION } from "#lib/formats/claude-code/testing-claude.ts";
import { closeTurn, createSession } from "../artifacts/create-session.ts";
import { deleteArtifact } from "../artifacts/delete-artifact.ts";
import { recordOutput } from "../artifacts/record-output.ts";
import { storeArtifact } from "../artifacts/store-artifact.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { compactSession, undoCompaction } from "../memory/compact.ts";
import { changeMemory, memoryOf } from "../memory/session-memory.ts";
import { request, tellTurns } from "../memory/testing-run.ts";
import { listEvents } from "../sessions/list-events.ts";
import { removeSession } from "../sources/remove-session.ts";
import { inFolder, put, withArchive } from "../testing-archive.ts";
import { check } from "../upkeep/check-archive.ts";
import { rebuild } from "../upkeep/rebuild-archive.ts";
import { importAll } from "./import-all.ts";
import { importBundle } from "./import-bundle.ts";
import { differences, stateOf, viewsOf, writeBundleFile } from "./testing-bundle.ts";
import { bundleBytes, planBundle } from "./write-bundle.ts";

const NAME = `${SESSION}.jsonl`;

const steps = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => from + i)
    .map((n) =>
      jsonl(
        prompt(`p${n}`, n * 10, `Step ${n}`),
        answer(`a${n}`, n * 10 + 1, `${n}`, asks(`t${n}`, "Bash", { command: `run ${n}` })),
        result(`r${n}`, n * 10 + 2, `t${n}`, `output ${n}\n`.repeat(600)),
      ),
    )
    .join("");

const sha = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

/** Runs with two archives and a folder; the first has what `fill` puts in. */
const inTwo = (
  fill: (from: Archive, dir: string) => Promise<string>,
  run: (sides: { from: Archive; to: Archive; dir: string; id: string; path: string }) => Promise<void>,
): Promise<void> =>
  inFolder((dir) =>
    withArchive(join(dir, "from"), async (from) => {
      const id = await fill(from, dir);
      const path = await writeBundleFile(from, id, join(dir, "bundle.zip"));
      await withArchive(join(dir, "to"), (to) => run({ from, to, dir, id, path }));
    }),
  );

async function expectSame(from: Archive, to: Archive, id: string): Promise<void> {
  const family = planBundle(from, id).manifest.sessions.map((one) => one.id);
  expect(differences(stateOf(from, family), stateOf(to, family))).toEqual([]);
  for (const one of family) expect(differences(await viewsOf(from, one), await viewsOf(to, one))).toEqual([]);
  expect((await check(to)).problems).toEqual([]);
}

async function held(archive: Archive): Promise<string> {
  const { id } = await createSession(archive, { id: "run", title: "Harbour", model: "claude-synthetic" });
  await tellTurns(archive, id, 6);
  await recordOutput(
    archive,
    { session: id, toolCallId: "t9", toolName: "bash", isError: false },
    Buffer.from("tide\n".repeat(5000)),
  );
  await storeArtifact(
    archive,
    { session: id, name: "chart", description: "The tides" },
    Buffer.from("tides ".repeat(900)),
  );
  await storeArtifact(archive, { session: id, name: "chart" }, Buffer.from([0, 1, 2, 255]));
  await closeTurn(archive, id, 1);
  const first = await compactSession(archive, id, request({ tail: 2 }));
  await undoCompaction(archive, first.id!);
  await compactSession(archive, id, request({ tail: 3 }));
  const { items } = await memoryOf(archive, id);
  await changeMemory(
    archive,
    id,
    { do: "pin", id: items.find((one) => one.deletedAt === null)!.id },
    { by: "person", who: "me" },
  );
  return id;
}

test("a session without a file: its whole log, memory, names and undo", () =>
  inTwo(held, async ({ from, to, id, path, dir }) => {
    expect(await importBundle(to, path)).toMatchObject({ status: "imported", sessions: [id] });
    await expectSame(from, to, id);
    expect(await importBundle(to, path)).toMatchObject({ status: "unchanged", events: 0 });
    expect(sha(await writeBundleFile(to, id, join(dir, "again.zip")))).toBe(sha(path));
    // It goes on there, and its rows come back from its registry.
    await tellTurns(to, id, 1).catch(() => undefined);
    await createSession(to, { id: "run" });
    await storeArtifact(to, { session: id, name: "chart" }, Buffer.from("later"));
    expect(await importBundle(to, path)).toMatchObject({ status: "unchanged", reason: expect.stringMatching(/kept/) });
    expect((await rebuild(to)).ok).toBe(true);
  }));

async function files(archive: Archive, dir: string): Promise<string> {
  const path = put(join(dir, "logs"), NAME, steps(0, 8));
  await importPaths(archive, [path]);
  // Rewritten: the first steps are an earlier version now.
  writeFileSync(path, steps(5, 12));
  await importPaths(archive, [path]);
  const id = archive.sqlite.prepare("SELECT id FROM sessions WHERE earlier IS NULL").pluck().get() as string;
  const { id: plan } = await compactSession(archive, id, request({ tail: 2 }));
  expect(plan).not.toBeNull();
  const pointer = archive.sqlite
    .prepare("SELECT pointer FROM artifacts a JOIN sessions s ON s.pk = a.session_pk WHERE s.id = ? LIMIT 1")
    .pluck()
    .get(id) as string;
  await deleteArtifact(archive, pointer);
  return id;
}

test("a session with its file, an earlier version of it, a plan and a deleted output", () =>
  inTwo(files, async ({ from, to, id, path, dir }) => {
    const { manifest } = planBundle(from, id);
    expect(manifest.files.map(({ earlier }) => earlier)).toEqual([null, 1]);
    expect(await importBundle(to, path)).toMatchObject({ status: "imported" });
    await expectSame(from, to, id);
    const before = stateOf(to, [id]);
    expect(await importBundle(to, path)).toMatchObject({ status: "unchanged" });
    expect(differences(before, stateOf(to, [id]))).toEqual([]);
    expect(sha(await writeBundleFile(to, id, join(dir, "again.zip")))).toBe(sha(path));
  }));

const plain = async (archive: Archive, dir: string): Promise<string> => {
  const { files: read } = await importPaths(archive, [put(join(dir, "logs"), NAME, steps(0, 8))]);
  const id = read[0]!.sessions[0]!;
  await compactSession(archive, id, request({ tail: 2 }));
  return id;
};

test("where the file was read already there is one session, with the plan of the bundle", () =>
  inTwo(plain, async ({ from, to, id, path, dir }) => {
    await importPaths(to, [join(dir, "logs")]);
    expect((await memoryOf(to, id)).compactions).toHaveLength(0);
    await importBundle(to, path);
    await expectSame(from, to, id);
    expect(to.sqlite.prepare("SELECT count(*) FROM sources").pluck().get()).toBe(1);
  }));

test("where the file is read later, or went on, there is one session too", () =>
  inTwo(plain, async ({ to, id, path, dir }) => {
    await importBundle(to, path);
    writeFileSync(join(dir, "logs", NAME), steps(0, 10));
    await importPaths(to, [join(dir, "logs")]);
    expect(to.sqlite.prepare("SELECT id, next_seq > 30 AS isLong FROM sessions").all()).toEqual([{ id, isLong: 1 }]);
    expect((await memoryOf(to, id)).compactions).toHaveLength(1);
    expect(await importBundle(to, path)).toMatchObject({ status: "unchanged" });
    expect(to.sqlite.prepare("SELECT count(*) FROM sessions").pluck().get()).toBe(1);
  }));

test("a later bundle of the same session takes the place of the earlier one", () =>
  inTwo(plain, async ({ from, to, id, path, dir }) => {
    await importBundle(to, path);
    writeFileSync(join(dir, "logs", NAME), steps(0, 12));
    await importPaths(from, [join(dir, "logs")]);
    const later = await writeBundleFile(from, id, join(dir, "later.zip"));
    expect(await importBundle(to, later)).toMatchObject({ status: "imported" });
    await expectSame(from, to, id);
    // The earlier one brings nothing back.
    expect(await importBundle(to, path)).toMatchObject({ status: "unchanged" });
    await expectSame(from, to, id);
  }));

test("a session that was removed comes back whole from the same bundle, and from a later one", () =>
  inTwo(plain, async ({ from, to, id, path, dir }) => {
    for (const bundle of [path, path]) {
      expect(await importBundle(to, bundle)).toMatchObject({ status: "imported", sessions: [id] });
      await expectSame(from, to, id);
      await removeSession(to, id);
      expect(to.sqlite.prepare("SELECT count(*) FROM sessions").pluck().get()).toBe(0);
    }
    writeFileSync(join(dir, "logs", NAME), steps(0, 12));
    await importPaths(from, [join(dir, "logs")]);
    await importBundle(to, await writeBundleFile(from, id, join(dir, "later.zip")));
    await expectSame(from, to, id);
    expect((await rebuild(to)).ok).toBe(true);
  }));

test("paths in a bundled session open no file of this machine", () =>
  inFolder((dir) =>
    withArchive(join(dir, "from"), async (from) => {
      const secret = put(join(dir, "logs"), "tool-results/secret.txt", "the secret of this machine\n".repeat(300));
      const preview = `<persisted-output>\nOutput too large (9KB). Full output saved to: ${secret}\n\nPreview (first 2KB):\nnothing\n</persisted-output>`;
      const log = put(
        join(dir, "logs"),
        NAME,
        jsonl(
          prompt("p1", 0, "Read it"),
          answer("a1", 1, "m1", asks("t1", "Bash", { command: "cat" })),
          result("r1", 2, "t1", preview),
        ),
      );
      // Read where the file is not there: the bundle does not have it.
      const hidden = readFileSync(secret);
      writeFileSync(secret, "");
      const { files: read } = await importPaths(from, [log]);
      const path = await writeBundleFile(from, read[0]!.sessions[0]!, join(dir, "bundle.zip"));
      writeFileSync(secret, hidden);
      await withArchive(join(dir, "to"), async (to) => {
        await importAll(to, [path]);
        const { events } = await listEvents(to, read[0]!.sessions[0]!, { limit: 50 } as never);
        expect(JSON.stringify(events)).not.toContain("the secret of this machine");
        expect(to.sqlite.prepare("SELECT count(*) FROM artifacts").pluck().get()).toBe(0);
      });
    }),
  ));

test("a session that an import takes away while its bundle is written ends the bundle, and nothing else", () =>
  inFolder((dir) =>
    withArchive(join(dir, "archive"), async (archive) => {
      put(join(dir, "logs"), NAME, steps(0, 3));
      await importPaths(archive, [join(dir, "logs")]);
      const plan = planBundle(archive, archive.sqlite.prepare("SELECT id FROM sessions").pluck().get() as string);
      archive.sqlite.exec("DELETE FROM sessions");
      await expect(Array.fromAsync(bundleBytes(plan))).rejects.toThrow();
    }),
  ));

test("a bundled session that is removed leaves no row and no note: a node takes out and fetches thousands of them", () =>
  inTwo(
    async (from, dir) => {
      put(join(dir, "logs"), NAME, steps(0, 3));
      return (await importPaths(from, [join(dir, "logs")])).files[0]!.sessions[0]!;
    },
    async ({ to, id, path }) => {
      for (let round = 0; round < 2; round++) {
        await importAll(to, [path]);
        await removeSession(to, id);
        expect(to.sqlite.prepare("SELECT count(*) FROM sources").pluck().get()).toBe(0);
        expect(to.sqlite.prepare("SELECT value FROM settings WHERE key = 'sources.removed'").pluck().get()).toBe(
          undefined,
        );
      }
      await importAll(to, [path]);
      expect(to.sqlite.prepare("SELECT id FROM sessions").pluck().all()).toEqual([id]);
      expect((await check(to)).problems).toEqual([]);
    },
  ));
