// Telemetry as files: what is named late, over new starts too, and what is dropped.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inArchive, inFolder, withArchive } from "../testing-archive.ts";
import { storeTelemetry } from "./telemetry-files.ts";

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
