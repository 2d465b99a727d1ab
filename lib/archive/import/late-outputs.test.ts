// Outputs that come into their files after the record that names them was read. The records are synthetic, in the shapes of
// Claude Code 2.1.330 and Gemini CLI 0.50.
import { appendFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answer, asks, jsonl, prompt, result, SESSION } from "#lib/formats/claude-code/testing-claude.ts";
import type { Archive } from "../base/archive-type.ts";
import { removeSession } from "../sources/remove-session.ts";
import { inFolder, put, testHost, withArchive } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";

const WHOLE = Array.from({ length: 60_000 }, (_, n) => `${n + 1}\n`).join("");
const FILE = `${SESSION}/tool-results/b7is79j0s.txt`;
const CALL = jsonl(
  prompt("p", 1, "Count"),
  answer("a", 2, "a", asks("t", "Bash", { command: "seq 1 60000" }), { stop: "tool_use" }),
);

const preview = (path: string): string =>
  jsonl(
    result(
      "r",
      3,
      "t",
      `<persisted-output>\nOutput too large (340.7KB). Full output saved to: ${path}\n\nPreview (first 2KB):\n${WHOLE.slice(0, 2000)}\n...\n</persisted-output>`,
      {
        toolUseResult: { stdout: WHOLE.slice(0, 30_000), persistedOutputPath: path, persistedOutputSize: WHOLE.length },
      },
    ),
  );

const sizes = ({ sqlite }: Archive): unknown[] => sqlite.prepare("SELECT size FROM artifacts").pluck().all();
const awaited = ({ sqlite }: Archive): unknown => sqlite.prepare("SELECT count(*) FROM awaited_outputs").pluck().get();

/** A folder of session files, with a clock that is `ms` ahead. */
const inLogs = (run: (archive: Archive, logs: string, wait: (ms: number) => void) => Promise<void>): Promise<void> =>
  inFolder((dir) => {
    let ahead = 0;
    const wait = (ms: number): void => void (ahead += ms);
    const host = testHost(() => Date.now() + ahead);
    return withArchive(join(dir, "archive"), (archive) => run(archive, join(dir, "logs"), wait), host);
  });

test("an output that comes after its record is read is whole at the next look, and is not looked for any more", () =>
  inLogs(async (archive, logs, wait) => {
    put(logs, `${SESSION}.jsonl`, CALL + preview(join(logs, FILE)));
    await importPaths(archive, [logs]);
    expect([sizes(archive), awaited(archive)]).toEqual([[30_000], 1]);
    put(logs, FILE, WHOLE);
    wait(5000);
    const notified: string[] = [];
    // The session's own file is as it was, and a watcher's search leaves it out.
    await importPaths(archive, [logs], { isWatched: true, onSessions: (sessions) => notified.push(...sessions) });
    expect([sizes(archive), awaited(archive)]).toEqual([[WHOLE.length], 0]);
    expect(notified).toHaveLength(1);
  }));

test("an output that was read while it was written is whole at a later look", () =>
  inLogs(async (archive, logs, wait) => {
    put(logs, FILE, WHOLE.slice(0, 100_000));
    const path = put(logs, `${SESSION}.jsonl`, CALL + preview(join(logs, FILE)));
    await importPaths(archive, [logs]);
    expect([sizes(archive), awaited(archive)]).toEqual([[100_000], 1]);
    appendFileSync(join(logs, FILE), WHOLE.slice(100_000));
    await importPaths(archive, [path]);
    expect([sizes(archive), awaited(archive)]).toEqual([[WHOLE.length], 1]);
    wait(5000);
    await importPaths(archive, [path]);
    expect([sizes(archive), awaited(archive)]).toEqual([[WHOLE.length], 0]);
  }));

