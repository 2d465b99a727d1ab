import { describe, expect, test } from "vitest";
import { isAppError } from "#lib/kernel/errors.ts";
import { memoryAnswer, memoryChange, type MemoryChange } from "#lib/wire/memory-schema.ts";
import { createSession } from "../artifacts/create-session.ts";
import type { Archive } from "../base/archive-type.ts";
import { inArchive } from "../testing-archive.ts";
import { compactSession } from "./compact.ts";
import type { Changer } from "./item-rows.ts";
import { changeMemory, memoryHistory, memoryOf } from "./session-memory.ts";
import { firstSeqOf, request, tellTurns } from "./testing-run.ts";

const code = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "resolved",
    (error: unknown) => (isAppError(error) ? error.code : String(error)),
  );

const PERSON: Changer = { by: "person", who: "browser:1" };
const AGENT: Changer = { by: "agent", who: "token:7" };

type Do = (change: object, changer?: Changer) => ReturnType<typeof changeMemory>;
const inSession = (run: (archive: Archive, id: string, change: Do) => Promise<void>): Promise<void> =>
  inArchive(async (archive) => {
    const { id } = await createSession(archive, { id: "run" });
    await tellTurns(archive, id, 6);
    await run(archive, id, (change, changer = PERSON) =>
      changeMemory(archive, id, memoryChange.parse(change) as MemoryChange, changer),
    );
  });

const FACT = { do: "add", kind: "semantic", text: "gate_2 sticks in winter", category: "durable_fact" };

test("an item that a person or an agent adds says who made it, and which turns it came from", () =>
  inSession(async (archive, id, change) => {
    const seqs = [firstSeqOf(2), firstSeqOf(2) + 3, firstSeqOf(5)];
    const fact = await change({ ...FACT, salience: 7, tags: ["gates"], seqs });
    const result = await change({ do: "add", kind: "episodic", text: "The piers were looked at." }, AGENT);
    expect(fact).toMatchObject({
      kind: "semantic",
      salience: 7,
      tags: ["gates"],
      seqs,
      turns: [2, 5],
      madeBy: "person",
    });
    expect(result).toMatchObject({ kind: "episodic", category: null, turns: [], madeBy: "agent", compactionId: null });
    expect((await memoryOf(archive, id)).items).toEqual([result, fact]);
  }));

test("what an item was before each change stays in its history", () =>
  inSession(async (archive, id, change) => {
    const { id: item } = await change(FACT);
    await change({ do: "edit", id: item, text: "gate_2 sticks below zero", tags: ["gates"] });
    await change({ do: "pin", id: item }, AGENT);
    await change({ do: "delete", id: item });
    const { item: now, changes } = await memoryHistory(archive, id, item);
    expect(now).toMatchObject({ text: "gate_2 sticks below zero", pinned: true });
    expect(now.deletedAt).not.toBeNull();
    expect(changes.map(({ did, by, before }) => [did, by, before?.text ?? null, before?.pinned ?? null])).toEqual([
      ["add", "browser:1", null, null],
      ["edit", "browser:1", "gate_2 sticks in winter", false],
      ["pin", "token:7", "gate_2 sticks below zero", false],
      ["delete", "browser:1", "gate_2 sticks below zero", true],
    ]);
    const back = await change({ do: "restore", id: item });
    expect(back).toMatchObject({ text: "gate_2 sticks below zero", pinned: true, deletedAt: null });
  }));

test("a change that changes nothing is none", () =>
  inSession(async (archive, id, change) => {
    const { id: item } = await change(FACT);
    for (const input of ["unpin", "restore"]) await change({ do: input, id: item });
    await change({ do: "edit", id: item, text: FACT.text });
    await change({ do: "delete", id: item });
    await change({ do: "delete", id: item });
    expect((await memoryHistory(archive, id, item)).changes.map(({ did }) => did)).toEqual(["add", "delete"]);
  }));

describe("what is refused", () => {
  test("an item that is not there, of another session, or deleted", () =>
    inSession(async (archive, id, change) => {
      const { id: item } = await change(FACT);
      const { id: other } = await createSession(archive, { id: "other" });
      expect(await code(change({ do: "pin", id: "sem_none" }))).toBe("not_found");
      expect(await code(changeMemory(archive, other, { do: "pin", id: item }, PERSON))).toBe("not_found");
      expect(await code(memoryHistory(archive, other, item))).toBe("not_found");
      expect(await code(memoryOf(archive, "s_0000000000000000"))).toBe("not_found");
      await change({ do: "delete", id: item });
      for (const input of [{ do: "edit", text: "x" }, { do: "pin" }, { do: "unpin" }])
        expect(await code(change({ ...input, id: item }))).toBe("conflict");
    }));

  test("an event that the session does not have", () =>
    inSession(async (archive, id, change) => {
      expect(await code(change({ ...FACT, seqs: [26] }))).toBe("not_found");
      expect((await memoryOf(archive, id)).items).toEqual([]);
    }));
});

test("items of a compaction can be edited, and are then the person's word", () =>
  inSession(async (archive, id, change) => {
    const { episodic, id: compaction } = await compactSession(archive, id, request());
    const edited = await change({ do: "edit", id: episodic[0]!.id, text: "All piers are sound." });
    expect(edited).toMatchObject({ text: "All piers are sound.", madeBy: "compaction", compactionId: compaction });
    const memory = memoryAnswer.parse(await memoryOf(archive, id));
    expect(memory.items.find((item) => item.id === edited.id)).toEqual(edited);
    expect(memory).toMatchObject({ held: true, compactions: [{ id: compaction, kind: "applied", at: 26 }] });
    expect(memory.epochs).toMatchObject([
      { epoch: 1, fromSeq: 1, toSeq: 25, calls: 6, compactionId: null, tokens: 6000 },
      { epoch: 2, fromSeq: 26, toSeq: 27, calls: 0, compactionId: compaction, tokens: null },
    ]);
  }));
