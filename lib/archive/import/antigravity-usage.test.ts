// What Antigravity notes of each request, in the database of a conversation: rows of protobuf, written by hand. The numbers of the fields
// are those that readers of real files name.
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { findSession } from "../base/find-session.ts";
import { reportedCalls } from "../load/reported-calls.ts";
import { summaryOfSession } from "../sessions/show-session.ts";
import { inFolder, put, withArchive } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";

const ID = "0a1b2c3d-0000-4000-8000-00000000000e";
const AT = Date.UTC(2026, 8, 1, 10);

type Value = number | string | Field[];
type Field = readonly [number, Value];

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];

/** A message as protobuf has it: whole numbers, texts and messages. */
function message(fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.map(([field, value]) => {
      if (typeof value === "number") return Buffer.from([...varint(field * 8), ...varint(value)]);
      const bytes = typeof value === "string" ? Buffer.from(value) : message(value);
      return Buffer.concat([Buffer.from([...varint(field * 8 + 2), ...varint(bytes.length)]), bytes]);
    }),
  );
}

const time = (ms: number): Field[] => [
  [1, Math.floor(ms / 1000)],
  [2, (ms % 1000) * 1e6],
];

/** Model, input, output, cache and ids, as they stand in both tables. */
const used = (id: string, input: number, cached: number, thought: number, said: number): Field[] => [
  ...([
    [1, 1072],
    [2, input],
    [3, thought + said],
    [5, cached],
    [9, thought],
    [10, said],
  ] as const),
  [11, id],
];

function conversation(dir: string): string {
  const path = put(dir, `.gemini/antigravity-cli/conversations/${ID}.db`, "");
  const sqlite = new Database(path);
  sqlite.exec(`CREATE TABLE trajectory_meta (trajectory_id TEXT, cascade_id TEXT);
    CREATE TABLE gen_metadata (idx INTEGER PRIMARY KEY, data BLOB, size INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE steps (idx INTEGER PRIMARY KEY, metadata BLOB);
    CREATE TABLE trajectory_metadata_blob (id TEXT, data BLOB);
    INSERT INTO trajectory_meta VALUES ('t-1', '${ID}')`);
  const call = sqlite.prepare("INSERT INTO gen_metadata (idx, data) VALUES (?, ?)");
  const model = [19, "gemini-3-flash-a"] as const;
  const shown = [21, "Gemini 3.5 Flash (High)"] as const;
  call.run(0, message([[1, [[4, used("r-0", 1000, 0, 40, 60)], [9, [[4, time(AT + 2000)]]], model, shown]]]));
  // A newer release: the time stands with the step.
  call.run(1, message([[1, [[4, used("r-1", 200, 1000, 0, 30)], [9, [[2, 7]]], model, shown]]]));
  call.run(2, message([[1, [model]]]));
  call.run(3, Buffer.from([0xff, 0xff]));
  sqlite.prepare("INSERT INTO steps VALUES (4, ?)").run(
    message([
      [1, time(AT + 8000)],
      [8, time(AT + 9000)],
      [9, used("r-1", 200, 1000, 0, 30)],
    ]),
  );
  sqlite.prepare("INSERT INTO trajectory_metadata_blob VALUES ('main', ?)").run(message([[2, time(AT)]]));
  sqlite.close();
  return path;
}

test("each request of a conversation has its tokens, beside the transcript and never added to it", () =>
  inFolder((dir) =>
    withArchive(join(dir, "archive"), async (archive) => {
      const path = conversation(dir);
      const step = (more: object) => JSON.stringify({ status: "DONE", ...more });
      const lines = [
        step({
          step_index: 0,
          source: "USER_EXPLICIT",
          type: "USER_INPUT",
          created_at: new Date(AT).toISOString(),
          content: "Count",
        }),
        step({
          step_index: 1,
          source: "MODEL",
          type: "PLANNER_RESPONSE",
          created_at: new Date(AT + 2000).toISOString(),
          content: "Two.",
        }),
      ];
      const transcript = put(
        dir,
        `.gemini/antigravity-cli/brain/${ID}/.system_generated/logs/transcript_full.jsonl`,
        `${lines.join("\n")}\n`,
      );
      await importPaths(archive, [path, transcript], { final: true });
      const own = summaryOfSession(archive, findSession(archive, `antigravity:${ID}`));
      expect(own).toMatchObject({
        format: "antigravity",
        modelCalls: { own: 1 },
        usage: { output: 0, inputUncached: 0 },
      });
      const { telemetry } = reportedCalls(archive, own.id);
      expect(telemetry).toMatchObject({
        requests: 2,
        unfiled: { calls: 2, usage: { inputUncached: 1200, cacheRead: 1000, output: 130, reasoning: 40 } },
      });
    }),
  ));

test("a conversation without a transcript is a session of its calls", () =>
  inFolder((dir) =>
    withArchive(join(dir, "archive"), async (archive) => {
      await importPaths(archive, [conversation(dir)], { final: true });
      const own = summaryOfSession(archive, findSession(archive, `antigravity:${ID}`));
      expect(own).toMatchObject({
        model: "gemini-3.5-flash",
        modelCalls: { own: 2 },
        usage: { inputUncached: 1200, cacheRead: 1000, output: 130 },
        startedAt: new Date(AT + 2000).toISOString(),
        endedAt: new Date(AT + 9000).toISOString(),
      });
    }),
  ));
