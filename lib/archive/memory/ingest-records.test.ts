import { describe, expect, test } from "vitest";
import { isAppError } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { eventsQuery } from "#lib/wire/events-schema.ts";
import { closeTurn, createSession } from "../artifacts/create-session.ts";
import type { Archive } from "../base/archive-type.ts";
import { check } from "../upkeep/check-archive.ts";
import { exportSession } from "../sessions/export-session.ts";
import { importPaths } from "../import/import-paths.ts";
import { listEvents } from "../sessions/list-events.ts";
import { showSession } from "../sessions/show-session.ts";
import { inArchive, put } from "../testing-archive.ts";
import { recordOutput } from "../artifacts/record-output.ts";
import { exportedKey, recordKey } from "../base/row-keys.ts";
import { ingest } from "./ingest-records.ts";

const code = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "resolved",
    (error: unknown) => (isAppError(error) ? error.code : String(error)),
  );

const said = (uuid: string, text: string, more: object = {}) => ({
  record: "event",
  uuid,
  ts: "2026-01-01T00:00:00Z",
  body: { type: "assistant", text },
  ...more,
});
const prompt = (uuid: string, text: string) => ({
  record: "event",
  uuid,
  startsTurn: true,
  body: { type: "user", text },
});
const asks = (uuid: string, id: string) => ({
  record: "event",
  uuid,
  body: { type: "tool_call", toolCallId: id, toolName: "bash", input: { command: "ls" } },
});
const gives = (uuid: string, id: string, text: string) => ({
  record: "event",
  uuid,
  body: { type: "tool_result", toolCallId: id, text },
});
const call = (key: string) => ({
  record: "call",
  key,
  model: "claude-synthetic",
  usage: { inputUncached: 100, cacheRead: 0, cacheWrite: 0, output: 10, reasoning: 0, origin: "reported" },
});

const eventsOf = async (archive: Archive, id: string) =>
  (await listEvents(archive, id, eventsQuery.parse({ limit: 500 }))).events;

const inSession = (run: (archive: Archive, id: string, logs: string) => Promise<void>): Promise<void> =>
  inArchive(async (archive, logs) => {
    const { id } = await createSession(archive, { id: "run" });
    await run(archive, id, logs);
  });

test("what an agent tells stands in the log in its order, with turns, calls and pairs", () =>
  inSession(async (archive, id) => {
    const { seqs } = await ingest(archive, id, [
      prompt("u1", "Which files?"),
      call("c1"),
      said("a1", "I look.", { call: "c1" }),
      asks("a2", "t1"),
      gives("r1", "t1", "a.txt"),
      prompt("u2", "And now?"),
    ]);
    expect(seqs).toEqual([1, null, 2, 3, 4, 5]);
    const events = await eventsOf(archive, id);
    expect(events.map(({ type, turn, call: number, pairSeq }) => [type, turn, number, pairSeq])).toEqual([
      ["user", 1, null, null],
      ["assistant", 1, 1, null],
      ["tool_call", 1, null, 4],
      ["tool_result", 1, null, 3],
      ["user", 2, null, null],
    ]);
    const shown = await showSession(archive, id);
    expect(shown).toMatchObject({ turns: 2, toolCalls: 1, toolResults: 1, callsWithoutResult: 0 });
    expect(shown.modelCalls.own).toBe(1);
    expect((await check(archive)).ok).toBe(true);
  }));

test("a message that begins a turn begins one; what a tool sends, and a result without a call, go on with it", () =>
  inSession(async (archive, id) => {
    const fromTool = { record: "event", uuid: "n1", body: { type: "user", text: "All tools finished. Continue." } };
    await ingest(archive, id, [prompt("u1", "Go."), fromTool, prompt("u2", "On."), gives("r1", "unknown", "late")]);
    expect((await eventsOf(archive, id)).map(({ type, turn }) => [type, turn])).toEqual([
      ["user", 1],
      ["user", 1],
      ["user", 2],
      ["tool_result", 2],
    ]);
  }));

test("a request that is sent again gets the same answer and writes nothing twice", () =>
  inSession(async (archive, id) => {
    const records = [prompt("u1", "Go."), call("c1"), said("a1", "First."), said("a1", "Second."), asks("a2", "t1")];
    const first = await ingest(archive, id, records);
    const again = await Promise.all([ingest(archive, id, records), ingest(archive, id, records)]);
    for (const one of again) expect(one.seqs).toEqual(first.seqs);
    const more = await ingest(archive, id, [...records, gives("r1", "t1", "x".repeat(9000)), said("a1", "Second.")]);
    expect(more.seqs).toEqual([...first.seqs, 5, 3]);
    expect((await ingest(archive, id, [gives("r1", "t1", "x".repeat(9000))])).seqs).toEqual([5]);
    expect(await eventsOf(archive, id)).toHaveLength(5);
  }));

test("a record is stored once too where others wrote in between, a request was refused, or its uuid is an exported key", () =>
  inSession(async (archive, id) => {
    const first = [prompt("u1", "go"), asks("a1", "c1")];
    await ingest(archive, id, first);
    await ingest(archive, id, [gives("r1", "c1", "x")]);
    expect(await code(ingest(archive, id, [said("s1", "one"), said("u1", "other words")]))).toBe("conflict");
    await ingest(archive, id, [said("s1", "one"), asks("a2", "c2")]);
    await recordOutput(
      archive,
      { session: id, toolName: "bash", toolCallId: "c2", isError: false },
      Buffer.from("made"),
    );
    await ingest(archive, id, [...first, gives("r1", "c1", "x"), said("s1", "one"), said("s2", "two")]);
    const key = exportedKey(recordKey("s2", new Uint8Array(0)));
    await ingest(archive, id, [said(key, "two"), said("s3", "three")]);
    await ingest(archive, id, [said("s3", "three"), said("s2", "two"), said("s1", "one")]);
    const events = await eventsOf(archive, id);
    expect(events.map(({ type, text }) => [type, text])).toEqual([
      ["user", "go"],
      ...[["tool_call", expect.anything()] as const, ["tool_result", "x"] as const, ["assistant", "one"] as const],
      ...[["tool_call", expect.anything()] as const, ["tool_result", "made"] as const],
      ...[["assistant", "two"] as const, ["assistant", "three"] as const],
    ]);
    expect((await check(archive)).problems).toEqual([]);
  }));

