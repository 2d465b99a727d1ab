import { describe, expect, test } from "vitest";
import { asks, answer, jsonl, prompt, result, text } from "#lib/formats/claude-code/testing-claude.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { compactAnswer } from "#lib/wire/memory-schema.ts";
import { closeTurn, createSession } from "../artifacts/create-session.ts";
import { recordOutput } from "../artifacts/record-output.ts";
import type { Archive } from "../base/archive-type.ts";
import { check } from "../upkeep/check-archive.ts";
import { countSession } from "../load/count-tokens.ts";
import { exportSession } from "../sessions/export-session.ts";
import { findSession } from "../base/find-session.ts";
import { importPaths } from "../import/import-paths.ts";
import { rebuild } from "../upkeep/rebuild-archive.ts";
import { sessionLedger } from "../load/session-ledger.ts";
import { sessionLoad } from "../load/session-load.ts";
import { showSession } from "../sessions/show-session.ts";
import { dumpOf, inArchive, put } from "../testing-archive.ts";
import { compactSession, undoCompaction } from "./compact.ts";
import { readCompaction } from "./read-compaction.ts";
import { listCompactions } from "./compaction-rows.ts";
import { ingest } from "./ingest-records.ts";
import { recall } from "./recall-session.ts";
import { changeMemory, memoryHistory, memoryOf } from "./session-memory.ts";
import {
  userRecord,
  calls,
  firstSeqOf,
  gives,
  modelCall,
  request,
  said,
  seqsIn,
  tellTurns,
  eventRecord,
  turnOf,
} from "./testing-run.ts";

const code = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "resolved",
    (error: unknown) => (isAppError(error) ? error.code : String(error)),
  );

const inSession = (run: (archive: Archive, id: string, logs: string) => Promise<void>): Promise<void> =>
  inArchive(async (archive, logs) => {
    const { id } = await createSession(archive, { id: "run" });
    await run(archive, id, logs);
  });

/** Everything of the tables but times and versions. */
const rowsOf = ({ sqlite }: Archive, table: string): unknown[] => sqlite.prepare(`SELECT * FROM ${table}`).all();

const LINES = Array.from({ length: 6 }, (_, n) => [
  prompt(`p${n}`, n * 10, `Look at pier ${n}.`),
  answer(`a${n}`, n * 10 + 1, `m${n}`, asks(`t${n}`, "Bash", { command: `cat pier_${n}.log` })),
  result(`r${n}`, n * 10 + 2, `t${n}`, `pierLine_${n} holds the tide\n`.repeat(80)),
  answer(`b${n}`, n * 10 + 3, `k${n}`, text(`Pier ${n} is sound.`)),
]).flat();

