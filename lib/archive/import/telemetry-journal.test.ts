// What was acknowledged is in its file after any end of the process, and what was cut off is not.
import { readFileSync, statSync } from "node:fs";
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
