import { expect, test } from "vitest";
import { answer, asks, jsonl, prompt, result, text } from "#lib/formats/claude-code/testing-claude.ts";
import { contextAnswer, contextMessageQuery, contextQuery } from "#lib/wire/memory-schema.ts";
import { createSession } from "../artifacts/create-session.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { listEvents } from "../sessions/list-events.ts";
import { outline as outlineOf } from "../sessions/outline.ts";
import { inArchive, put } from "../testing-archive.ts";
import { compactSession, undoCompaction } from "./compact.ts";
import { contextOf } from "./context.ts";
import { anyContext, anyContextMessage, anyContextPayload } from "./plan-context.ts";
import { ingest } from "./ingest-records.ts";
import { firstSeqOf, request, tellTurns, turnOf } from "./testing-run.ts";
import { findSession } from "../base/find-session.ts";
import { weightsOf } from "../load/event-weights.ts";
import { showSession } from "../sessions/show-session.ts";
import { sessionLedger } from "../load/session-ledger.ts";

const epochOf = async (archive: Archive, id: string): Promise<number> =>
  (await contextOf(archive, id, contextQuery.parse({}))).epoch;

test("the epoch never goes back: 1, 2, undone 3, compacted again 4", () =>
  inArchive(async (archive) => {
    const { id } = await createSession(archive, { id: "run" });
    await tellTurns(archive, id, 6);
    const epochs = [await epochOf(archive, id)];
    const first = await compactSession(archive, id, request());
    epochs.push(await epochOf(archive, id));
    await undoCompaction(archive, first.id!);
    epochs.push(await epochOf(archive, id));
    await compactSession(archive, id, request());
    epochs.push(await epochOf(archive, id));
    expect(epochs).toEqual([1, 2, 3, 4]);
  }));

test("an undone compaction and its undoing stand in the transcript", () =>
  inArchive(async (archive) => {
    const { id } = await createSession(archive, { id: "run" });
    await tellTurns(archive, id, 6);
    const { id: compaction } = await compactSession(archive, id, request());
    await undoCompaction(archive, compaction!);
    const { events } = await listEvents(archive, id, { from: 26, limit: 10 });
    expect(events.map(({ seq, body, undoneBy }) => [seq, body.type, undoneBy ?? null])).toEqual([
      [26, "compaction", 28],
      [27, "user", null],
      [28, "meta", null],
    ]);
    const outline = await outlineOf(archive, id);
    const HIDDEN = 8;
    const flags = outline.seq.map((seq, i) => [seq, (outline.flags[i]! & HIDDEN) !== 0] as const);
    expect(flags.filter(([seq]) => seq >= 26)).toEqual([
      [26, false],
      [27, false],
      [28, false],
    ]);
  }));

test("calls before an undoing were sent the summary, those after it what it had covered", () =>
  inArchive(async (archive) => {
    const { id } = await createSession(archive, { id: "run" });
    await tellTurns(archive, id, 6);
    const first = await compactSession(archive, id, request());
    const [between, after] = [turnOf(7), turnOf(8)];
    await ingest(archive, id, between);
    await undoCompaction(archive, first.id!);
    await ingest(archive, id, after);

    const { calls, items, state } = await sessionLedger(archive, id);
    expect(state).toBe((await showSession(archive, id)).state);
    expect(calls.map(({ epoch }) => epoch)).toEqual([1, 1, 1, 1, 1, 1, 2, 3]);
    for (const { prefix, visible, unattributed, sum } of calls) expect(prefix + visible + unattributed).toBe(sum);
    const stays = items.filter(({ seq }) => seq === firstSeqOf(1));
    expect(stays.map(({ enteredAt, leftAt }) => [enteredAt, leftAt])).toEqual([
      [1, 7],
      [8, null],
    ]);
    // One thing has one weight, however often it comes in.
    expect(new Set(stays.map(({ tokens }) => tokens)).size).toBe(1);
    const summary = items.filter(({ seq }) => seq === 27);
    expect(summary.map(({ enteredAt, leftAt }) => [enteredAt, leftAt])).toEqual([[7, 8]]);
    expect(weightsOf(archive, findSession(archive, id)).of(firstSeqOf(1))).toMatchObject({ callsResident: 7 });

    const whole = (at?: number) => contextOf(archive, id, contextQuery.parse(at === undefined ? {} : { at }));
    const seqs = (await whole(29)).messages.flatMap((message) => message.seqs);
    expect(seqs).toContain(27);
    expect(seqs).not.toContain(firstSeqOf(1));
    expect((await whole()).messages.flatMap((message) => message.seqs)).toContain(firstSeqOf(1));
  }));

test("the context that a plan leaves is read, compared with the one before, and exported", () =>
  inArchive(async (archive, logs) => {
    const lines = Array.from({ length: 6 }, (_, n) => [
      prompt(`p${n}`, n * 9, `Look at pier ${n}.`),
      answer(`a${n}`, n * 9 + 1, `m${n}`, asks(`t${n}`, "Bash", { command: `cat pier_${n}.log` })),
      result(`r${n}`, n * 9 + 2, `t${n}`, `pierLine_${n} holds the tide\n`.repeat(80)),
      answer(`b${n}`, n * 9 + 3, `k${n}`, text(`Pier ${n} is sound.`)),
    ]).flat();
    const { files } = await importPaths(archive, [put(logs, "session.jsonl", jsonl(...lines))]);
    const id = files[0]!.sessions[0]!;
    const plan = await compactSession(archive, id, request());
    expect(plan.kind).toBe("plan");
    const query = contextQuery.parse({ plan: plan.id!, as: "anthropic" });
    const compacted = contextAnswer.parse(await anyContext(archive, id, query));
    expect(compacted.tokens).toBe(plan.tokensAfter);
    expect(compacted.epoch).toBe(2);
    expect(compacted.messages.filter(({ change }) => change === "new")).toHaveLength(1);
    const original = await contextOf(archive, id, contextQuery.parse({}));
    expect(compacted.left.length + compacted.messages.length - 1).toBe(original.messages.length);
    expect(compacted.payload.json).toContain("Summary of turns 1–4");
    const { json, name } = await anyContextPayload(archive, id, query);
    expect(json).toBe(compacted.payload.json);
    expect(name).toBe(`${id}-${plan.id}.anthropic.json`);
    const index = compacted.messages.findIndex(({ change }) => change === "new");
    const message = await anyContextMessage(archive, id, contextMessageQuery.parse({ plan: plan.id!, index }));
    expect(message.text).toContain(plan.summary);
    await expect(anyContext(archive, id, contextQuery.parse({ plan: "cmp_0000000000000000" }))).rejects.toThrow(
      /No compaction/,
    );
  }));
