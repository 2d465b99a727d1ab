// What agents reported of their calls, beside their files: in whatever order the two come, and when one never does.
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answer, jsonl, prompt, SESSION, text, used } from "#lib/formats/claude-code/testing-claude.ts";
import { at, client, counted, said, tokens } from "#lib/formats/codex/testing-codex.ts";
import { reportedCallsAnswer } from "#lib/wire/reported-calls-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { write } from "../base/write.ts";
import { importPaths } from "../import/import-paths.ts";
import { storeTelemetry } from "../import/telemetry-files.ts";
import { noteTelemetryWrite, sessionWithFile } from "../import/telemetry-sessions.ts";
import { removePreview, removeSession } from "../sources/remove-session.ts";
import { listSources } from "../sources/list-sources.ts";
import { showSession } from "../sessions/show-session.ts";
import { inArchive, put } from "../testing-archive.ts";
import { reportedCalls } from "./reported-calls.ts";

const FIXTURES = join(import.meta.dirname, "../../formats/fixtures");
/** Synthetic: two calls, 12+15,500 in and 81 out, 7+15,500+900 in and 44 out. */
const TELEMETRY = readFileSync(join(FIXTURES, "otlp-synthetic-claude.otlp.jsonl"), "utf8")
  .replaceAll("6d0c0000-0000-4000-8000-000000000001", SESSION)
  .trim()
  .split("\n");
const FILE = [
  prompt("ask", 0, "Which tide?"),
  answer("one", 1, "1", text("Let me look."), { usage: used(12, 0, 15_500, 81) }),
  answer("two", 3, "2", text("Low."), { usage: used(7, 15_500, 900, 40) }),
];
const NAME = `claude-code:${SESSION}`;

/** What the server does with what an exporter sends. */
async function receive(archive: Archive, lines: readonly string[]): Promise<void> {
  for (const line of lines)
    for (const { path, name } of (await storeTelemetry(archive, JSON.parse(line))).files) {
      const sessionId = sessionWithFile(archive, name);
      if (sessionId === null) await importPaths(archive, [path], { isWatched: true });
      else await write(archive, noteTelemetryWrite, { sessionId });
    }
}

const rowsOf = (archive: Archive, name: string) =>
  reportedCallsAnswer
    .parse(reportedCalls(archive, name))
    .calls.map(({ call, usage, reported, from, usd, differs }) => [
      call,
      usage.output,
      reported.output,
      from,
      usd,
      differs,
    ]);

const JOINED = [
  [1, 81, 81, "telemetry", 0.121168, false],
  [2, 40, 44, "telemetry", 0.008508, true],
];

test("telemetry before the file, after it and in the middle: one session with three columns", async () => {
  for (const before of [0, 2, TELEMETRY.length])
    await inArchive(async (archive, logs) => {
      await receive(archive, TELEMETRY.slice(0, before));
      const alone = before === 0 ? null : await showSession(archive, NAME);
      await importPaths(archive, [put(logs, `${SESSION}.jsonl`, jsonl(...FILE))]);
      await receive(archive, TELEMETRY.slice(before));
      const session = await showSession(archive, NAME);
      // The address of what was there before the file stays.
      if (alone !== null) expect(session.id).toBe(alone.id);
      expect(session.agent).toBe("Claude Code");
      expect(session.modelCalls.own).toBe(2);
      expect(rowsOf(archive, NAME)).toEqual(JOINED);
      const answered = reportedCalls(archive, NAME);
      expect(answered.telemetry).toMatchObject({ requests: 2, records: 6, unfiled: null });
      expect(answered.differences).toEqual(["At call 2 the agent counts 16,451 tokens; the file has 16,447."]);
      expect(session.cost.reported).toMatchObject({
        usd: expect.closeTo(0.129676, 9),
        usage: { cacheWrite: 16_400, output: 125 },
      });
      const sessions = archive.sqlite.prepare("SELECT count(*) AS n FROM sessions").get() as { n: number };
      expect(sessions.n).toBe(1);
    });
});