describe("a session of ours", () => {
  test("goes on from a summary: the tail and the instructions stay, the rest is in the log", () =>
    inSession(async (archive, id) => {
      await tellTurns(archive, id, 6);
      const before = await seqsIn(archive, id);
      const done = compactAnswer.parse(await compactSession(archive, id, request()));
      expect(done).toMatchObject({
        status: "complete",
        kind: "applied",
        unit: "turn",
        turns: [1, 2, 3, 4],
        events: [firstSeqOf(1), firstSeqOf(5) - 1],
        summarizer: "extractive",
        origin: "estimated",
      });
      expect(done.tokensAfter).toBeLessThan(done.tokensBefore);
      expect(done.whole.map(({ seq }) => seq)).toEqual([1, ...Array.from({ length: 8 }, (_, i) => firstSeqOf(5) + i)]);
      const ledger = [...done.whole, ...done.summarised, ...done.dropped].map(({ seq }) => seq);
      expect(ledger.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, i) => i + 1));
      // The compaction is event 26, its summary 27, in the place of the last event that it covers.
      const after = await seqsIn(archive, id);
      expect(after).toEqual([[1], [27], ...before.filter(([first]) => first! >= firstSeqOf(5))]);
      expect(done.snapshot.map(({ seqs }) => seqs)).toEqual([[1], [], ...after.slice(2)]);
      expect(done.snapshot.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(done.tokensAfter);
      expect((await showSession(archive, id)).compactions).toBe(1);
      expect((await check(archive)).ok).toBe(true);
    }));

  test("keeps what was asked and done in the summary, each line with its events", () =>
    inSession(async (archive, id) => {
      await tellTurns(archive, id, 6);
      const { summary, lines, kept, episodic, semantic } = await compactSession(archive, id, request());
      expect(summary).toBe(lines.map((line) => line.text).join("\n"));
      expect(summary.length).toBeLessThanOrEqual(1500);
      expect(summary).toContain("never close gate_4");
      const asking = lines.find((line) => line.text.includes("never close gate_4"))!;
      expect(asking.seqs).toEqual([firstSeqOf(4)]);
      expect(kept.userMessages).toEqual({ kept: 4, total: 4 });
      expect(kept.commands.total).toBe(4);
      expect(kept.decisions.total).toBe(4);
      expect(episodic).toMatchObject([{ text: summary, turns: [1, 2, 3, 4], madeBy: "compaction" }]);
      expect(semantic.length).toBeGreaterThan(0);
      // A fact is of the events that it was read off, not of the whole cut.
      const input = semantic.find(({ text }) => text.includes("never close gate_4"))!;
      expect(input.seqs).toHaveLength(1);
      expect(input.turns.length).toBeLessThanOrEqual(1);
      const { items } = await memoryOf(archive, id);
      expect(items.map((item) => item.id).toSorted()).toEqual(
        [...episodic, ...semantic].map((item) => item.id).toSorted(),
      );
    }));

  test("what was answered can be read again, after an undo too", () =>
    inSession(async (archive, id) => {
      await tellTurns(archive, id, 6);
      const done = await compactSession(archive, id, request());
      const { ms: _, ...read } = await readCompaction(archive, done.id!);
      const { ms: __, ...answered } = done;
      expect(read).toEqual(answered);
      await undoCompaction(archive, done.id!);
      const undone = await readCompaction(archive, done.id!);
      expect(undone).toMatchObject({
        status: "undone",
        summary: done.summary,
        snapshot: done.snapshot,
        whole: done.whole,
      });
      expect(await code(readCompaction(archive, "cmp_0000000000000000"))).toBe("not_found");
    }));

  test("the same log gives the same summary", () =>
    inSession(async (archive, id) => {
      await tellTurns(archive, id, 6);
      const [one, two] = [
        await compactSession(archive, id, request({ dryRun: true })),
        await compactSession(archive, id, request({ dryRun: true })),
      ];
      expect(two.summary).toBe(one.summary);
      expect(two.lines).toEqual(one.lines);
    }));

  test("can be compacted again: the summary before goes into the new one, and what was asked is asked still", () =>
    inSession(async (archive, id) => {
      await tellTurns(archive, id, 6);
      await compactSession(archive, id, request());
      await ingest(
        archive,
        id,
        [7, 8, 9].flatMap((n) => turnOf(n)),
      );
      const second = await compactSession(archive, id, request());
      expect(second).toMatchObject({ status: "complete", turns: [5, 6, 7] });
      expect(second.summarised.map(({ seq, kind }) => [seq, kind])).toContainEqual([27, "summary"]);
      expect(second.summary).toContain("gate_1");
      const { epochs, compactions } = await memoryOf(archive, id);
      expect(epochs.map(({ epoch, fromSeq }) => [epoch, fromSeq])).toEqual([
        [1, 1],
        [2, 26],
        [3, compactions[1]!.at],
      ]);
      expect((await seqsIn(archive, id)).slice(0, 2)).toEqual([[1], [compactions[1]!.at + 1]]);
    }));

  test("what is told while it is compacted stays whole", () =>
    inSession(async (archive, id) => {
      await tellTurns(archive, id, 6);
      const [done] = await Promise.all([
        compactSession(archive, id, request()),
        ingest(archive, id, turnOf(7)),
        ingest(archive, id, turnOf(8)),
      ]);
      expect(done.status).toBe("complete");
      const seqs = (await seqsIn(archive, id)).flat();
      const { compactions } = await memoryOf(archive, id);
      const own = new Set([compactions[0]!.at, compactions[0]!.at + 1]);
      for (let seq = firstSeqOf(5); seq < firstSeqOf(9) + 2; seq++) if (!own.has(seq)) expect(seqs).toContain(seq);
      expect((await check(archive)).ok).toBe(true);
    }));

  test("up to an event takes all turns that end there, and what came later stays whole", () =>
    inSession(async (archive, id) => {
      await tellTurns(archive, id, 6);
      const done = await compactSession(archive, id, request({ at: firstSeqOf(4) - 1, tail: 0 }));
      expect(done).toMatchObject({ status: "complete", turns: [1, 2, 3], at: 13 });
      const summary = 27;
      const later = [14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25];
      expect((await seqsIn(archive, id)).flat()).toEqual([1, summary, ...later]);
    }));

  test("a turn that takes no more writes can still be compacted", () =>
    inSession(async (archive, id) => {
      await tellTurns(archive, id, 4);
      await closeTurn(archive, id, 4);
      expect((await compactSession(archive, id, request())).status).toBe("complete");
    }));

  test("artifacts that the cut named are named behind the summary", () =>
    inSession(async (archive, id) => {
      await tellTurns(archive, id, 1);
      const input = { session: id, toolName: "bash", toolCallId: "big", isError: false, input: { command: "cat big" } };
      const { artifact } = await recordOutput(archive, input, Buffer.from("x y z\n".repeat(20_000)));
      await ingest(
        archive,
        id,
        [2, 3, 4].flatMap((n) => turnOf(n)),
      );
      const { summary } = await compactSession(archive, id, request());
      expect(summary).toContain("[ARTIFACTS]");
      expect(summary).toContain(artifact!.id);
    }));

  test("secrets of the log are masked in the summary", () =>
    inSession(async (archive, id) => {
      const secret = `ghp_${"a1B2c3D4".repeat(4)}abcd`;
      await ingest(archive, id, [
        userRecord("u0", `Use the token ${secret} for all of it.`),
        ...turnOf(1),
        ...turnOf(2),
        ...turnOf(3),
      ]);
      const { summary, lines, semantic } = await compactSession(archive, id, request());
      expect(JSON.stringify({ summary, lines, semantic })).not.toContain(secret);
      expect(summary).toContain("for all of it");
    }));
});

