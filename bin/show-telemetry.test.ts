// What came over OpenTelemetry, on the command line.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { storeTelemetry } from "#lib/archive/import/telemetry-files.ts";
import { inFolder, put, withArchive } from "#lib/archive/testing-archive.ts";
import { entryOf } from "../scripts/bundle.mjs";

const FIXTURE = join(import.meta.dirname, "../lib/formats/fixtures/otlp-synthetic-claude.otlp.jsonl");

const SESSION = "6d0c0000-0000-4000-8000-000000000001";
/** Synthetic. */
const LINE = {
  parentUuid: null,
  isSidechain: false,
  userType: "external",
  sessionId: SESSION,
  version: "2.1.330",
  cwd: "/x",
  timestamp: "2026-01-02T03:04:06.000Z",
};

test("show tells what an agent's telemetry reported, and which calls are in no file", { timeout: 60_000 }, () =>
  inFolder(async (dir) => {
    const message = {
      id: "msg_1",
      role: "assistant",
      model: "claude-opus-5-5",
      content: [{ type: "text", text: "Low." }],
      usage: { input_tokens: 12, output_tokens: 81, cache_read_input_tokens: 0, cache_creation_input_tokens: 15_500 },
    };
    const file = [
      { ...LINE, type: "user", uuid: "u1", message: { role: "user", content: "Which tide?" } },
      { ...LINE, type: "assistant", uuid: "a1", requestId: "req_1", message },
    ]
      .map((record) => `${JSON.stringify(record)}\n`)
      .join("");
    await withArchive(join(dir, "archive"), async (archive) => {
      await importPaths(archive, [put(join(dir, "logs"), `${SESSION}.jsonl`, file)]);
      for (const line of readFileSync(FIXTURE, "utf8").trim().split("\n"))
        await storeTelemetry(archive, JSON.parse(line));
    });
    const env = {
      PATH: process.env["PATH"],
      HOME: dir,
      PLIMSOLL_ARCHIVE: join(dir, "archive"),
      NODE_ENV: "test" as const,
    };
    const said = execFileSync(process.execPath, [entryOf("bin/plimsoll.ts"), "show", SESSION], {
      env,
      encoding: "utf8",
    });
    expect(said).toMatch(/Reported +agent and file agree on 1 of 1 calls/);
    expect(said).toMatch(/Telemetry +2 model calls in 6 records, last .*\. 1 in no file \(main\), \$0\.01/);
    expect(said).toContain("The agent's telemetry was received.");
  }),
);
