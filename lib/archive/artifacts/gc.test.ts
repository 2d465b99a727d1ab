// What should go goes, and nothing else: tombstones, expiry, bytes that nothing names.
import { existsSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { answer, asks, jsonl, prompt, result, SESSION } from "#lib/formats/claude-code/testing-claude.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Archive } from "../base/archive-type.ts";
import { check } from "../upkeep/check-archive.ts";
import { countSession } from "../load/count-tokens.ts";
import { exportSession } from "../sessions/export-session.ts";
import { getEvent } from "../sessions/list-events.ts";
import { importPaths } from "../import/import-paths.ts";
import { readText } from "./whole-text.ts";
import { inArchive, inFolder, NOW, put, testHost, withArchive } from "../testing-archive.ts";
import { write } from "../base/write.ts";
import { createSession } from "./create-session.ts";
import { deleteArtifact, deletePreview } from "./delete-artifact.ts";
import { collect } from "./gc.ts";
import { saveRetention } from "./retention.ts";
import { readStats } from "./stats.ts";
import { recordOutput } from "./record-output.ts";
import { storeArtifact, type StoreInput } from "./store-artifact.ts";
import { closeTurnWrite } from "./turns.ts";

/** No grace: what nothing names may go at once. */
const now = (archive: Archive, more = {}) => collect(archive, { graceMs: -60_000, ...more });

const pathOf = (archive: Archive, digest: string): string => archive.blobs.path!(digest);

const code = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "resolved",
    (error: unknown) => (isAppError(error) ? error.code : String(error)),
  );

/** An archive under a clock that a test sets. */
const withClock = (run: (archive: Archive, clock: { now: number }) => Promise<void>): Promise<void> =>
  inFolder((dir) => {
    const clock = { now: NOW };
    return withArchive(
      join(dir, "archive"),
      (archive) => run(archive, clock),
      testHost(() => clock.now),
    );
  });

const store = (archive: Archive, text: string, input: Partial<StoreInput> = {}) =>
  storeArtifact(archive, { session: "plimsoll:s", ...input }, Buffer.from(text));