test("telemetry alone is a session that says so; with its file it goes for good", () =>
  inArchive(async (archive, logs) => {
    await receive(archive, TELEMETRY);
    const session = await showSession(archive, NAME);
    expect(session.title).toBe("Which tide?");
    expect(session.modelCalls.own).toBe(2);
    expect(session.quality.join()).toContain("Reported by telemetry");
    // It is not held against itself.
    expect(reportedCalls(archive, NAME)).toMatchObject({
      calls: [],
      why: expect.stringContaining("telemetry"),
      telemetry: { requests: 2 },
    });
    expect(session.cost.reported).toBeNull();
    await importPaths(archive, [put(logs, `${SESSION}.jsonl`, jsonl(...FILE))]);
    const { sources } = await listSources(archive, { limit: 10, offset: 0 });
    expect(sources.find(({ format }) => format === "otlp")).toMatchObject({ status: "older copy", events: 0 });
    expect((await showSession(archive, NAME)).lineage).toEqual([]);
    const file = join(archive.dir, "telemetry", "claude-code", `${SESSION}.otlp.jsonl`);
    expect(removePreview(archive, NAME).files).toEqual([file]);
    await removeSession(archive, NAME);
    await expect(showSession(archive, NAME)).rejects.toThrow("No session");
    expect(existsSync(file)).toBe(false);
    // What comes later begins anew.
    await receive(archive, TELEMETRY);
    expect((await showSession(archive, NAME)).modelCalls.own).toBe(2);
  }));

test("a report that cannot be deleted keeps its session, and removing it can be retried", () =>
  inArchive(async (archive, logs) => {
    await receive(archive, TELEMETRY);
    await importPaths(archive, [put(logs, `${SESSION}.jsonl`, jsonl(...FILE))]);
    const file = join(archive.dir, "telemetry", "claude-code", `${SESSION}.otlp.jsonl`);
    // Root may delete any file, but no folder as one.
    rmSync(file);
    mkdirSync(file);
    await expect(removeSession(archive, NAME)).rejects.toThrow(`${file} could not be deleted`);
    rmdirSync(file);
    expect(await showSession(archive, NAME)).toMatchObject({ id: expect.any(String) });
    await removeSession(archive, NAME);
    await expect(showSession(archive, NAME)).rejects.toThrow("No session");
  }));

test("a request that no file has is named with its purpose, and is in no sum of calls", () =>
  inArchive(async (archive, logs) => {
    await importPaths(archive, [put(logs, `${SESSION}.jsonl`, jsonl(...FILE))]);
    const compact = TELEMETRY[4]!.replace("req_2", "req_3").replace('"main"', '"compact"');
    await receive(archive, [...TELEMETRY, compact]);
    const { telemetry, calls } = reportedCalls(archive, NAME);
    expect(calls).toHaveLength(2);
    expect(telemetry!.unfiled).toMatchObject({ calls: 1, usd: 0.008508, purposes: ["compact"], usage: { output: 44 } });
  }));

test("Codex: calls are found by their time, those that say the same first", () =>
  inArchive(async (archive, logs) => {
    const id = "019f0000-0000-7000-8000-0000000000aa";
    const records = [
      at({ id, cwd: "/x", cli_version: "0.169.0" }, "session_meta"),
      at({ model: "gpt-5.5", turn_id: "t" }, "turn_context"),
      client({ type: "user_message", message: "Go." }),
      said("assistant", "One."),
      counted(tokens(100, 40, 10), tokens(100, 40, 10)),
      said("assistant", "Two."),
      counted(tokens(300, 140, 30), tokens(200, 100, 20)),
    ] as { timestamp?: string }[];
    const path = put(
      logs,
      `rollout-2026-01-02T03-04-05-${id}.jsonl`,
      records.map((one) => `${JSON.stringify(one)}\n`).join(""),
    );
    await importPaths(archive, [path]);
    const ts = records.at(-1)!.timestamp!;
    const completed = (input: number, cached: number, output: number) => ({
      resourceLogs: [
        {
          resource: { attributes: [{ key: "service.name", value: { stringValue: "codex_exec" } }] },
          scopeLogs: [
            {
              logRecords: [
                {
                  attributes: Object.entries({
                    "event.name": "codex.sse_event",
                    "event.kind": "response.completed",
                    "conversation.id": id,
                    "event.timestamp": ts,
                    input_token_count: String(input),
                    cached_token_count: String(cached),
                    output_token_count: String(output),
                  }).map(([key, stringValue]) => ({ key, value: { stringValue } })),
                },
              ],
            },
          ],
        },
      ],
    });
    await receive(archive, [JSON.stringify(completed(200, 100, 20)), JSON.stringify(completed(100, 40, 10))]);
    expect(rowsOf(archive, id)).toEqual([
      [1, 10, 10, "telemetry", null, false],
      [2, 20, 20, "telemetry", null, false],
    ]);
  }));