test("a compaction that is asked for again, because its answer was lost, is made once and answered the same", () =>
  inSession(async (archive, id, logs) => {
    await tellTurns(archive, id, 6);
    const done = await compactSession(archive, id, request());
    expect(await compactSession(archive, id, request())).toEqual({ ...done, ms: expect.any(Number) });
    await ingest(archive, id, [said("s9", "On.")]);
    expect((await compactSession(archive, id, request())).status).toBe("nothing_to_compact");
    const { files } = await importPaths(archive, [put(logs, "session.jsonl", jsonl(...LINES))]);
    const imported = files[0]!.sessions[0]!;
    const plan = await compactSession(archive, imported, request());
    expect(await compactSession(archive, imported, request())).toEqual({ ...plan, ms: expect.any(Number) });
    expect((await compactSession(archive, imported, request({ tail: 3 }))).id).not.toBe(plan.id);
    await undoCompaction(archive, plan.id!);
    expect((await compactSession(archive, imported, request())).id).not.toBe(plan.id);
  }));

describe("undo", () => {
  test("brings the context, the ledger and the chart back as if nothing had been", () =>
    inSession(async (archive, id) => {
      await tellTurns(archive, id, 6);
      await countSession(archive, findSession(archive, id));
      const before = {
        context: await seqsIn(archive, id),
        ledger: await sessionLedger(archive, id),
        load: await sessionLoad(archive, id),
      };
      const done = await compactSession(archive, id, request());
      const undone = await undoCompaction(archive, done.id!);
      expect(undone).toMatchObject({ status: "undone", id: done.id, sessionId: id, tokensAfter: done.tokensBefore });
      expect(await seqsIn(archive, id)).toEqual(before.context);
      expect({ ...(await sessionLedger(archive, id)), version: "", counting: false }).toEqual({
        ...before.ledger,
        version: "",
        counting: false,
      });
      expect({ ...(await sessionLoad(archive, id)), version: "", counting: false }).toEqual({
        ...before.load,
        version: "",
        counting: false,
      });
      expect((await showSession(archive, id)).compactions).toBe(0);
      const { items, compactions, epochs } = await memoryOf(archive, id);
      expect(items.every(({ deletedAt }) => deletedAt !== null)).toBe(true);
      expect(compactions).toMatchObject([{ id: done.id, status: "undone" }]);
      // The first epoch, the one that is undone, and the one that its undoing begins.
      expect(epochs.map(({ epoch }) => epoch)).toEqual([1, 2, 3]);
      expect((await check(archive)).ok).toBe(true);
    }));

  test("asked twice it answers the same and writes nothing more", () =>
    inSession(async (archive, id) => {
      await tellTurns(archive, id, 6);
      const { id: compaction } = await compactSession(archive, id, request());
      const first = await undoCompaction(archive, compaction!);
      const events = rowsOf(archive, "events");
      expect(await undoCompaction(archive, compaction!)).toEqual(first);
      expect(rowsOf(archive, "events")).toEqual(events);
    }));

  test("is refused while a later compaction stands on it, and works from the last one back", () =>
    inSession(async (archive, id) => {
      await tellTurns(archive, id, 6);
      const before = await seqsIn(archive, id);
      const first = await compactSession(archive, id, request());
      await ingest(
        archive,
        id,
        [7, 8, 9].flatMap((n) => turnOf(n)),
      );
      const second = await compactSession(archive, id, request());
      expect(await code(undoCompaction(archive, first.id!))).toBe("conflict");
      await undoCompaction(archive, second.id!);
      expect((await seqsIn(archive, id))[1]).toEqual([27]);
      await undoCompaction(archive, first.id!);
      expect((await seqsIn(archive, id)).slice(0, before.length)).toEqual(before);
    }));

  test("a session that was undone can be compacted again, and its epochs go on", () =>
    inSession(async (archive, id) => {
      await tellTurns(archive, id, 6);
      await undoCompaction(archive, (await compactSession(archive, id, request())).id!);
      const again = await compactSession(archive, id, request());
      expect(again.status).toBe("complete");
      const epochs = archive.sqlite.prepare("SELECT epoch FROM snapshots ORDER BY epoch").pluck().all();
      expect(epochs).toEqual([2, 4]);
    }));

  test("of an id that is not there is not found", () =>
    inArchive(async (archive) => {
      expect(await code(undoCompaction(archive, "cmp_0000000000000000"))).toBe("not_found");
    }));
});