test("two requests with the same records at once write them once", () =>
  inSession(async (archive, id) => {
    const records = Array.from({ length: 50 }, (_, i) => said(`a${i}`, `Word ${i}`));
    const answers = await Promise.all(Array.from({ length: 8 }, () => ingest(archive, id, records)));
    for (const { seqs } of answers) expect(seqs).toEqual(answers[0]!.seqs);
    expect(await eventsOf(archive, id)).toHaveLength(50);
  }));

test("a uuid that says something else is refused, and nothing of its request is written", () =>
  inSession(async (archive, id) => {
    await ingest(archive, id, [said("a1", "First.")]);
    expect(await code(ingest(archive, id, [said("b1", "New."), said("a1", "Other.")]))).toBe("conflict");
    expect(await code(ingest(archive, id, [said("b1", "New."), prompt("a1", "First.")]))).toBe("conflict");
    expect(await eventsOf(archive, id)).toHaveLength(1);
  }));

test("a record without a uuid is appended each time", () =>
  inSession(async (archive, id) => {
    const bare = { record: "event", body: { type: "assistant", text: "Again." } };
    expect((await ingest(archive, id, [bare, bare])).seqs).toEqual([1, 2]);
    expect((await ingest(archive, id, [bare])).seqs).toEqual([3]);
  }));

test("a long result is kept as an artifact and counted whole", () =>
  inSession(async (archive, id) => {
    await ingest(archive, id, [asks("a1", "t1"), gives("r1", "t1", "line\n".repeat(4000))]);
    const [, result] = await eventsOf(archive, id);
    expect(result).toMatchObject({ saw: "full", bytes: 20_000, stored: { sizeBytes: 20_000, lineCount: 4000 } });
  }));

describe("a closed turn takes nothing", () => {
  test("what would go on in it is refused, and the next turn is taken", () =>
    inSession(async (archive, id) => {
      await ingest(archive, id, [prompt("u1", "Go."), asks("a1", "t1")]);
      await closeTurn(archive, id, 1);
      expect(await code(ingest(archive, id, [said("a2", "Late.")]))).toBe("conflict");
      expect(await code(ingest(archive, id, [prompt("u2", "Next."), gives("r1", "t1", "late")]))).toBe("conflict");
      expect(await eventsOf(archive, id)).toHaveLength(2);
      expect((await ingest(archive, id, [prompt("u2", "Next."), said("a3", "Yes.")])).seqs).toEqual([3, 4]);
    }));

  test("what was told before it was closed is still answered", () =>
    inSession(async (archive, id) => {
      const records = [prompt("u1", "Go."), said("a1", "Yes.")];
      const first = await ingest(archive, id, records);
      await closeTurn(archive, id, 1);
      expect((await ingest(archive, id, records)).seqs).toEqual(first.seqs);
    }));
});

describe("what is refused", () => {
  test.each([
    ["a record of no kind", [{ record: "note" }], "invalid"],
    ["a record without a body", [{ record: "event" }], "invalid"],
    ["a body of no type", [{ record: "event", body: { type: "thought", text: "" } }], "invalid"],
    ["a link", [{ record: "link", toolCallId: "t1", agentId: "a" }], "invalid"],
    ["no object", ["event"], "invalid"],
    [
      "more records than a request may hold",
      Array.from({ length: LIMITS.ingestRecords + 1 }, (_, i) => said(`a${i}`, "x")),
      "too_large",
    ],
  ])("%s", (_, records, expected) =>
    inSession(async (archive, id) => {
      expect(await code(ingest(archive, id, records))).toBe(expected);
      expect(await eventsOf(archive, id)).toEqual([]);
    }),
  );

  test("a session that is not there, and one that was imported", () =>
    inArchive(async (archive, logs) => {
      const header = { plimsoll: 1, id: "file" };
      const path = put(logs, "one.plimsoll.jsonl", `${JSON.stringify(header)}\n${JSON.stringify(said("a1", "x"))}\n`);
      await importPaths(archive, [path]);
      expect(await code(ingest(archive, "s_0000000000000000", [said("a2", "x")]))).toBe("not_found");
      expect(await code(ingest(archive, "plimsoll:file", [said("a2", "x")]))).toBe("conflict");
    }));
});

test("an export of what was told imports into an empty archive, and exports the same again", () =>
  inSession(async (archive, id, logs) => {
    await ingest(archive, id, [
      prompt("u1", "Which files?"),
      call("c1"),
      said("a1", "I look.", { call: "c1" }),
      asks("a2", "t1"),
      gives("r1", "t1", "line\n".repeat(4000)),
    ]);
    const lines = await Array.fromAsync(exportSession(archive, id));
    const path = put(logs, "copy.plimsoll.jsonl", lines.join(""));
    await inArchive(async (other) => {
      const { files } = await importPaths(other, [path]);
      expect(await Array.fromAsync(exportSession(other, files[0]!.sessions[0]!))).toEqual(lines);
    });
  }));
