import { expect, test } from "vitest";
import { answer, jsonl, line, prompt, text } from "#lib/formats/claude-code/testing-claude.ts";
import { createSession } from "../artifacts/create-session.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive, put } from "../testing-archive.ts";
import { compactSession, undoCompaction } from "./compact.ts";
import { ingest } from "./ingest-records.ts";
import { changeMemory, memoryHistory, memoryOf } from "./session-memory.ts";
import { userRecord, calls, gives, request, said } from "./testing-run.ts";

const live = async (archive: Archive, id: string): Promise<string[]> =>
  (await memoryOf(archive, id)).items
    .filter(({ kind, deletedAt }) => kind === "semantic" && deletedAt === null)
    .map((item) => item.text);

const filler = (n: number): string => `The tide of part ${n} is read anew. ${"It is looked at again. ".repeat(80)}`;

test("two approaches, one chosen: the choice is a fact, and a later compaction says it once, or the other way round", () =>
  inArchive(async (archive) => {
    const { id } = await createSession(archive, { id: "run" });
    await ingest(archive, id, [
      userRecord("u0", "Make the export fast. Never delete rows."),
      said("a0", "There are two approaches:\n1. Stream the rows.\n2. Load the table at once.\nWhich one?"),
      userRecord("u1", "Take the first."),
      calls("c1", "t1", "npm test"),
      gives("g1", "t1", "1 failed", { detail: { exitCode: 1 } }),
      said("a1", filler(1)),
      userRecord("u2", "Go on."),
      said("a2", filler(2)),
    ]);
    const first = await compactSession(archive, id, request({ tail: 1 }));
    expect(await live(archive, id)).toEqual(
      expect.arrayContaining([
        "exit 1: npm test",
        "goal: Make the export fast.",
        "Never delete rows.",
        "chose Stream the rows; gave up Load the table at once",
      ]),
    );
    await ingest(archive, id, [
      userRecord("u3", "Never delete rows. After all, we use Load the table at once instead of Stream the rows."),
      calls("c3", "t3", "npm test"),
      gives("g3", "t3", "ok", { detail: { exitCode: 0 } }),
      said("a3", filler(3)),
      userRecord("u4", "Go on."),
      said("a4", filler(4)),
    ]);
    const second = await compactSession(archive, id, request({ tail: 1 }));
    const now = await live(archive, id);
    expect(now.filter((fact) => fact === "Never delete rows.")).toHaveLength(1);
    expect(now.filter((fact) => fact.startsWith("goal: "))).toEqual(["goal: Make the export fast."]);
    expect(now.filter((fact) => fact.startsWith("chose "))).toEqual([
      "chose Load the table at once; gave up Stream the rows",
    ]);
    expect(now.filter((fact) => fact.endsWith("npm test"))).toEqual(["exit 0: npm test"]);
    // Undone, what it superseded holds again.
    await undoCompaction(archive, second.id!);
    expect(await live(archive, id)).toEqual(expect.arrayContaining(first.semantic.map((item) => item.text)));
    expect((await live(archive, id)).filter((fact) => fact.startsWith("chose "))).toEqual([
      "chose Stream the rows; gave up Load the table at once",
    ]);
  }));

const OWN = `1. Primary Request and Intent:
   Move the nightly export to streams.
   - Never delete rows of the live table.

2. Problem Solving:
   - We switched from full snapshots to a write-ahead log because restarts were slow.

3. Pending Tasks:
   - Measure the export again.
`;

test("an imported session has the facts of its agent's own summary, and one that is changed becomes an item", () =>
  inArchive(async (archive, logs) => {
    const lines = [
      prompt("p0", 0, "Move the nightly export to streams."),
      answer("b0", 3, "k0", text("Done with the first part.")),
      line("system", "cut", 20, { subtype: "compact_boundary", compactMetadata: { trigger: "auto" } }),
      line("user", "summary", 21, { isCompactSummary: true, message: { role: "user", content: OWN } }),
      prompt("p1", 30, "Go on."),
      answer("b1", 33, "k1", text("Done.")),
    ];
    const { files } = await importPaths(archive, [put(logs, "session.jsonl", jsonl(...lines))]);
    const id = files[0]!.sessions[0]!;
    const { items } = await memoryOf(archive, id);
    expect(items.filter(({ kind }) => kind === "episodic")).toMatchObject([
      { text: OWN, madeBy: "summary", compactionId: items[0]!.compactionId, seqs: items[0]!.seqs },
    ]);
    expect(items.filter(({ kind }) => kind === "semantic").map((item) => [item.text, item.madeBy])).toEqual([
      ["goal: Move the nightly export to streams.", "summary"],
      ["to do: Measure the export again.", "summary"],
      ["Never delete rows of the live table.", "summary"],
      ["chose write-ahead log; gave up full snapshots", "summary"],
      ["We switched from full snapshots to a write-ahead log because restarts were slow.", "summary"],
    ]);
    const one = items[3]!;
    expect(one.seqs).toHaveLength(1);
    expect((await memoryHistory(archive, id, one.id)).changes).toEqual([]);
    const by = { by: "person", who: "browser:1" } as const;
    await changeMemory(archive, id, { do: "pin", id: one.id }, by);
    await changeMemory(archive, id, { do: "delete", id: items[2]!.id }, by);
    const after = (await memoryOf(archive, id)).items;
    expect(after.filter((item) => item.id === one.id)).toMatchObject([{ pinned: true, text: one.text }]);
    expect(await live(archive, id)).not.toContain(items[2]!.text);
    expect(after).toHaveLength(items.length);
  }));
