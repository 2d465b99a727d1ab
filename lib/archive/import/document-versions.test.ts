// Chats that are one JSON document, written anew at each step. All are synthetic.
import { utimesSync } from "node:fs";
import { expect, test } from "vitest";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { listSessions } from "../sessions/list-sessions.ts";
import { summaryOfSession } from "../sessions/show-session.ts";
import { inArchive, put } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";

const ID = "0c0ffee0-0000-4000-8000-0000000000d1";

/** A chat of so many answers, the last one with its calls or without. */
function chat(count: number, more: object = {}): string {
  const messages = Array.from({ length: count }, (_, i) => ({
    id: `${String(i).padStart(8, "0")}-0000-4000-8000-00000000000d`,
    timestamp: new Date(Date.UTC(2025, 8, 1, 10, i)).toISOString(),
    ...(i % 2 === 0
      ? { type: "user", content: `Question ${i}` }
      : {
          type: "gemini",
          content: `Answer ${i}`,
          model: "gemini-2.5-pro",
          tokens: { input: 100 * i, output: 10, cached: 0, thoughts: 0, tool: 0, total: 100 * i + 10 },
          ...(i === count - 1 && more),
        }),
  }));
  const startTime = "2025-09-01T10:00:00.000Z";
  return JSON.stringify({ sessionId: ID, projectHash: "ab", startTime, lastUpdated: `${count}`, messages }, null, 2);
}

const CALL = {
  id: "c1",
  name: "read_file",
  args: {},
  status: "success",
  result: [{ functionResponse: { id: "c1", name: "read_file", response: { output: "x" } } }],
};

async function shown(archive: Archive) {
  const { sessions } = await listSessions(archive, sessionsQuery.parse({}));
  const { usage, modelCalls, toolResults } = summaryOfSession(archive, findSession(archive, `gemini:${ID}`));
  return { sessions: sessions.length, input: usage.inputUncached, calls: modelCalls.own, toolResults };
}

test("one that goes on is the same session, message by message, and leaves no earlier version", async () => {
  await inArchive(async (archive, logs) => {
    const write = async (text: string) => importPaths(archive, [put(logs, "chats/session-1.json", text)]);
    await write(chat(2));
    expect(await shown(archive)).toEqual({ sessions: 1, input: 100, calls: 1, toolResults: 0 });
    await write(chat(2, { toolCalls: [CALL] }));
    expect(await shown(archive)).toEqual({ sessions: 1, input: 100, calls: 1, toolResults: 1 });
    await write(chat(4));
    expect(await shown(archive)).toEqual({ sessions: 1, input: 400, calls: 2, toolResults: 0 });
  });
});

test("one that lost messages stays as an earlier version, and each call is counted once", async () => {
  await inArchive(async (archive, logs) => {
    const write = async (text: string) => importPaths(archive, [put(logs, "chats/session-1.json", text)]);
    await write(chat(6));
    await write(chat(2));
    expect(await shown(archive)).toMatchObject({ input: 100, calls: 1 });
    const earlier = summaryOfSession(archive, findSession(archive, `gemini:${ID}~earlier1`));
    expect(earlier.modelCalls).toEqual({ own: 2, inherited: 1 });
    expect(earlier.usage.inputUncached).toBe(800);
    // Cut off in the middle of a write, then whole again.
    await write(chat(4).slice(0, 500));
    await write(chat(4));
    expect(await shown(archive)).toMatchObject({ input: 400, calls: 2 });
  });
});

test("an answer that is edited to one as long, between others, is read again", () =>
  inArchive(async (archive, logs) => {
    const long = chat(80);
    const path = put(logs, "chat.json", long);
    await importPaths(archive, [path]);
    put(logs, "chat.json", long.replace('"Answer 41"', '"Edited 41"'));
    utimesSync(path, new Date(), new Date(Date.now() + 5000));
    const { files } = await importPaths(archive, [path]);
    expect(files.map(({ status }) => status)).toEqual(["replaced"]);
    expect((await importPaths(archive, [path])).files.map(({ status }) => status)).toEqual(["unchanged"]);
    const texts = archive.sqlite.prepare("SELECT json_extract(body, '$.text') FROM events").pluck().all();
    expect([texts.includes("Edited 41"), texts.includes("Answer 43")]).toEqual([true, true]);
  }));
