// What is stored stays: as long as its session, through a new start, under its name and under its pointer.
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAppError } from "#lib/kernel/errors.ts";
import { check } from "../upkeep/check-archive.ts";
import { readText } from "./whole-text.ts";
import { inArchive, inFolder, NOW, testHost, withArchive } from "../testing-archive.ts";
import { createSession } from "./create-session.ts";
import { deleteArtifact } from "./delete-artifact.ts";
import { deleteSessionArtifacts, endPreview } from "./end-session.ts";
import { collect } from "./gc.ts";
import { readStats } from "./stats.ts";
import { storeArtifact } from "./store-artifact.ts";

const YEARS = 10 * 365 * 86_400_000;

test("an artifact without a time of its own stays as long as its session, and through every new start", () =>
  inFolder(async (dir) => {
    const clock = { now: NOW };
    const open = <T>(work: Parameters<typeof withArchive<T>>[1]): Promise<T> =>
      withArchive(
        join(dir, "archive"),
        work,
        testHost(() => clock.now),
      );
    const pointer = await open(async (archive) => {
      await createSession(archive, { id: "s" });
      return (await storeArtifact(archive, { session: "plimsoll:s", name: "log" }, Buffer.from("for long"))).pointer;
    });
    for (let start = 0; start < 3; start++) {
      clock.now += YEARS;
      await open(async (archive) => {
        expect(await collect(archive, { graceMs: -60_000 })).toMatchObject({
          expired: 0,
          swept: 0,
          blobs: 0,
          orphans: 0,
        });
        expect(await readText(archive, pointer)).toBe("for long");
      });
    }
  }));

test("the latest artifact of a name is found by it, the ones before by their pointers, and the history says when", () =>
  inArchive(async (archive) => {
    const { id } = await createSession(archive, { id: "s" });
    const pointers: string[] = [];
    for (const text of ["first", "second", "third"])
      pointers.push((await storeArtifact(archive, { session: id, name: "notes" }, Buffer.from(text))).pointer);
    expect(await readText(archive, `${id}/notes`)).toBe("third");
    expect(await Promise.all(pointers.map((pointer) => readText(archive, pointer)))).toEqual([
      "first",
      "second",
      "third",
    ]);
    await deleteArtifact(archive, pointers[0]!);
    const history = archive.sqlite
      .prepare("SELECT pointer FROM artifact_names WHERE name = 'notes' ORDER BY pk")
      .pluck();
    expect(history.all()).toEqual(pointers);
  }));

test("ending the artifacts of one session leaves those of another, and bytes that it shares", () =>
  inArchive(async (archive) => {
    const [one, other] = [await createSession(archive, { id: "one" }), await createSession(archive, { id: "other" })];
    for (let i = 0; i < 3; i++) await storeArtifact(archive, { session: one.id }, Buffer.from(`content ${i}`));
    const kept = await storeArtifact(archive, { session: other.id }, Buffer.from("content 1"));
    archive.blobs.stage(Buffer.from("nobody's"));
    await archive.blobs.flush();
    expect(await deleteSessionArtifacts(archive, one.id)).toEqual({ sessionId: one.id, removed: 3 });
    expect(await deleteSessionArtifacts(archive, "one")).toEqual({ sessionId: one.id, removed: 0 });
    expect(await collect(archive, { graceMs: -60_000 })).toMatchObject({ blobs: 2, orphans: 1 });
    expect(await readText(archive, kept.pointer)).toBe("content 1");
    expect(await readStats(archive)).toMatchObject({ artifacts: 1, physicalBytes: 9, tombstones: { deleted: 3 } });
    expect(await check(archive)).toMatchObject({ ok: true });
    archive.sqlite.exec(
      "INSERT INTO sessions (id, native_id, format) VALUES ('s_0123456789abcdef', 'codex:x', 'codex')",
    );
    const refused = await deleteSessionArtifacts(archive, "s_0123456789abcdef").catch((error: unknown) => error);
    expect(isAppError(refused) && refused.code).toBe("conflict");
  }));

test("before a session ends it is told what goes: counts, bytes that nothing else has, and what has a name", () =>
  inArchive(async (archive) => {
    const [one, other] = [await createSession(archive, { id: "one" }), await createSession(archive, { id: "other" })];
    await storeArtifact(archive, { session: one.id, name: "plan" }, Buffer.from("12345678"));
    for (const session of [one.id, other.id]) await storeArtifact(archive, { session }, Buffer.from("shared"));
    await storeArtifact(archive, { session: one.id, toolName: "bash" }, Buffer.from("12345678"));
    const before = endPreview(archive, "one");
    expect(before).toMatchObject({ sessionId: one.id, artifacts: 3, sizeBytes: 22, freedBytes: 8, namedTotal: 1 });
    expect(before.named).toMatchObject([{ name: "plan", sizeBytes: 8 }]);
    // It changed nothing.
    expect(endPreview(archive, "one")).toEqual(before);
    expect(await deleteSessionArtifacts(archive, "one")).toMatchObject({ removed: before.artifacts });
    expect(await collect(archive, { graceMs: -60_000 })).toMatchObject({ bytes: before.freedBytes });
    expect(endPreview(archive, "one")).toMatchObject({ artifacts: 0, sizeBytes: 0, freedBytes: 0, named: [] });
  }));

test("the same bytes stored again are one blob, each storing with its own name, tool and time", () =>
  inArchive(async (archive) => {
    const { id } = await createSession(archive, { id: "s" });
    const bytes = Buffer.from("the same");
    const first = await storeArtifact(archive, { session: id, name: "a", toolName: "bash", ttlSeconds: 60 }, bytes);
    const second = await storeArtifact(archive, { session: id, name: "b", toolName: "read" }, bytes);
    expect(second).toMatchObject({
      digest: first.digest,
      artifactId: first.artifactId,
      name: "b",
      toolName: "read",
      expiresAt: null,
    });
    expect(first.expiresAt).toBe(new Date(NOW + 60_000).toISOString());
    expect(await readStats(archive)).toMatchObject({
      blobs: 1,
      artifacts: 2,
      physicalBytes: 8,
      logicalBytes: 16,
      savedBytes: 8,
    });
  }));
