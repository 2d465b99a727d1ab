// What a node tells of its writes, carried out again in another archive: the same rows, whatever was written, and the same numbers.
import { join } from "node:path";
import { expect, test } from "vitest";
import { markRequest } from "#lib/wire/marks-schema.ts";
import { compactRequest } from "#lib/wire/memory-schema.ts";
import { closeTurn, createSession } from "./artifacts/create-session.ts";
import { deleteArtifact } from "./artifacts/delete-artifact.ts";
import { dropHeldWrite } from "./artifacts/drop-held.ts";
import { recordOutput } from "./artifacts/record-output.ts";
import { storeArtifact } from "./artifacts/store-artifact.ts";
import type { Archive } from "./base/archive-type.ts";
import { findSession } from "./base/find-session.ts";
import { entryText, readEntry, withBytes, type HeldEntry, type ReadEntry } from "./base/held-entry.ts";
import { write } from "./base/write.ts";
import { rowsOf } from "./bundle/bundle-rows.ts";
import { archiveMemoryStore } from "./memory/archive-store.ts";
import { compactSession, undoCompaction } from "./memory/compact.ts";
import { ingest } from "./memory/ingest-records.ts";
import { changeMemory } from "./memory/session-memory.ts";
import { setMark } from "./settings/marks.ts";
import { inFolder, testHost, withArchive } from "./testing-archive.ts";
import { replayHeldWrite } from "./writes.ts";

const said = (n: number, text: string) => ({
  record: "event",
  uuid: `u${n}`,
  startsTurn: n % 3 === 0,
  body: { type: n % 3 === 0 ? "user" : "assistant", text },
});
const who = { by: "agent", who: "token:t" } as const;

/** All that an agent can do to a session. */
async function writeAll(archive: Archive): Promise<string> {
  const { id } = await createSession(archive, { id: "agent", title: "Orders", compaction: { contextTokens: 2000 } });
  for (let n = 0; n < 12; n++) await ingest(archive, id, [said(n, `text ${n} ${"word ".repeat(40)}`)]);
  await ingest(archive, id, [said(12, "x".repeat(9000))]);
  const output = { session: id, toolName: "bash", isError: false, turn: 4 };
  await recordOutput(archive, { ...output, toolCallId: "c1" }, Buffer.from("short"));
  await recordOutput(archive, { ...output, toolCallId: "c2" }, Buffer.from("line\n".repeat(9000)));
  await recordOutput(archive, { ...output, toolCallId: "c3" }, Buffer.from("large\n".repeat(60_000)));
  const kept = await storeArtifact(archive, { session: id, name: "plan.md" }, Buffer.from("# Plan\n"));
  await storeArtifact(archive, { session: id, name: "plan.md" }, Buffer.from("# Plan 2\n"));
  await deleteArtifact(archive, kept.pointer);
  const plan = await compactSession(archive, id, compactRequest.parse({ dryRun: false, tail: 1 }));
  await undoCompaction(archive, plan.id!);
  await compactSession(archive, id, compactRequest.parse({ dryRun: false, tail: 2 }));
  const item = await changeMemory(
    archive,
    id,
    { do: "add", kind: "semantic", text: "Ports open at six.", category: null, salience: 1, tags: [], seqs: [1] },
    who,
  );
  await changeMemory(archive, id, { do: "pin", id: item.id }, who);
  await setMark(archive, id, markRequest.parse({ kind: "label", value: "harbour" }));
  const memory = archiveMemoryStore(archive, id);
  const trace = { id: "t1", ts: 1, turnId: "a", seq: 1, traceType: "user", content: "by trace", sourceEvent: "s" };
  await memory.add([trace as never, { id: "ep", ts: 1, turnIds: ["a"], summary: "Of a trace", salience: 0 }]);
  await closeTurn(archive, id, 2);
  return id;
}

const lines = (archive: Archive, id: string): string[] =>
  [...rowsOf(archive, findSession(archive, id), true)].map((row) => JSON.stringify(row));

