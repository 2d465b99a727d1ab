// Sessions whose files name them nowhere, or as another file does: two that begin alike are two, and one that grows stays one.
import { appendFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { query } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import { inArchive, put } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";

const jsonl = (...records: unknown[]): string => records.map((one) => `${JSON.stringify(one)}\n`).join("");

/** A line of each format: what is said, by whom, and which one it is. */
const LINES = {
  cursor: (role: string, text: string) => ({ role, message: { content: [{ type: "text", text }] } }),
  antigravity: (role: string, text: string, i: number) => ({
    step_index: i,
    source: role === "user" ? "USER_EXPLICIT" : "MODEL",
    type: role === "user" ? "USER_INPUT" : "PLANNER_RESPONSE",
    content: text,
  }),
  grok: (role: string, text: string) => ({ type: role, content: text }),
  messages: (role: string, text: string) => ({ role, content: text }),
};

test("two files of Goose with one name are two sessions, where what they say differs", () =>
  inArchive(async (archive, logs) => {
    const head = { working_dir: "/gulls", description: "Gulls", message_count: 2 };
    const say = (role: string, text: string): object => ({
      role,
      created: 1_750_000_000,
      content: [{ type: "text", text }],
    });
    put(logs, "a/20250615_1.jsonl", jsonl(head, say("user", "Count the terns"), say("assistant", "Seven.")));
    put(
      logs,
      "b/20250615_1.jsonl",
      jsonl(head, say("user", "Count the gulls"), say("assistant", "Two."), say("user", "More")),
    );
    await importPaths(archive, [logs]);
    expect(sessionsOf(archive).map(({ records }) => records)).toEqual([3, 4]);
    expect(statusOf(archive)).toEqual(["ok", "ok"]);
  }));

const sessionsOf = ({ sqlite }: Archive) =>
  query(sqlite, { name: "sessions.native_id", records: "sessions.records" }, "FROM sessions ORDER BY records").all();
const statusOf = ({ sqlite }: Archive) =>
  query(sqlite, { status: "sources.status" }, "FROM sources ORDER BY status")
    .all()
    .map(({ status }) => status);

describe.each(Object.entries(LINES))("%s", (_format, line) => {
  const first = [line("user", "Hello", 0), line("assistant", "Hello. What is it?", 1)];

  test("two sessions that begin alike are two", () =>
    inArchive(async (archive, logs) => {
      put(logs, "a.jsonl", jsonl(...first, line("user", "Count the terns", 2)));
      put(logs, "b.jsonl", jsonl(...first, line("user", "Count the gulls", 2), line("assistant", "Two.", 3)));
      await importPaths(archive, [logs]);
      expect(sessionsOf(archive).map(({ records }) => records)).toEqual([3, 4]);
      expect(statusOf(archive)).toEqual(["ok", "ok"]);
    }));

  test("a copy of one is a copy", () =>
    inArchive(async (archive, logs) => {
      put(logs, "a.jsonl", jsonl(...first));
      put(logs, "b.jsonl", jsonl(...first, line("user", "Count the gulls", 2)));
      await importPaths(archive, [logs]);
      expect(sessionsOf(archive).map(({ records }) => records)).toEqual([3]);
      expect(statusOf(archive)).toEqual(["ok", "older copy"]);
    }));

  test("one that grows keeps its name, whenever it is read", () =>
    inArchive(async (archive, logs) => {
      const path = put(logs, "a.jsonl", jsonl(first[0]));
      const names: string[] = [];
      for (const more of [first[1], line("user", "Count the terns", 2), null]) {
        await importPaths(archive, [path]);
        names.push(...sessionsOf(archive).map(({ name }) => name));
        if (more !== null) appendFileSync(path, jsonl(more));
      }
      await inArchive(async (other, folder) => {
        put(folder, "a.jsonl", jsonl(...first, line("user", "Count the terns", 2)));
        await importPaths(other, [folder]);
        names.push(...sessionsOf(other).map(({ name }) => name));
      });
      expect(new Set(names).size).toBe(1);
    }));
});

describe("a sub-agent inside the file of its parent, with a file of its own too", () => {
  const of = (type: string, uuid: string, text: string, more: object): object => ({
    ...{ type, uuid, parentUuid: null, sessionId: SESSION, timestamp: "2026-03-02T09:00:00Z", cwd: "/reef" },
    message: { role: type, content: [{ type: "text", text }] },
    ...more,
  });
  const SESSION = "5e551011-0000-4000-8000-00000000000a";
  const own = { isSidechain: true, agentId: "5a1de001" };
  const files = {
    "main.jsonl": jsonl(
      of("user", "00000000-0000-4000-8000-000000000001", "Count", { isSidechain: false }),
      of("user", "00000000-0000-4000-8000-000000000002", "Look east", own),
    ),
    "agent-5a1de001.jsonl": jsonl(
      of("user", "00000000-0000-4000-8000-000000000002", "Look east", own),
      of("user", "00000000-0000-4000-8000-000000000003", "Look west", own),
    ),
  };
  const names = Object.keys(files) as (keyof typeof files)[];

  test.each([
    ["before it", names],
    ["behind it", names.toReversed()],
  ])("is read %s, and both are kept", (_order, order) =>
    inArchive(async (archive, logs) => {
      const paths = Object.fromEntries(order.map((name) => [name, put(logs, name, files[name])]));
      for (const name of order) {
        const { files: read } = await importPaths(archive, [paths[name]!], { final: true });
        expect(read.map(({ status }) => status)).toEqual(["imported"]);
      }
      const plain = sessionsOf(archive).map(({ name, records }) => [name.replace(/~[0-9a-f]{8}$/, "~head"), records]);
      expect(plain.toSorted()).toEqual([
        [`claude-code:${SESSION}`, 1],
        [`claude-code:${SESSION}/5a1de001`, 2],
        [`claude-code:${SESSION}/5a1de001~head`, 1],
      ]);
      // And again, when the archive reads them anew.
      await importPaths(archive, [logs], { final: true });
      expect(statusOf(archive)).toEqual(["ok", "ok"]);
    }),
  );
});
