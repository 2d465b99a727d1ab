import { describe, expect, test } from "vitest";
import { isAppError } from "#lib/kernel/errors.ts";
import {
  asks,
  answer,
  idOf,
  jsonl,
  line,
  prompt,
  result,
  text,
  used,
} from "#lib/formats/claude-code/testing-claude.ts";
import { contextQuery, RENDERERS } from "#lib/wire/memory-schema.ts";
import { createSession } from "../artifacts/create-session.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive, put } from "../testing-archive.ts";
import { contextOf, contextPayload } from "./context.ts";
import { ingest } from "./ingest-records.ts";

const code = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "resolved",
    (error: unknown) => (isAppError(error) ? error.code : String(error)),
  );

const OUTPUT = "a line of output\n".repeat(600);

// Three calls, a compaction that keeps the second prompt, and a fourth call.
const LINES = [
  prompt("first prompt", 0, "Fix the tide table."),
  answer("first answer", 1, "one", asks("t1", "Bash", { command: "cat tides.txt" }), { usage: used(20, 0, 1000, 10) }),
  result("first result", 2, "t1", OUTPUT),
  answer("second answer", 3, "two", text("The table is old."), { usage: used(20, 1000, 4000, 10) }),
  prompt("second prompt", 4, "Then write a new one."),
  answer("third answer", 5, "three", asks("t2", "Bash", { command: "make" }), { usage: used(20, 5000, 100, 10) }),
  line("system", "cut", 6, {
    subtype: "compact_boundary",
    content: "Conversation compacted",
    compactMetadata: {
      trigger: "manual",
      preTokens: 5200,
      preservedMessages: { uuids: [idOf("second prompt")] },
    },
  }),
  line("user", "summary", 6, {
    isCompactSummary: true,
    message: { role: "user", content: "The tide table was old; a new one is wanted." },
  }),
  answer("fourth answer", 7, "four", text("I write it."), { usage: used(20, 0, 300, 10) }),
] as const;

const archiveOf = (run: (archive: Archive, id: string) => Promise<void>): Promise<void> =>
  inArchive(async (archive, logs) => {
    const { files } = await importPaths(archive, [put(logs, "session.jsonl", jsonl(...LINES))]);
    await run(archive, files[0]!.sessions[0]!);
  });

const ask = (archive: Archive, id: string, query: object = {}) =>
  contextOf(archive, id, contextQuery.parse(query), { counted: true });

const rowsOf = ({ messages }: Awaited<ReturnType<typeof ask>>) =>
  messages.map(({ role, seqs, change }) => `${role} ${seqs.join(",")} ${change}`);

describe("the context at an event", () => {
  test("of an event that a call produced is what that call was sent", () =>
    archiveOf(async (archive, id) => {
      const context = await ask(archive, id, { at: 4 });
      expect(context).toMatchObject({ at: 3, call: 2, epoch: 1, reported: 5020 });
      expect(rowsOf(context)).toEqual(["user 1 same", "assistant 2 new", "tool 3 new"]);
      expect(context.left).toEqual([]);
    }));

  test("of any other event is all up to it, and names the call that came next", () =>
    archiveOf(async (archive, id) => {
      expect(await ask(archive, id, { at: 5 })).toMatchObject({ at: 5, call: 3, reported: 5120 });
      expect(await ask(archive, id, { at: 3 })).toMatchObject({ at: 3, call: 2 });
      const early = await ask(archive, id, { at: 1 });
      expect(early).toMatchObject({ at: 1, call: 1, reported: 1020 });
      expect(rowsOf(early)).toEqual(["user 1 new"]);
    }));

  test("after a compaction is its summary and what it kept; the rest left", () =>
    archiveOf(async (archive, id) => {
      const context = await ask(archive, id, { at: 9 });
      expect(context).toMatchObject({ at: 8, call: 4, epoch: 2 });
      expect(rowsOf(context)).toEqual(["user 5 same", "user 8 new"]);
      expect(context.left.map(({ seqs }) => seqs)).toEqual([[1], [2], [3], [4]]);
    }));

  test("at the end has no call yet, and a call without a result gets one that says so", () =>
    archiveOf(async (archive, id) => {
      const context = await ask(archive, id, { at: 6 });
      expect(context.call).toBe(3);
      const open = await ask(archive, id, { at: 7 });
      expect(open.repair).toEqual({ moved: 0, synthetic: 0, duplicates: 0, orphans: 0, droppedCalls: 0 });
      const end = await ask(archive, id);
      expect(end).toMatchObject({ at: 9, call: null, reported: null });
    }));

  test("weighs a stored output whole, and puts it whole into the payload", () =>
    archiveOf(async (archive, id) => {
      const context = await ask(archive, id, { at: 4 });
      expect(context.messages[2]).toMatchObject({ role: "tool", chars: OUTPUT.length });
      // The prompt grew by 4,000: the output, and what asked for it.
      const [, call, result] = context.messages;
      expect(call!.tokens + result!.tokens).toBe(4000);
      expect(context.payload.json).toContain(JSON.stringify(OUTPUT).slice(1, -1));
    }));
});

test("each renderer gives a payload, the same that the download holds", () =>
  archiveOf(async (archive, id) => {
    for (const as of RENDERERS) {
      const context = await ask(archive, id, { at: 5, as });
      const { json, name } = await contextPayload(archive, id, contextQuery.parse({ at: 5, as }));
      expect(context.payload).toEqual({ json, isCut: false, bytes: Buffer.byteLength(json) });
      expect(JSON.parse(json)).toBeTypeOf("object");
      expect(name).toBe(`${id}-context-5.${as}.json`);
    }
  }));

test("a call that was never answered is told as mended", () =>
  inArchive(async (archive) => {
    const { id } = await createSession(archive, { id: "run" });
    await ingest(archive, id, [
      { record: "event", startsTurn: true, body: { type: "user", text: "Go." } },
      { record: "event", body: { type: "tool_call", toolCallId: "t1", toolName: "bash", input: { command: "ls" } } },
      { record: "event", startsTurn: true, body: { type: "user", text: "Well?" } },
      { record: "event", body: { type: "tool_result", toolCallId: "t9", text: "nobody asked" } },
    ]);
    const context = await ask(archive, id);
    expect(context.repair).toMatchObject({ synthetic: 1, orphans: 1 });
    expect(context.messages.map(({ role, synthetic }) => [role, synthetic])).toEqual([
      ["user", false],
      ["assistant", false],
      ["tool", true],
      ["user", false],
    ]);
  }));

test("a session without events has an empty context; an event that is not there is not found", () =>
  inArchive(async (archive) => {
    const { id } = await createSession(archive, { id: "empty" });
    expect(await ask(archive, id)).toMatchObject({ at: 0, messages: [], tokens: 0, call: null, epoch: 1 });
    expect(await code(ask(archive, id, { at: 1 }))).toBe("not_found");
    expect(await code(ask(archive, "s_0000000000000000"))).toBe("not_found");
  }));