describe("deleting", () => {
  test("leaves a tombstone that says what was there, and answers the same when asked again", () =>
    withClock(async (archive, clock) => {
      await createSession(archive, { id: "s" });
      const { pointer } = await store(archive, "secret text", { name: "notes", toolName: "bash" });
      clock.now += 5000;
      const gone = await deleteArtifact(archive, pointer);
      expect(gone).toMatchObject({
        pointer,
        name: "notes",
        toolName: "bash",
        sizeBytes: 11,
        state: "deleted",
        why: "deleted",
        createdAt: new Date(NOW).toISOString(),
        at: new Date(NOW + 5000).toISOString(),
      });
      clock.now += 5000;
      expect(await deleteArtifact(archive, pointer)).toEqual(gone);
      const row = archive.sqlite.prepare("SELECT preview FROM artifacts WHERE pointer = ?").get(pointer);
      expect(row).toEqual({ preview: null });
      expect(await check(archive)).toMatchObject({ ok: true });
    }));

  test("frees the bytes when the last artifact of a content is gone, after the grace", () =>
    withClock(async (archive) => {
      await createSession(archive, { id: "s" });
      const one = await store(archive, "shared");
      const two = await store(archive, "shared");
      await deleteArtifact(archive, one.pointer);
      expect(await now(archive)).toMatchObject({ blobs: 0, bytes: 0 });
      expect(await readText(archive, two.pointer)).toBe("shared");
      await deleteArtifact(archive, two.pointer);
      expect(await collect(archive)).toMatchObject({ blobs: 0, spared: 1 });
      const old = new Date(Date.now() - LIMITS.gcGraceMs - 1000);
      utimesSync(pathOf(archive, one.digest), old, old);
      expect(await collect(archive)).toMatchObject({ blobs: 1, bytes: 6 });
      expect(existsSync(pathOf(archive, one.digest))).toBe(false);
      expect(await check(archive)).toMatchObject({ ok: true });
      expect((await store(archive, "shared")).digest).toBe(one.digest);
      expect(await readStats(archive)).toMatchObject({ artifacts: 1, blobs: 1, tombstones: { deleted: 2 } });
    }));

  test("is told before: who shares the bytes, whether the file has the text, who points to it", () =>
    inArchive(async (archive, logs) => {
      await createSession(archive, { id: "s" });
      const text = "line of a log\n".repeat(1000);
      const kept = await recordOutput(
        archive,
        { session: "plimsoll:s", toolName: "bash", toolCallId: "c", isError: false },
        Buffer.from(text),
      );
      const { pointer } = kept.artifact!;
      expect(await deletePreview(archive, pointer)).toMatchObject({
        sharedBy: 0,
        bytesGo: true,
        inSource: null,
        places: [{ seq: kept.seq, isText: false }],
      });
      put(
        logs,
        `${SESSION}.jsonl`,
        jsonl(prompt("p", 0, "Go"), answer("a", 1, "x", asks("t", "Read", {})), result("r", 2, "t", text)),
      );
      await importPaths(archive, [logs]);
      const imported = archive.sqlite
        .prepare("SELECT pointer FROM artifacts WHERE origin = 'imported'")
        .pluck()
        .get() as string;
      expect(await deletePreview(archive, imported)).toMatchObject({
        sharedBy: 1,
        bytesGo: false,
        inSource: { path: join(logs, `${SESSION}.jsonl`), isOnDisk: true },
      });
    }));

  test("outlives an import of the same source", () =>
    inArchive(async (archive, logs) => {
      const path = put(
        logs,
        `${SESSION}.jsonl`,
        jsonl(
          prompt("p", 0, "Go"),
          answer("a", 1, "x", asks("t", "Read", {})),
          result("r", 2, "t", "text\n".repeat(2000)),
        ),
      );
      await importPaths(archive, [logs]);
      const pointer = archive.sqlite.prepare("SELECT pointer FROM artifacts").pluck().get() as string;
      await deleteArtifact(archive, pointer);
      await now(archive);
      // Changed at its beginning, so that all of it is read again.
      writeFileSync(
        path,
        ` ${jsonl(prompt("p", 0, "Go on"), answer("a", 1, "x", asks("t", "Read", {})), result("r", 2, "t", "text\n".repeat(2000)))}`,
      );
      await importPaths(archive, [logs]);
      const row = archive.sqlite.prepare("SELECT deleted_why AS why FROM artifacts WHERE pointer = ?").get(pointer);
      expect(row).toEqual({ why: "deleted" });
      expect(await code(readText(archive, pointer))).toBe("not_found");
      // What reads the session goes on without it.
      const event = await getEvent(archive, SESSION, 3);
      expect(event).toMatchObject({ type: "tool_result" });
      expect(event.text?.length).toBeLessThan(4096);
      const pk = archive.sqlite.prepare("SELECT pk FROM sessions WHERE held = 0").pluck().get() as number;
      await countSession(archive, pk);
      for await (const line of exportSession(archive, SESSION)) expect(line.length).toBeLessThan(4096);
      // The import staged the bytes again; the sweep takes them again.
      expect(await now(archive)).toMatchObject({ blobs: 1 });
      expect(await check(archive)).toMatchObject({ ok: true });
    }));
});

describe("expiry", () => {
  test("counts at once for a reader, and ends a row when it is swept", () =>
    withClock(async (archive, clock) => {
      await createSession(archive, { id: "s" });
      const { pointer, digest } = await store(archive, "short-lived", { ttlSeconds: 3600 });
      clock.now = NOW + 3_599_999;
      expect(await readText(archive, pointer)).toBe("short-lived");
      expect(await now(archive)).toMatchObject({ expired: 0 });
      clock.now = NOW + 3_600_000;
      expect(await code(readText(archive, pointer))).toBe("not_found");
      expect(await now(archive, { dryRun: true })).toMatchObject({ expired: 1, blobs: 1, bytes: 11, dryRun: true });
      expect(existsSync(pathOf(archive, digest))).toBe(true);
      expect(await now(archive)).toMatchObject({ expired: 1, blobs: 1, bytes: 11 });
      expect(await deleteArtifact(archive, pointer)).toMatchObject({ state: "expired", why: "expired" });
      // Gone is gone: a clock that goes back does not bring it back.
      clock.now = NOW;
      expect(await code(readText(archive, pointer))).toBe("not_found");
    }));

  test("of one artifact leaves the bytes of a twin that lives on", () =>
    withClock(async (archive, clock) => {
      await createSession(archive, { id: "s" });
      await store(archive, "twins", { ttlSeconds: 1 });
      const live = await store(archive, "twins");
      clock.now += 10_000;
      expect(await now(archive)).toMatchObject({ expired: 1, blobs: 0 });
      expect(await readText(archive, live.pointer)).toBe("twins");
    }));
});