describe("nothing to compact is said plainly", () => {
  test.each([
    ["an empty session", 0, 4, "no turn"],
    ["one turn", 1, 4, "1 turn, and the last 4 stay whole"],
    ["as many turns as stay", 4, 4, "4 turns, and the last 4 stay whole"],
  ])("%s", (_, turns, tail, reason) =>
    inSession(async (archive, id) => {
      if (turns > 0) await tellTurns(archive, id, turns);
      const events = rowsOf(archive, "events");
      for (const dryRun of [true, false]) {
        const answer = await compactSession(archive, id, request({ tail, dryRun }));
        expect(answer).toMatchObject({ status: "nothing_to_compact", id: null, events: null, summary: "" });
        expect(answer.reason).toContain(reason);
        expect(answer.tokensAfter).toBe(answer.tokensBefore);
      }
      expect(rowsOf(archive, "events")).toEqual(events);
      expect(rowsOf(archive, "compactions")).toEqual([]);
    }),
  );

  test("a cut that is no larger than its summary", () =>
    inSession(async (archive, id) => {
      await ingest(archive, id, [userRecord("u1", "Hi."), userRecord("u2", "Ho."), userRecord("u3", "He.")]);
      const answer = await compactSession(archive, id, request({ tail: 1 }));
      expect(answer).toMatchObject({ status: "nothing_to_compact" });
      expect(answer.reason).toContain("not larger than its summary");
    }));

  test("a call without its result holds back its turn and all after it", () =>
    inSession(async (archive, id) => {
      await ingest(archive, id, [
        ...turnOf(1),
        userRecord("u2", "And?"),
        calls("a2", "t2", "sleep"),
        ...turnOf(3),
        ...turnOf(4),
        ...turnOf(5),
      ]);
      const held = await compactSession(archive, id, request({ dryRun: true }));
      expect(held.turns).toEqual([1]);
      // The result may still come; a turn that takes no more writes waits for nothing.
      await closeTurn(archive, id, 2);
      expect((await compactSession(archive, id, request({ dryRun: true }))).turns).toEqual([1, 2, 3]);
    }));
});