test("what never comes is looked for during an hour, and nothing of a session that is old", () =>
  inLogs(async (archive, logs, wait) => {
    put(logs, `${SESSION}.jsonl`, CALL + preview(join(logs, FILE)));
    await importPaths(archive, [logs]);
    wait(3_500_000);
    await importPaths(archive, [logs]);
    expect(awaited(archive)).toBe(1);
    wait(200_000);
    await importPaths(archive, [logs]);
    expect(awaited(archive)).toBe(0);
    const old = put(logs, "old.jsonl", (CALL + preview(join(logs, FILE))).replaceAll(SESSION, "old"));
    utimesSync(old, new Date(0), new Date(0));
    await importPaths(archive, [logs]);
    expect(awaited(archive)).toBe(0);
  }));

test("an import that is cancelled says so, and leaves the output to the next one", () =>
  inLogs(async (archive, logs) => {
    put(logs, `${SESSION}.jsonl`, CALL + preview(join(logs, FILE)));
    await importPaths(archive, [logs]);
    put(logs, FILE, WHOLE);
    const stop = new AbortController();
    const onProgress = (): void => stop.abort();
    expect(await importPaths(archive, [logs], { signal: stop.signal, onProgress })).toMatchObject({ cancelled: true });
    expect(sizes(archive)).toEqual([30_000]);
    await importPaths(archive, [logs]);
    expect(sizes(archive)).toEqual([WHOLE.length]);
  }));

test("a session that was removed does not come back with its output", () =>
  inLogs(async (archive, logs) => {
    put(logs, `${SESSION}.jsonl`, CALL + preview(join(logs, FILE)));
    const { files } = await importPaths(archive, [logs]);
    await removeSession(archive, files[0]!.sessions[0]!);
    put(logs, FILE, WHOLE);
    await importPaths(archive, [logs], { isWatched: true });
    expect(archive.sqlite.prepare("SELECT count(*) FROM sessions").pluck().get()).toBe(0);
  }));

test("a line that comes to a sub-agent's file finds the output in the folder of its session", () =>
  inLogs(async (archive, logs) => {
    const own = (lines: string): string => lines.replaceAll('"isSidechain":false', '"isSidechain":true,"agentId":"a1"');
    const path = put(logs, `${SESSION}/subagents/workflows/wf_1/agent-a1.jsonl`, own(CALL));
    await importPaths(archive, [logs]);
    put(logs, FILE, WHOLE);
    appendFileSync(path, own(preview(join(logs, FILE))));
    await importPaths(archive, [path], { isWatched: true, final: false });
    expect(sizes(archive)).toEqual([WHOLE.length]);
  }));

test("a line that comes to a chat of Gemini finds the output beside the folder of chats", () =>
  inLogs(async (archive, logs) => {
    const line = (value: object): string => `${JSON.stringify(value)}\n`;
    const at = "2026-03-01T10:00:00.000Z";
    const id = "5e1ec7ed-0000-4000-8000-00000000c0de";
    const path = put(
      logs,
      "reef/chats/session-2026-03-01T10-00-5e1ec7ed.jsonl",
      line({ sessionId: id, projectHash: "reef", startTime: at, lastUpdated: at, kind: "main" }) +
        line({ id: "00000001-0000-4000-8000-00000000000a", timestamp: at, type: "user", content: "Count" }),
    );
    await importPaths(archive, [logs]);
    const file = put(logs, `reef/tool-outputs/session-${id}/run_shell_command_1.txt`, WHOLE);
    const output = `Output: 1\n...\n\nOutput too large. Full output available at: ${file}`;
    const response = { functionResponse: { id: "c", name: "run_shell_command", response: { output } } };
    const call = { id: "c", name: "run_shell_command", args: {}, status: "success", result: [response] };
    appendFileSync(
      path,
      line({
        id: "00000002-0000-4000-8000-00000000000a",
        timestamp: at,
        type: "gemini",
        content: "",
        model: "gemini-2.5-pro",
        tokens: { input: 10, output: 1, cached: 0, thoughts: 0, tool: 0, total: 11 },
        toolCalls: [call],
      }),
    );
    await importPaths(archive, [path], { isWatched: true, final: false });
    expect(sizes(archive)).toEqual([WHOLE.length]);
  }));
