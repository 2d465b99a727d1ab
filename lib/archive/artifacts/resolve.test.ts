import { describe, expect, test } from "vitest";
import { isAppError } from "#lib/kernel/errors.ts";
import { inArchive, testHost, withArchive, inFolder, NOW } from "../testing-archive.ts";
import type { Archive } from "../base/archive-type.ts";
import { createSession } from "./create-session.ts";
import { goneText, resolveArtifact, scopeOf, stateOf, tryResolve } from "./resolve.ts";
import { storeArtifact } from "./store-artifact.ts";

const put = (archive: Archive, session: string, text: string, name?: string) =>
  storeArtifact(archive, { session, ...(name !== undefined && { name }) }, Buffer.from(text));

const inSessions = (run: (archive: Archive) => Promise<void>): Promise<void> =>
  inArchive(async (archive) => {
    await createSession(archive, { id: "a" });
    await createSession(archive, { id: "b" });
    await run(archive);
  });

describe("a reference", () => {
  test("by pointer names one storing, by content the newest of it in the session", () =>
    inSessions(async (archive) => {
      const first = await put(archive, "a", "same");
      const second = await put(archive, "a", "same");
      const theirs = await put(archive, "b", "same");
      const scope = scopeOf(archive, "a");
      for (const one of [first, second]) expect(resolveArtifact(archive, one.pointer, scope).pointer).toBe(one.pointer);
      for (const ref of [first.artifactId, `art:${first.artifactId}`, `sha256:${first.digest}`])
        expect(resolveArtifact(archive, ref, scope).pointer).toBe(second.pointer);
      expect(resolveArtifact(archive, first.artifactId, scopeOf(archive, "b")).pointer).toBe(theirs.pointer);
    }));

  test("by name is the latest binding, and the one before stays under its pointer", () =>
    inSessions(async (archive) => {
      const old = await put(archive, "a", "one", "log");
      const young = await put(archive, "a", "two", "log");
      const scope = scopeOf(archive, "a");
      expect(resolveArtifact(archive, "log", scope).pointer).toBe(young.pointer);
      expect(resolveArtifact(archive, old.pointer, scope).pointer).toBe(old.pointer);
    }));

  test("by session and name takes every name of a session that a command takes", () =>
    inArchive(async (archive) => {
      const { id } = await createSession(archive, { id: "team/my-run", title: "Tide tables" });
      await createSession(archive, { id: "team/my-other" });
      const { pointer } = await put(archive, id, "calm", "logs/build.log");
      for (const session of [id, id.slice(0, 18), "plimsoll:team/my-run", "team/my-run", "team/my-r", "tide-tables"])
        expect(resolveArtifact(archive, `${session}/logs/build.log`).pointer, session).toBe(pointer);
      expect(tryResolve(archive, "team/my-run/other.log", { sessionPk: null })).toBeNull();
      expect(tryResolve(archive, "/logs/build.log", { sessionPk: null })).toBeNull();
      expect(() => resolveArtifact(archive, "team/my/logs/build.log")).toThrow("begins 2 sessions");
    }));

  test("that begins with art: is a pointer, whatever has that name", () =>
    inSessions(async (archive) => {
      await put(archive, "a", "x", "art:mine");
      expect(tryResolve(archive, "art:mine", scopeOf(archive, "a"))).toBeNull();
    }));

  test("that is a path inside the archive leads to what its last part names, for those who may see it", () =>
    inSessions(async (archive) => {
      const stored = await put(archive, "a", "x");
      const paths = [archive.blobs.path!(stored.digest), `${archive.dir}/sessions/a/${stored.artifactId}.txt`];
      for (const path of paths) {
        expect(resolveArtifact(archive, path, scopeOf(archive, "a")).pointer).toBe(stored.pointer);
        expect(tryResolve(archive, path, scopeOf(archive, "b"))).toBeNull();
        expect(tryResolve(archive, `/elsewhere${path}`, scopeOf(archive, "a"))).toBeNull();
      }
    }));

  test("of another design's shape can be a name", () =>
    inSessions(async (archive) => {
      const stored = await put(archive, "a", "x", "art_tool_output_9k2x");
      expect(resolveArtifact(archive, "art_tool_output_9k2x", scopeOf(archive, "a")).pointer).toBe(stored.pointer);
    }));

  test("by name alone is not guessed across sessions, and with its session it is found", () =>
    inSessions(async (archive) => {
      const stored = await put(archive, "a", "x", "dir/log.txt");
      expect(tryResolve(archive, "dir/log.txt", { sessionPk: null })).toBeNull();
      for (const session of [stored.sessionId, "plimsoll:a"])
        expect(resolveArtifact(archive, `${session}/dir/log.txt`).pointer).toBe(stored.pointer);
    }));

  test("that two sessions could mean is refused, with the pointers of both", () =>
    inArchive(async (archive) => {
      await createSession(archive, { id: "p" });
      await createSession(archive, { id: "p/q" });
      await put(archive, "p", "one", "q/log");
      await put(archive, "p/q", "two", "log");
      expect(() => resolveArtifact(archive, "plimsoll:p/q/log")).toThrow(/names 2 artifacts: art:.*, art:/);
    }));

  test("to content whose first 16 digits another has is told by 24", () =>
    inSessions(async (archive) => {
      const one = await put(archive, "a", "one");
      const two = await put(archive, "a", "two");
      // No two contents are known that begin alike: the second is given the first one's beginning by hand.
      const alike = `${one.digest.slice(0, 16)}${two.digest.slice(16)}`;
      archive.sqlite.pragma("foreign_keys = OFF");
      archive.sqlite
        .prepare("UPDATE artifacts SET digest = ?, content_id = ? WHERE pointer = ?")
        .run(alike, `art_${alike.slice(0, 24)}`, two.pointer);
      const scope = scopeOf(archive, "a");
      expect(resolveArtifact(archive, `art_${alike.slice(0, 16)}`, scope).pointer).toBe(one.pointer);
      expect(resolveArtifact(archive, `art_${alike.slice(0, 24)}`, scope).pointer).toBe(two.pointer);
      expect(resolveArtifact(archive, `art_${alike}`, scope).pointer).toBe(two.pointer);
    }));

  test.each([
    "",
    " ",
    "art_",
    "art:",
    "'; DROP TABLE artifacts; --",
    "../../etc/passwd",
    "%",
    "a".repeat(5000),
    "\0",
    "__proto__",
  ])("that is %j is not found, in one sentence", (ref) =>
    inSessions(async (archive) => {
      for (const scope of [scopeOf(archive, "a"), scopeOf(archive, undefined)]) {
        try {
          resolveArtifact(archive, ref, scope);
          expect.unreachable();
        } catch (error) {
          expect(isAppError(error) && error.code).toBe("not_found");
          expect((error as Error).message.length).toBeLessThan(400);
        }
      }
    }),
  );
});

