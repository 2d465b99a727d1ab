// Outputs that an agent put into a file of its own. The records are synthetic, in the shapes that Claude Code 2.1.330 wrote
// when it was run: a Bash output of 348,894 bytes, and an MCP answer of 268,889 characters.
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answer, asks, jsonl, prompt, result, SESSION, type Rec } from "#lib/formats/claude-code/testing-claude.ts";
import type { Archive } from "../base/archive-type.ts";
import { inArchive, put } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";
import { readAgain } from "./read-again.ts";

const WHOLE = Array.from({ length: 60_000 }, (_, n) => `${n + 1}\n`).join("");
const ROWS = Array.from({ length: 20_000 }, (_, n) => `MCP row ${n}`).join("\n");
const FILE = `${SESSION}/tool-results/b7is79j0s.txt`;

/** What Bash leaves: the preview, and beside it the first 30,000 characters. */
const bash = (path: string, more: Rec = {}): Rec[] => [
  prompt("p", 1, "Count", more),
  answer("a", 2, "a", asks("t", "Bash", { command: "seq 1 60000" }), { stop: "tool_use", more }),
  result(
    "r",
    3,
    "t",
    `<persisted-output>\nOutput too large (340.7KB). Full output saved to: ${path}\n\nPreview (first 2KB):\n${WHOLE.slice(0, 2000)}\n...\n</persisted-output>`,
    {
      toolUseResult: {
        stdout: WHOLE.slice(0, 30_000),
        stderr: "",
        interrupted: false,
        isImage: false,
        persistedOutputPath: path,
        persistedOutputSize: WHOLE.length,
      },
      more,
    },
  ),
];

const stored = (archive: Archive) =>
  archive.sqlite.prepare("SELECT a.size, a.digest, a.saw, a.offloaded_by AS by FROM artifacts a").all() as {
    size: number;
    digest: string;
    saw: string;
    by: string;
  }[];

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

test("the file that the agent saved is the output, not the cut text beside the preview", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, FILE, WHOLE);
    put(logs, `${SESSION}.jsonl`, jsonl(...bash(path)));
    await importPaths(archive, [logs]);
    expect(stored(archive)).toEqual([{ size: WHOLE.length, digest: digestOf(WHOLE), saw: "preview", by: "agent" }]);
  }));

test("without the file its first 30,000 characters are stored, and the event says how large the whole was", () =>
  inArchive(async (archive, logs) => {
    put(logs, `${SESSION}.jsonl`, jsonl(...bash("/home/ada/.claude/gone.txt")));
    await importPaths(archive, [logs]);
    expect(stored(archive)).toMatchObject([{ size: 30_000 }]);
    const body = archive.sqlite.prepare("SELECT body FROM events WHERE type = 'tool_result'").pluck().get() as string;
    expect(JSON.parse(body)).toMatchObject({ storedBytes: WHOLE.length });
  }));

test.each([`${SESSION}.jsonl`, `${SESSION}/subagents/agent-a1.jsonl`])(
  "a cut output that an older version stored is whole after %s is read again",
  (name) =>
    inArchive(async (archive, logs) => {
      const more = name.includes("agent") ? { isSidechain: true, agentId: "a1" } : {};
      put(logs, name, jsonl(...bash(join(logs, FILE), more)));
      await importPaths(archive, [logs]);
      expect(stored(archive)).toMatchObject([{ size: 30_000 }]);
      put(logs, FILE, WHOLE);
      archive.sqlite.exec("UPDATE sources SET format_version = format_version - 1");
      expect(await readAgain(archive)).toMatchObject({ sources: 1, failed: [] });
      expect(stored(archive)).toMatchObject([{ size: WHOLE.length }]);
      // And stays so when the agent has deleted its file.
      rmSync(join(logs, FILE));
      archive.sqlite.exec("UPDATE sources SET format_version = format_version - 1");
      expect(await readAgain(archive)).toMatchObject({ sources: 1, failed: [] });
      expect(stored(archive)).toMatchObject([{ digest: digestOf(WHOLE) }]);
    }),
);

test("a session that was copied with its folder finds the outputs of its sub-agents", () =>
  inArchive(async (archive, logs) => {
    put(logs, FILE, WHOLE);
    const records = bash(`/home/ada/.claude/projects/-harbour/${FILE}`, { isSidechain: true, agentId: "a1" });
    put(logs, `${SESSION}/subagents/agent-a1.jsonl`, jsonl(...records));
    await importPaths(archive, [logs]);
    expect(stored(archive)).toMatchObject([{ size: WHOLE.length }]);
  }));

test("an MCP answer whose text is only where it was saved is stored from there", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, `${SESSION}/tool-results/mcp-shelf-fetch_rows-1795424225910-p3qw5t.txt`, ROWS);
    const notice = `Error: result (268,889 characters across 20,000 lines) exceeds maximum allowed tokens. Output has been saved to ${path}.\nFormat: Plain text\nUse offset and limit parameters to read specific portions of the file.`;
    put(
      logs,
      `${SESSION}.jsonl`,
      jsonl(
        prompt("p", 1, "Rows"),
        answer("a", 2, "a", asks("t", "mcp__shelf__fetch_rows", { n: 20_000 }), { stop: "tool_use" }),
        result("r", 3, "t", notice, { toolUseResult: notice }),
      ),
    );
    await importPaths(archive, [logs]);
    expect(stored(archive)).toEqual([{ size: ROWS.length, digest: digestOf(ROWS), saw: "preview", by: "agent" }]);
    const body = archive.sqlite.prepare("SELECT body FROM events WHERE type = 'tool_result'").pluck().get() as string;
    expect(JSON.parse(body)).toMatchObject({ text: notice, storedPath: path, isError: false });
  }));