test("what is written to a session is carried out again elsewhere with the same rows", async () => {
  await inFolder(async (dir) => {
    let clock = Date.UTC(2026, 5, 1);
    const host = testHost(() => (clock += 1000));
    await withArchive(
      join(dir, "one"),
      async (one) => {
        const told: HeldEntry[] = [];
        one.ship = async (entries) => (told.push(...entries), entries.map(() => null));
        const id = await writeAll(one);
        // Of every write but its bytes, as text.
        const texts = told.map(entryText);
        expect(new Set(told.map((entry) => entry.write))).toEqual(
          new Set(
            "createSession addEvents addOutput addArtifact deleteArtifact addCompaction undoCompaction changeMemory setMark addMemory closeTurn".split(
              " ",
            ),
          ),
        );
        await withArchive(join(dir, "two"), async (two) => {
          const entries: ReadEntry[] = [];
          for (const text of texts) {
            const entry = readEntry(text);
            if (entry.needs === null) entries.push(entry);
            else {
              const pieces: Uint8Array[] = [];
              for await (const piece of one.blobs.read(entry.needs.digest)) pieces.push(piece);
              const bytes = Buffer.concat(pieces);
              if (entry.needs.isSmall) entries.push(withBytes(entry, bytes));
              else {
                two.blobs.stage(bytes);
                await two.blobs.flush();
                entries.push(entry);
              }
            }
          }
          const replay = (some: readonly ReadEntry[]) =>
            write(two, replayHeldWrite, { sessionId: id, entries: some, keys: [], version: 0 });
          await replay(entries.slice(0, 5));
          await replay(entries.slice(5));
          expect(lines(two, id)).toEqual(lines(one, id));
          // Dropped and carried out again it is the same again.
          expect(await write(two, dropHeldWrite, { sessionId: id })).toBe(true);
          expect(() => findSession(two, id)).toThrow();
          await replay(entries);
          expect(lines(two, id)).toEqual(lines(one, id));
          await write(two, dropHeldWrite, { sessionId: id });
          // Other numbers than it gave are not given: nothing is taken.
          await expect(replay(entries.filter((_, n) => n !== 3))).rejects.toMatchObject({ code: "conflict" });
          expect(() => findSession(two, id)).toThrow();
        });
      },
      host,
    );
  });
});

test("what the other nodes refuse is not written, and the others of its group are", async () => {
  await inFolder((dir) =>
    withArchive(join(dir, "one"), async (archive) => {
      const told: string[] = [];
      archive.ship = async (entries) =>
        entries.map((entry) => {
          told.push(entry.write);
          return JSON.stringify(entry.input).includes("refuse me") ? new Error("refused") : null;
        });
      const { id } = await createSession(archive, { id: "agent" });
      const answers = await Promise.allSettled([
        ingest(archive, id, [said(1, "first")]),
        ingest(archive, id, [said(2, "refuse me")]),
        ingest(archive, id, [said(3, "third")]),
      ]);
      expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(told.filter((name) => name === "addEvents").length).toBe(3);
      const texts = lines(archive, id).filter((line) => line.startsWith('{"table":"events"'));
      expect(texts.length).toBe(2);
      expect(texts.join("")).not.toContain("refuse me");
    }),
  );
});

test("a session in the place of a dropped copy counts its changes from where no copy was", () =>
  inFolder((dir) =>
    withArchive(join(dir, "archive"), async (archive) => {
      const rowOf = (id: string): { pk: number; version: number } =>
        archive.sqlite.prepare("SELECT pk, version FROM sessions WHERE id = ?").get(id) as never;
      const { id } = await createSession(archive, { id: "first" });
      const before = rowOf(id);
      await write(archive, dropHeldWrite, { sessionId: id });
      const after = rowOf((await createSession(archive, { id: "second" })).id);
      expect(after.pk).toBe(before.pk);
      expect(after.version).toBeGreaterThan(before.version);
    }),
  ));