test("a long turn is cut between two of its steps where the context is over its budget", () =>
  inArchive(async (archive) => {
    const { id } = await createSession(archive, { id: "long", contextWindow: 4000 });
    const steps = Array.from({ length: 12 }, (_, n) => [
      modelCall(`c${n}`, 300 * (n + 1)),
      said(`s${n}`, `Step ${n} of the work.`, { call: `c${n}` }),
      calls(`a${n}`, `t${n}`, `make part_${n}`, { call: `c${n}` }),
      gives(`r${n}`, `t${n}`, `partBuilt${n} was built with care\n`.repeat(30)),
    ]).flat();
    await ingest(archive, id, [
      userRecord("u1", "Build all parts, never skip one."),
      ...steps,
      calls("open", "open", "make last"),
    ]);
    const answer = await compactSession(archive, id, request({ tail: 4 }));
    expect(answer).toMatchObject({ status: "complete", unit: "block", turns: [1] });
    const seqs = (await seqsIn(archive, id)).flat();
    // Pairs are never parted: of each call that stays its result stays too.
    expect(seqs).toContain(38);
    for (let n = 0; n < 12; n++) expect(seqs.includes(3 + n * 3)).toBe(seqs.includes(4 + n * 3));
    expect(answer.tokensAfter).toBeLessThan(4000 * 0.8);
  }));

