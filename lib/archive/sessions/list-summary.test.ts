// The sparkline of a session's row.
import { join } from "node:path";
import { expect, test } from "vitest";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive } from "../testing-archive.ts";
import { listSessions } from "./list-sessions.ts";

test("calls that report their output alone draw no load, rather than one of zero", () =>
  inArchive(async (archive) => {
    const fixtures = join(import.meta.dirname, "../../formats/fixtures");
    await importPaths(archive, [join(fixtures, "copilot-synthetic-no-usage.jsonl")]);
    const { sessions } = await listSessions(archive, sessionsQuery.parse({}));
    expect(sessions.map(({ calls, peak, sparkline }) => [calls > 0, peak.tokens, sparkline])).toEqual([
      [true, null, null],
    ]);
  }));