describe("a tombstone", () => {
  test("is found, and gives way to the same content that can still be read", () =>
    inSessions(async (archive) => {
      const live = await put(archive, "a", "same");
      const dead = await put(archive, "a", "same");
      archive.sqlite
        .prepare("UPDATE artifacts SET deleted_at = 5, deleted_why = 'deleted' WHERE pointer = ?")
        .run(dead.pointer);
      const scope = scopeOf(archive, "a");
      expect(stateOf(resolveArtifact(archive, dead.pointer, scope), NOW)).toBe("deleted");
      expect(resolveArtifact(archive, dead.artifactId, scope).pointer).toBe(live.pointer);
    }));

  test("is what an artifact is from the moment of its expiry on", () =>
    inFolder(async (dir) => {
      let now = NOW;
      await withArchive(
        dir,
        async (archive) => {
          const { id } = await createSession(archive, { id: "a" });
          const { pointer } = await storeArtifact(
            archive,
            { session: id, ttlSeconds: 10, toolName: "ls" },
            Buffer.from("x"),
          );
          const result = () => goneText(resolveArtifact(archive, pointer), "it", archive.host.now());
          now = NOW + 9_999;
          expect(result()).toBeNull();
          now = NOW + 10_000;
          expect(result()).toBe("[artifact expired: 'it' (ls, 1 bytes, expired 2026-06-01T00:00:10.000Z)]");
        },
        testHost(() => now),
      );
    }));
});