describe("an imported session", () => {
  const inImported = (run: (archive: Archive, id: string, path: string) => Promise<void>): Promise<void> =>
    inArchive(async (archive, logs) => {
      const path = put(logs, "session.jsonl", jsonl(...LINES));
      const { files } = await importPaths(archive, [path]);
      await run(archive, files[0]!.sessions[0]!, path);
    });

  test("gets a plan beside it, and nothing of it changes", () =>
    inImported(async (archive, id) => {
      const before = dumpOf(archive);
      const context = await seqsIn(archive, id);
      const plan = await compactSession(archive, id, request());
      expect(plan).toMatchObject({ status: "planned", kind: "plan", turns: [1, 2, 3, 4] });
      expect(plan.id).toMatch(/^cmp_/);
      expect(dumpOf(archive)).toEqual(before);
      expect(await seqsIn(archive, id)).toEqual(context);
      const { compactions, items } = await memoryOf(archive, id);
      expect(compactions).toMatchObject([{ id: plan.id, kind: "plan", status: "planned", at: 24 }]);
      expect(items.length).toBe(1 + plan.semantic.length);
      expect(rowsOf(archive, "snapshots")).toEqual([]);
      await undoCompaction(archive, plan.id!);
      expect(await undoCompaction(archive, plan.id!)).toEqual({
        status: "undone",
        id: plan.id,
        sessionId: id,
        tokensAfter: null,
      });
      expect(dumpOf(archive)).toEqual(before);
    }));

  test("can be planned at any event", () =>
    inImported(async (archive, id) => {
      const plan = await compactSession(archive, id, request({ at: 13 }));
      expect(plan).toMatchObject({ status: "planned", turns: [1, 2], at: 13 });
      expect((await listCompactions(archive, id)).compactions).toMatchObject([{ at: 13 }]);
      expect(await code(compactSession(archive, id, request({ at: 25 })))).toBe("not_found");
    }));

  test("a dry run writes nothing at all", () =>
    inImported(async (archive, id) => {
      const tables = ["sessions", "compactions", "episodic_items", "semantic_items", "memory_changes", "snapshots"];
      const before = tables.map((table) => rowsOf(archive, table));
      const answer = await compactSession(archive, id, request({ dryRun: true }));
      expect(answer).toMatchObject({ status: "planned", id: null });
      expect(tables.map((table) => rowsOf(archive, table))).toEqual(before);
    }));
});

test("plans, items and recalls of an imported session outlive its rows, when its file is read again or replaced", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, "session.jsonl", jsonl(...LINES));
    const id = (await importPaths(archive, [path])).files[0]!.sessions[0]!;
    const plan = await compactSession(archive, id, request());
    const change = { do: "edit", id: plan.episodic[0]!.id, text: "Piers 1 to 4 are sound." } as const;
    await changeMemory(archive, id, change, { by: "person", who: "browser:1" });
    await recall(archive, id, { query: "pier" });
    const before = await memoryOf(archive, id);
    archive.sqlite.exec("UPDATE events SET checksum = checksum + 1 WHERE id % 4294967296 = 3");
    expect((await rebuild(archive)).rebuilt!.sessions).toBe(1);
    // Read again, its events have the numbers that they had.
    expect(await memoryOf(archive, id)).toEqual({ ...before, version: expect.anything() });
    put(logs, "session.jsonl", jsonl(prompt("other", 0, "Something else."), ...LINES));
    await importPaths(archive, [path]);
    const replaced = await memoryOf(archive, id);
    const compactions = [{ ...before.compactions[0]!, reason: expect.stringContaining("imported again") }];
    expect(replaced).toMatchObject({ compactions, items: before.items, recalls: before.recalls });
    expect((await memoryHistory(archive, id, plan.episodic[0]!.id)).changes).toHaveLength(1);
    expect(archive.sqlite.prepare("SELECT count(*) FROM settings WHERE key LIKE 'memory.kept%'").pluck().get()).toBe(0);
    expect((await check(archive)).ok).toBe(true);
  }));

