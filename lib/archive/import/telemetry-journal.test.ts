// What was acknowledged is in its file after any end of the process, and what was cut off is not.
import { appendFileSync, mkdirSync, readFileSync, rmdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, put, withArchive } from "../testing-archive.ts";
import { appendTelemetry, recoverTelemetry } from "./telemetry-journal.ts";

test("a journal that was left is appended at the next start, without its torn last line", () =>
  inFolder(async (dir) => {
    const path = join(dir, "archive", "telemetry", "sessions", "c1.otlp.jsonl");
    await withArchive(join(dir, "archive"), (archive) =>
      appendTelemetry(archive, [{ file: "sessions/c1.otlp.jsonl", text: "one\n" }]),
    );
    const left = [
      JSON.stringify({ file: "sessions/c1.otlp.jsonl", text: "two\n" }),
      JSON.stringify({ file: "../../outside", text: "three\n" }),
      '{"file":"sessions/c1.otlp.jsonl","te',
    ];
    const journal = put(join(dir, "archive", "telemetry"), "incoming.journal", left.join("\n"));
    await withArchive(join(dir, "archive"), async (archive) => {
      await recoverTelemetry(archive);
      expect(readFileSync(path, "utf8")).toBe("one\ntwo\n");
      expect(statSync(journal).size).toBe(0);
      await appendTelemetry(archive, [{ file: "sessions/c1.otlp.jsonl", text: "four\n" }]);
      expect(readFileSync(path, "utf8")).toBe("one\ntwo\nfour\n");
      expect(readFileSync(journal, "utf8")).toBe(
        `${JSON.stringify({ file: "sessions/c1.otlp.jsonl", text: "four\n" })}\n`,
      );
    });
  }));

test("what a start could not append stays in the journal, and nothing more is taken before it is in its file", () =>
  inFolder(async (base) => {
    const dir = join(base, "archive");
    const file = "sessions/c1.otlp.jsonl";
    const path = join(dir, "telemetry", file);
    await withArchive(dir, async () => undefined);
    put(join(dir, "telemetry"), "incoming.journal", `${JSON.stringify({ file, text: "one\n" })}\n`);
    // The disk refuses the file.
    mkdirSync(path, { recursive: true });
    await withArchive(dir, async (archive) => {
      const other = [{ file: "sessions/c2.otlp.jsonl", text: "two\n" }];
      await expect(appendTelemetry(archive, other)).rejects.toThrow("EISDIR");
      rmdirSync(path);
      expect(await appendTelemetry(archive, other)).toEqual([]);
      expect(readFileSync(path, "utf8")).toBe("one\n");
    });
  }));

test("what comes behind a line that was cut off begins a line of its own", () =>
  inFolder(async (base) => {
    const dir = join(base, "archive");
    const file = "sessions/c1.otlp.jsonl";
    const path = join(dir, "telemetry", file);
    await withArchive(dir, (archive) => appendTelemetry(archive, [{ file, text: "one\n" }]));
    put(join(dir, "telemetry"), "incoming.journal", `${JSON.stringify({ file, text: "two\n" })}\n`);
    // Killed while it wrote.
    appendFileSync(path, "tw");
    await withArchive(dir, recoverTelemetry);
    expect(readFileSync(path, "utf8")).toBe("one\ntw\ntwo\n");
  }));