describe("bytes without a row", () => {
  test("are removed when they are old, and spared when somebody may be about to name them", () =>
    withClock(async (archive) => {
      archive.blobs.stage(Buffer.from("nobody's"));
      await archive.blobs.flush();
      expect(await collect(archive)).toMatchObject({ orphans: 0, spared: 1 });
      expect(await now(archive, { walk: false })).toMatchObject({ orphans: 0 });
      expect(await now(archive)).toMatchObject({ orphans: 1, bytes: 8 });
      const left: string[] = [];
      for await (const digest of archive.blobs.list()) left.push(digest);
      expect(left).toEqual([]);
    }));

  test("stay while the registry of a session that the database does not know names them", () =>
    inFolder(async (dir) => {
      const folder = join(dir, "archive");
      const stored = await withArchive(folder, async (archive) => {
        await createSession(archive, { id: "s" });
        return store(archive, "the only copy");
      });
      for (const name of readdirSync(folder)) if (name.startsWith("archive.db")) put(folder, name, "");
      await withArchive(folder, async (archive) => {
        expect(await now(archive)).toMatchObject({ orphans: 0, guarded: 1 });
        expect(existsSync(pathOf(archive, stored.digest))).toBe(true);
      });
    }));

  test("are not left by a put that is refused, and a twin that is under way keeps them", () =>
    withClock(async (archive) => {
      const big = await createSession(archive, { id: "s" });
      const files = (): string[] =>
        readdirSync(join(archive.dir, "blobs"), { recursive: true, encoding: "utf8" }).filter((name) =>
          /[0-9a-f]{64}$/.test(name),
        );
      await saveRetention(archive, {
        maxAgeDays: null,
        maxBytes: null,
        keepNamed: true,
        sessionBytes: 100_000,
        archiveBytes: null,
      });
      async function* stream(size: number): AsyncGenerator<Uint8Array> {
        for (let sent = 0; sent < size; sent += 50_000) yield Buffer.alloc(Math.min(50_000, size - sent), "x");
      }
      expect(await code(storeArtifact(archive, { session: big.id }, stream(200_000)))).toBe("too_large");
      expect(files()).toEqual([]);
      const other = await createSession(archive, { id: "other" });
      await saveRetention(archive, {
        maxAgeDays: null,
        maxBytes: null,
        keepNamed: true,
        sessionBytes: null,
        archiveBytes: null,
      });
      // The same bytes, one put to a turn that closes meanwhile, one to another session.
      const [late, kept] = await Promise.all([
        (async () => {
          const answered = recordOutput(
            archive,
            { session: big.id, toolName: "bash", turn: 3, isError: false },
            stream(300_000),
          );
          await write(archive, closeTurnWrite, { sessionId: big.id, turn: 3 });
          return answered;
        })(),
        storeArtifact(archive, { session: other.id }, stream(300_000)),
      ]);
      expect(late).toMatchObject({ decision: { action: "drop" }, artifact: null });
      expect(await archive.blobs.verify(kept.digest)).toBe("ok");
      expect(files()).toHaveLength(1);
      const refused = await recordOutput(
        archive,
        { session: big.id, toolName: "bash", turn: 3, isError: false },
        stream(400_000),
      );
      expect(refused.decision).toMatchObject({ action: "drop", gate: "late" });
      expect(files()).toHaveLength(1);
    }));
});
