// Telemetry as files: what is named late, over new starts too, and what is dropped.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LIMITS } from "#lib/kernel/limits.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { listSessions } from "../sessions/list-sessions.ts";
import { removeSession } from "../sources/remove-session.ts";
import { inArchive, inFolder, withArchive } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";
import { recoverTraces, storeTelemetry } from "./telemetry-files.ts";
import { appendTelemetry } from "./telemetry-journal.ts";

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const spans = (...all: object[]) => ({
  resourceSpans: [{ resource: { attributes: [text("service.name", "app")] }, scopeSpans: [{ scope: {}, spans: all }] }],
});
const span = (id: string, ...attributes: object[]) => ({
  traceId: "a".repeat(32),
  spanId: id.repeat(16),
  name: "chat",
  startTimeUnixNano: "1795000000000000000",
  endTimeUnixNano: "1795000001000000000",
  attributes: [text("gen_ai.operation.name", "chat"), ...attributes],
});
const filesIn = (dir: string): string[] =>
  readdirSync(join(dir, "telemetry"), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(".otlp.jsonl"));

test("a trace keeps the name of its conversation over a new start", () =>
  inFolder(async (dir) => {
    await withArchive(dir, (archive) =>
      storeTelemetry(archive, spans(span("1", text("gen_ai.conversation.id", "c1")))),
    );
    await withArchive(dir, async (archive) => {
      const { files } = await storeTelemetry(archive, spans(span("2")));
      expect(files.map(({ name }) => name)).toEqual(["otlp:c1"]);
    });
    expect(filesIn(dir)).toEqual(["sessions/c1.otlp.jsonl"]);
  }));

const named = (id: string) => spans(span(id, text("gen_ai.conversation.id", "c1")));
const spansIn = (dir: string): number =>
  readFileSync(join(dir, "telemetry", "sessions", "c1.otlp.jsonl"), "utf8")
    .trim()
    .split("\n").length;

test("spans that come at the same time as the name of their conversation are in its file", () =>
  inArchive(async (archive) => {
    const both = await Promise.all([storeTelemetry(archive, spans(span("1"))), storeTelemetry(archive, named("2"))]);
    expect(filesIn(archive.dir)).toEqual(["sessions/c1.otlp.jsonl"]);
    expect(spansIn(archive.dir)).toBe(2);
    expect(both.flatMap(({ moved }) => moved)).toHaveLength(1);
  }));

test("a name that the disk refused is kept when it is sent again", () =>
  inFolder(async (dir) => {
    await withArchive(dir, async (archive) => {
      await storeTelemetry(archive, spans(span("1")));
      const [journal, aside] = ["incoming.journal", "aside"].map((name) => join(dir, "telemetry", name));
      renameSync(journal!, aside!);
      mkdirSync(journal!);
      await expect(storeTelemetry(archive, named("2"))).rejects.toThrow("EISDIR");
      rmdirSync(journal!);
      renameSync(aside!, journal!);
      await storeTelemetry(archive, named("2"));
      expect(filesIn(dir)).toEqual(["sessions/c1.otlp.jsonl"]);
      expect(spansIn(dir)).toBe(2);
    });
    await withArchive(dir, async (archive) => {
      const { files } = await storeTelemetry(archive, spans(span("3")));
      expect(files.map(({ name }) => name)).toEqual(["otlp:c1"]);
    });
  }));

test("a trace that was moved does not come back from the journal at the next start", () =>
  inFolder(async (dir) => {
    await withArchive(dir, async (archive) => {
      await storeTelemetry(archive, spans(span("1")));
      await storeTelemetry(archive, named("2"));
    });
    // Ended within the pause in which the journal is not emptied.
    await withArchive(dir, async (archive) => {
      const { moved } = await recoverTraces(archive);
      expect(moved).toHaveLength(1);
      expect(filesIn(dir)).toEqual(["sessions/c1.otlp.jsonl"]);
    });
  }));

test("a session that was removed does not come back from the journal at the next start", () =>
  inFolder(async (dir) => {
    await withArchive(dir, async (archive) => {
      const { files } = await storeTelemetry(archive, named("1"));
      await importPaths(archive, [files[0]!.path]);
      const { sessions } = await listSessions(archive, sessionsQuery.parse({}));
      await removeSession(archive, sessions[0]!.id);
      expect(filesIn(dir)).toEqual([]);
    });
    // Ended within the pause in which the journal is not emptied.
    await withArchive(dir, async (archive) => {
      await recoverTraces(archive);
      expect(filesIn(dir)).toEqual([]);
    });
  }));

test("a trace for which its conversation has no room stays where it is", () =>
  inArchive(async (archive) => {
    await storeTelemetry(archive, spans(span("1")));
    const before = LIMITS.telemetryFileBytes;
    Object.assign(LIMITS, { telemetryFileBytes: 1000 });
    try {
      await appendTelemetry(archive, [{ file: "sessions/c1.otlp.jsonl", text: `${" ".repeat(500)}\n` }]);
      const { moved } = await storeTelemetry(archive, named("2"));
      expect(moved).toEqual([]);
      expect(filesIn(archive.dir).toSorted()).toContain(`traces/${"a".repeat(32)}.otlp.jsonl`);
    } finally {
      Object.assign(LIMITS, { telemetryFileBytes: before });
    }
  }));

test("what tells of no session is named by its kind", () =>
  inArchive(async (archive) => {
    const point = { timeUnixNano: "1795000001000000000" };
    const metric = (kind: string, name: string, more: object = {}) => ({
      name,
      [kind]: { dataPoints: [{ ...point, ...more }] },
    });
    const { kept, refused, dropped } = await storeTelemetry(archive, {
      resourceMetrics: [
        {
          resource: { attributes: [text("service.name", "app")] },
          scopeMetrics: [
            {
              metrics: [
                metric("histogram", "gen_ai.client.token.usage", { count: "2", sum: 9 }),
                metric("exponentialHistogram", "http.duration", { count: "1" }),
                metric("gauge", "memory", { asInt: "3" }),
                metric("sum", "gemini_cli.token.usage", { asInt: "7", attributes: [text("session.id", "g1")] }),
              ],
            },
          ],
        },
      ],
      resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: { stringValue: "started" } }] }] }],
    });
    expect([kept, refused]).toEqual([1, 0]);
    expect(dropped).toEqual([
      "1 log record not stored: no session.",
      "2 histogram points not stored: no session.",
      "1 metric point not stored: no session.",
    ]);
    expect(filesIn(archive.dir)).toEqual(["gemini/g1.otlp.jsonl"]);
  }));
