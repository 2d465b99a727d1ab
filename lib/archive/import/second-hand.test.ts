// What an agent printed of a session gives way to the file that it writes itself, in whatever order the two came.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { query } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import { inArchive, put } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";

const printed = readFileSync(join(import.meta.dirname, "../../formats/fixtures/stream-json-synthetic-session.jsonl"));
const ID = "7e570000-0000-4000-8000-00000000a001";
const own = [
  { type: "user", uuid: "u1", parentUuid: null, message: { role: "user", content: "Which boats are in?" } },
  {
    type: "assistant",
    uuid: "u2",
    parentUuid: "u1",
    requestId: "req_s1",
    message: {
      id: "msg_s1",
      role: "assistant",
      model: "claude-opus-5",
      content: [{ type: "text", text: "North." }],
      stop_reason: "end_turn",
      usage: { input_tokens: 4, output_tokens: 31 },
    },
  },
]
  .map((one) => `${JSON.stringify({ ...one, sessionId: ID, isSidechain: false, timestamp: "2026-03-02T09:00:00Z" })}\n`)
  .join("");

const sourcesOf = ({ sqlite }: Archive) =>
  query(
    sqlite,
    { format: "sources.format", status: "sources.status", reason: "sources.reason" },
    "FROM sources ORDER BY format",
  ).all();
const sessionsOf = ({ sqlite }: Archive) =>
  query(sqlite, { name: "sessions.native_id" }, "FROM sessions ORDER BY native_id")
    .all()
    .map(({ name }) => name);

test.each(["printed first", "printed last"])("%s: the agent's own file is read", (order) =>
  inArchive(async (archive, logs) => {
    const files = [put(logs, "run.jsonl", printed), put(logs, `${ID}.jsonl`, own)];
    for (const path of order === "printed first" ? files : files.toReversed()) await importPaths(archive, [path]);
    expect(sourcesOf(archive)).toEqual([
      expect.objectContaining({ format: "claude-code", status: "ok" }),
      {
        format: "stream-json",
        status: "older copy",
        reason: `What the agent printed of the session in ${files[1]}, which is read.`,
      },
    ]);
    expect(sessionsOf(archive)).toEqual([`claude-code:${ID}`]);
  }),
);

test("without it the printed session stands under its name, its sub-agent below", () =>
  inArchive(async (archive, logs) => {
    await importPaths(archive, [put(logs, "run.jsonl", printed)]);
    expect(sessionsOf(archive)).toEqual([`claude-code:${ID}`, `claude-code:${ID}/toolu_s2`]);
  }));

test.each(["printed first", "printed last"])("%s: a run of Copilot CLI gives way to the session's own file", (order) =>
  inArchive(async (archive, logs) => {
    const run = readFileSync(
      join(import.meta.dirname, "../../formats/fixtures/copilot-run-synthetic-session.jsonl"),
      "utf8",
    );
    const lines = run.split("\n").filter((line) => line.includes('"parentId"') && !line.includes('"ephemeral"'));
    const id = "50000000-0000-4000-8000-0000000000ff";
    const start = { type: "session.start", data: { sessionId: id }, id: "s", timestamp: "2026-11-04T09:00:00.000Z" };
    const whole = [JSON.stringify({ ...start, parentId: null }), ...lines, ""].join("\n");
    const files = [put(logs, "run.jsonl", run), put(logs, "events.jsonl", whole)];
    for (const path of order === "printed first" ? files : files.toReversed()) await importPaths(archive, [path]);
    expect(sourcesOf(archive)).toMatchObject([
      { format: "copilot", status: "ok" },
      { format: "copilot-run", status: "older copy" },
    ]);
    expect(sessionsOf(archive)).toEqual([`copilot:${id}`]);
  }),
);

test("a run of Copilot CLI that is still printed keeps its name, and has its session's at the end", () =>
  inArchive(async (archive, logs) => {
    const path = join(import.meta.dirname, "../../formats/fixtures/copilot-run-synthetic-session.jsonl");
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    const names = new Set<string>();
    const statuses: string[] = [];
    for (let count = 4; count < lines.length; count++) {
      const { files } = await importPaths(archive, [put(logs, "run.jsonl", `${lines.slice(0, count).join("\n")}\n`)]);
      statuses.push(files[0]!.status);
      for (const name of sessionsOf(archive)) names.add(name);
    }
    expect([names.size, new Set(statuses.slice(1))]).toEqual([1, new Set(["grown"])]);
    await importPaths(archive, [put(logs, "run.jsonl", `${lines.join("\n")}\n`)]);
    expect(sessionsOf(archive)).toEqual(["copilot:50000000-0000-4000-8000-0000000000ff"]);
  }));