describe("what is refused", () => {
  test("a second compaction of a session while one runs", () =>
    inSession(async (archive, id) => {
      await tellTurns(archive, id, 6);
      const compactions = [
        compactSession(archive, id, request()),
        compactSession(archive, id, request()),
        compactSession(archive, id, request({ dryRun: true })),
      ];
      const [first, second, dry] = await Promise.allSettled(compactions);
      expect(first!.status).toBe("fulfilled");
      expect(second).toMatchObject({ status: "rejected", reason: { code: "conflict" } });
      expect(dry!.status).toBe("fulfilled");
      expect((await memoryOf(archive, id)).compactions).toHaveLength(1);
    }));

  test("a cut in a context that a later compaction has left behind", () =>
    inSession(async (archive, id) => {
      await tellTurns(archive, id, 6);
      await compactSession(archive, id, request());
      expect(await code(compactSession(archive, id, request({ at: 20 })))).toBe("conflict");
      expect((await compactSession(archive, id, request({ at: 20, dryRun: true }))).status).toBe("planned");
    }));

  test("a session that is not there, an event beyond the end, a model that nobody set up", () =>
    inSession(async (archive, id) => {
      await tellTurns(archive, id, 6);
      expect(await code(compactSession(archive, "s_0000000000000000", request()))).toBe("not_found");
      expect(await code(compactSession(archive, id, request({ at: 26 })))).toBe("not_found");
      expect(await code(compactSession(archive, id, request({ summarizer: "gpt-9" })))).toBe("invalid");
      expect(rowsOf(archive, "compactions")).toEqual([]);
    }));

  test("one that is stopped leaves everything as it was", () =>
    inSession(async (archive, id) => {
      await tellTurns(archive, id, 6);
      const events = rowsOf(archive, "events");
      const stop = new AbortController();
      const running = compactSession(archive, id, request(), { signal: stop.signal });
      setImmediate(() => stop.abort());
      expect(await code(running)).toBe("timeout");
      expect(rowsOf(archive, "events")).toEqual(events);
      expect(rowsOf(archive, "compactions")).toEqual([]);
      // Nothing is held: the next one runs.
      expect((await compactSession(archive, id, request())).status).toBe("complete");
    }));
});

describe("what else must not break", () => {
  test("an export holds compaction, summary and undo, imports elsewhere, and exports the same again", () =>
    inSession(async (archive, id, logs) => {
      await tellTurns(archive, id, 6);
      const first = await compactSession(archive, id, request());
      await ingest(
        archive,
        id,
        [7, 8, 9].flatMap((n) => turnOf(n)),
      );
      await undoCompaction(archive, (await compactSession(archive, id, request())).id!);
      const context = await seqsIn(archive, id);
      const lines = await Array.fromAsync(exportSession(archive, id));
      expect(lines.join("")).toContain(first.id);
      const path = put(logs, "copy.plimsoll.jsonl", lines.join(""));
      await inArchive(async (other) => {
        const { files } = await importPaths(other, [path]);
        const copy = files[0]!.sessions[0]!;
        expect(await Array.fromAsync(exportSession(other, copy))).toEqual(lines);
        expect(await seqsIn(other, copy)).toEqual(context);
        expect((await showSession(other, copy)).compactions).toBe(1);
        const { compactions } = await memoryOf(other, copy);
        expect(compactions.map(({ kind, status }) => [kind, status])).toEqual([
          ["agent", "complete"],
          ["agent", "undone"],
        ]);
      });
    }));

  test("a check that rebuilds leaves a compacted session as it is", () =>
    inSession(async (archive, id) => {
      await tellTurns(archive, id, 6);
      await compactSession(archive, id, request());
      const before = [rowsOf(archive, "events"), rowsOf(archive, "compactions"), rowsOf(archive, "snapshots")];
      expect((await rebuild(archive)).ok).toBe(true);
      expect([rowsOf(archive, "events"), rowsOf(archive, "compactions"), rowsOf(archive, "snapshots")]).toEqual(before);
    }));

  test("notes of a client that the model was sent stay with their turn, its instructions stay whatever is cut", () =>
    inSession(async (archive, id) => {
      await ingest(archive, id, [
        eventRecord("m1", { type: "meta", subtype: "tools", text: "You have bash.", sent: "prefix" }),
        ...turnOf(1),
        eventRecord("m2", { type: "meta", subtype: "reminder", text: "Mind the gate.", sent: "user" }),
        ...turnOf(2),
        ...turnOf(3),
        ...turnOf(4),
      ]);
      await compactSession(archive, id, request());
      const seqs = (await seqsIn(archive, id)).flat();
      expect(seqs).toContain(1);
      expect(seqs).not.toContain(6);
    }));
});
