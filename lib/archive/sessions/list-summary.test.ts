// The sparkline of a session's row.
import { join } from "node:path";
import { expect, test } from "vitest";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { answer, asks, jsonl, prompt, result, SESSION } from "#lib/formats/claude-code/testing-claude.ts";
import { closeArchive, openArchive } from "../archive.ts";
import { findSession } from "../base/find-session.ts";
import { importPaths } from "../import/import-paths.ts";
import { countSession } from "../load/count-tokens.ts";
import { heaviest } from "../load/heaviest.ts";
import { inArchive, put, testHost } from "../testing-archive.ts";
import { listSessions } from "./list-sessions.ts";
import { freshListSummaryOf, saveListSummary } from "./list-summary.ts";

test("texts that are counted with another session's weigh the same in the list and on the page", () =>
  inArchive(async (archive, logs) => {
    const log = (id: string): string =>
      jsonl(
        prompt("p", 1, "Look"),
        answer("a", 2, `m-${id}`, asks("t", "Read", { file_path: "/a" })),
        result("r", 3, "t", "low ".repeat(5000)),
      ).replaceAll(SESSION, id);
    const ids = [SESSION.replace(/.$/, "1"), SESSION.replace(/.$/, "2")];
    const { files } = await importPaths(
      archive,
      ids.map((id) => put(logs, `${id}.jsonl`, log(id))),
    );
    const [first, second] = files.map(({ sessions }) => sessions[0]!) as [string, string];
    const server = await openArchive({ dir: archive.dir, host: testHost(), mode: "read" });
    const listed = async () =>
      (await listSessions(server, sessionsQuery.parse({}))).sessions.find(({ id }) => id === second)!.top!;
    const before = (await listed()).tokens;
    await countSession(archive, findSession(archive, first));
    // The pass comes to the second and finds nothing to count: its version stays.
    const pk = findSession(archive, second);
    expect(await countSession(archive, pk)).toBe(0);
    const { version } = archive.sqlite.prepare("SELECT version FROM sessions WHERE pk = ?").get(pk) as {
      version: number;
    };
    saveListSummary(archive, pk, { version, ...freshListSummaryOf(archive, pk) });
    const [page] = await heaviest(server, second);
    expect(page!.tokens).not.toBe(before);
    expect((await listed()).tokens).toBe(page!.tokens);
    await closeArchive(server);
  }));

test("calls that report their output alone draw no load, rather than one of zero", () =>
  inArchive(async (archive) => {
    const fixtures = join(import.meta.dirname, "../../formats/fixtures");
    await importPaths(archive, [join(fixtures, "copilot-synthetic-no-usage.jsonl")]);
    const { sessions } = await listSessions(archive, sessionsQuery.parse({}));
    expect(sessions.map(({ calls, peak, sparkline }) => [calls > 0, peak.tokens, sparkline])).toEqual([
      [true, null, null],
    ]);
  }));
