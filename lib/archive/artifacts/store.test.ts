import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isAppError } from "#lib/kernel/errors.ts";
import { inArchive } from "../testing-archive.ts";
import { showArtifact } from "../sessions/show-artifact.ts";
import { readText } from "./whole-text.ts";
import { listEvents } from "../sessions/list-events.ts";
import { eventsQuery } from "#lib/wire/events-schema.ts";
import { closeTurn, createSession } from "./create-session.ts";
import { recordOutput } from "./record-output.ts";
import { storeArtifact } from "./store-artifact.ts";

const code = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "resolved",
    (error: unknown) => (isAppError(error) ? error.code : String(error)),
  );

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test("a session that is asked for twice is made once", () =>
  inArchive(async (archive) => {
    const first = await createSession(archive, { id: "run-1", title: "A run", policy: "window" });
    const again = await createSession(archive, { id: "run-1" });
    expect(first).toMatchObject({ nativeId: "plimsoll:run-1", title: "A run", created: true });
    expect(again).toMatchObject({ id: first.id, title: "A run", created: false, policy: { preset: "window" } });
  }));

describe("storing", () => {
  test.each([0, 1, 4096, 65_536, 65_537, 3_000_000])("%i bytes come back as they were", (size) =>
    inArchive(async (archive) => {
      const { id } = await createSession(archive, { id: "s" });
      const bytes = Buffer.alloc(size, "line of text\r\n\u0000é");
      const stored = await storeArtifact(archive, { session: id, name: "log" }, pieces(bytes, 40_000));
      expect(stored).toMatchObject({ sizeBytes: size, digest: hash("sha256", bytes, "hex"), name: "log" });
      const read: Uint8Array[] = [];
      for await (const piece of archive.blobs.read(stored.digest)) read.push(piece);
      expect(Buffer.concat(read).equals(bytes)).toBe(true);
      expect((await showArtifact(archive, stored.pointer)).pointer).toBe(stored.pointer);
    }),
  );

  test("the same bytes are one blob and as many artifacts as were stored", () =>
    inArchive(async (archive) => {
      const { id } = await createSession(archive, { id: "s" });
      const bytes = Buffer.from("the same");
      const stored = await Promise.all([1, 2, 3].map(() => storeArtifact(archive, { session: id }, bytes)));
      expect(new Set(stored.map((one) => one.pointer)).size).toBe(3);
      expect(archive.sqlite.prepare("SELECT count(*) FROM blobs").pluck().get()).toBe(1);
      expect(archive.sqlite.prepare("SELECT artifacts FROM sessions").pluck().get()).toBe(3);
    }));

  test("bytes that are not what was said of them are refused, and nothing is kept", () =>
    inArchive(async (archive) => {
      const { id } = await createSession(archive, { id: "s" });
      for (const size of [10, 200_000])
        expect(
          await code(
            storeArtifact(archive, { session: id, digest: "0".repeat(64) }, pieces(Buffer.alloc(size, "x"), 10_000)),
          ),
        ).toBe("invalid");
      const kept: string[] = [];
      for await (const digest of archive.blobs.list()) kept.push(digest);
      expect(kept).toEqual([]);
      expect(archive.sqlite.prepare("SELECT count(*) FROM artifacts").pluck().get()).toBe(0);
    }));

  test("one that is refused leaves the others of its group alone", () =>
    inArchive(async (archive) => {
      const { id } = await createSession(archive, { id: "s" });
      archive.sqlite
        .prepare("INSERT INTO settings VALUES ('artifacts.quota', ?)")
        .run(JSON.stringify({ sessionBytes: 25 }));
      const put = (text: string) => code(storeArtifact(archive, { session: id }, Buffer.from(text)));
      const result = await Promise.all([put("a".repeat(20)), put("b".repeat(20)), put("c".repeat(5))]);
      // Which of the two large ones comes first is the disk's to say; only one has room.
      expect(result.slice(0, 2).toSorted()).toEqual(["resolved", "too_large"]);
      expect(result[2]).toBe("resolved");
      const lines = readFileSync(join(archive.dir, "sessions", id, "registry.jsonl"), "utf8")
        .trim()
        .split("\n");
      expect(lines.filter((line) => line.includes("art:")).length).toBe(2);
    }));

  test("a turn that was closed takes no artifact either", () =>
    inArchive(async (archive) => {
      const { id } = await createSession(archive, { id: "s" });
      await closeTurn(archive, id, 3);
      expect(await code(storeArtifact(archive, { session: id, turn: 3 }, Buffer.from("late")))).toBe("conflict");
      expect(await code(storeArtifact(archive, { session: id, turn: 4 }, Buffer.from("in time")))).toBe("resolved");
      const kept: string[] = [];
      for await (const digest of archive.blobs.list()) kept.push(digest);
      expect(kept).toHaveLength(1);
    }));

  test("a session that was imported takes nothing", () =>
    inArchive(async (archive) => {
      archive.sqlite.exec(
        "INSERT INTO sessions (id, native_id, format) VALUES ('s_0123456789abcdef', 'codex:x', 'codex')",
      );
      expect(await code(storeArtifact(archive, { session: "s_0123456789abcdef" }, Buffer.from("x")))).toBe("conflict");
    }));
});

describe("an output of a tool", () => {
  test("that is small stays in the context, and its decision says why", () =>
    inArchive(async (archive) => {
      const { id } = await createSession(archive, { id: "s" });
      const answer = await recordOutput(
        archive,
        { session: id, toolName: "ls", toolCallId: "c1", isError: false },
        Buffer.from("a.txt"),
      );
      expect(answer).toMatchObject({ text: "a.txt", artifact: null, decision: { action: "inline", gate: "none" } });
      const { events } = await listEvents(archive, id, eventsQuery.parse({}));
      expect(events.map((event) => [event.type, event.toolName, event.text])).toEqual([
        ["tool_call", "ls", "{}"],
        ["tool_result", "ls", "a.txt"],
      ]);
    }));

  test("that is large becomes an envelope, and the bytes are behind it", () =>
    inArchive(async (archive) => {
      const { id } = await createSession(archive, { id: "s" });
      const text = Array.from({ length: 3000 }, (_, i) => `line ${i}`).join("\n");
      const answer = await recordOutput(
        archive,
        { session: id, toolName: "bash", toolCallId: "c1", isError: false },
        pieces(Buffer.from(text), 1000),
      );
      expect(answer.decision).toMatchObject({ action: "artifact", gate: "size", thresholdBytes: 8000, status: "ok" });
      const envelope = JSON.parse(answer.text) as Record<string, unknown>;
      expect(envelope).toMatchObject({ artifact_id: answer.artifact?.artifactId, tool_name: "bash", line_count: 3000 });
      expect(await readText(archive, answer.artifact!.pointer)).toBe(text);
      const view = await showArtifact(archive, answer.artifact!.pointer);
      expect(view).toMatchObject({ saw: "preview", offloadedBy: "plimsoll", seq: answer.seq, toolName: "bash" });
    }));

  test("that holds a secret is stored as it is, and its preview is masked", () =>
    inArchive(async (archive) => {
      const { id } = await createSession(archive, { id: "s", policy: { exclude_from_context: ["env"] } });
      const secret = `ghp_${"aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5"}`;
      const text = `GITHUB_TOKEN=${secret}\n${"line\n".repeat(3000)}`;
      const answer = await recordOutput(archive, { session: id, toolName: "bash", isError: false }, Buffer.from(text));
      expect(answer.text).not.toContain(secret);
      expect(answer.artifact?.preview).toContain("…");
      expect(await readText(archive, answer.artifact!.pointer)).toBe(text);
      const note = await recordOutput(archive, { session: id, toolName: "env", isError: false }, Buffer.from("A=1"));
      expect(note.text).toMatch(/^\[Stored as art_/);
    }));

  test("that a failing disk does not take is cut, and every byte of it was counted", () =>
    inArchive(async (archive) => {
      const { id } = await createSession(archive, { id: "s" });
      const text = Buffer.from(Array.from({ length: 60_000 }, (_, i) => `line ${i}`).join("\n"));
      const full = Object.assign(new Error("no space"), { code: "ENOSPC" });
      for (const taken of [0, 1]) {
        const blobs = archive.blobs as { stageStream: typeof archive.blobs.stageStream };
        blobs.stageStream = async (chunks) => {
          const pieces = chunks[Symbol.asyncIterator]();
          for (let i = 0; i < taken; i++) await pieces.next();
          await pieces.return?.(undefined);
          throw full;
        };
        const answer = await recordOutput(
          archive,
          { session: id, toolName: "b", isError: false },
          pieces(text, 50_001),
        );
        expect(answer.decision).toMatchObject({ action: "truncate", status: "failed", sizeBytes: text.length });
        expect(answer.text).toContain("60000 lines");
        expect(answer.text).toMatch(/line 59999$/);
      }
    }));

  test("that comes after its turn was closed leaves a decision and nothing else", () =>
    inArchive(async (archive) => {
      const { id } = await createSession(archive, { id: "s" });
      await closeTurn(archive, id, 1);
      const answer = await recordOutput(
        archive,
        { session: id, toolName: "bash", turn: 1, isError: false },
        Buffer.alloc(100_000, "x"),
      );
      expect(answer).toMatchObject({ text: "", seq: null, decision: { action: "drop", gate: "late" } });
      expect(archive.sqlite.prepare("SELECT count(*) FROM events").pluck().get()).toBe(0);
      expect(archive.sqlite.prepare("SELECT count(*) FROM artifacts").pluck().get()).toBe(0);
    }));
});
