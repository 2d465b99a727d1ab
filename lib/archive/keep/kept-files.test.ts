// What agents have deleted, and what they delete next, by their own settings.
import { rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { jsonl, prompt, SESSION } from "#lib/formats/claude-code/testing-claude.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { listSessions } from "../sessions/list-sessions.ts";
import { listSources } from "../sources/list-sources.ts";
import { noteGone } from "../sources/watch-sources.ts";
import { inArchive, NOW, put } from "../testing-archive.ts";

const DAY = 86_400_000;
const PAGE = { limit: 50, offset: 0 };
const nameOf = (n: number): string => SESSION.replace(/.$/, String(n));

/** Sessions of Claude Code that were last written so many days ago. */
function transcripts(logs: string, ...ages: readonly number[]): string[] {
  return ages.map((age, n) => {
    const path = put(
      logs,
      `.claude/projects/-pier/${nameOf(n)}.jsonl`,
      jsonl(prompt(`p${n}`, n, `Pier ${n}`, { sessionId: nameOf(n) })),
    );
    utimesSync(path, (NOW - age * DAY) / 1000, (NOW - age * DAY) / 1000);
    return path;
  });
}

const datesOf = async (archive: Archive, more: object = {}) =>
  (await listSources(archive, { ...PAGE, ...more })).sources.map(({ path, deletion }) => [
    path.at(-7),
    deletion?.when,
    deletion?.at?.slice(0, 10) ?? null,
  ]);
const listed = async (archive: Archive, file: "deleted" | "soon") =>
  (await listSessions(archive, sessionsQuery.parse({ file }))).sessions.map(({ title }) => title);

test("each file says when its agent deletes it: by the setting, by default, or not known", () =>
  inArchive(async (archive, logs) => {
    const [, second] = transcripts(logs, 1, 25, 60) as [string, string];
    await importPaths(archive, [logs]);
    const date = (days: number): string => new Date(NOW + days * DAY).toISOString().slice(0, 10);
    const byDefault = [
      ["2", "default", date(-30)],
      ["1", "default", date(5)],
      ["0", "default", date(29)],
    ];
    expect(await datesOf(archive, { sort: "deletion" })).toEqual(byDefault);
    expect(await datesOf(archive, { within: 7 })).toEqual(byDefault.slice(0, 2));
    expect((await listed(archive, "soon")).toSorted()).toEqual(["Pier 1", "Pier 2"]);
    put(logs, ".claude/settings.json", '{"cleanupPeriodDays":3650}');
    expect((await datesOf(archive)).map(([, when]) => when)).toEqual(["setting", "setting", "setting"]);
    expect(await datesOf(archive, { within: 7 })).toEqual([]);
    for (const wrong of [
      '{"cleanupPeriodDays":0}',
      '{"cleanupPeriodDays":"30"}',
      "[]",
      "{",
      '{"cleanupPeriodDays":1.5}',
    ]) {
      put(logs, ".claude/settings.json", wrong);
      expect(new Set((await datesOf(archive)).map(([, when]) => when))).toEqual(new Set(["unknown"]));
      expect(await datesOf(archive, { within: 7 })).toEqual([]);
    }
    rmSync(second);
    noteGone(archive, [second]);
    const gone = (await listSources(archive, { ...PAGE, status: "gone" })).sources;
    expect(gone.map(({ deletedAt, deletion }) => [deletedAt, deletion])).toEqual([[new Date(NOW).toISOString(), null]]);
    expect(await listed(archive, "deleted")).toEqual(["Pier 1"]);
  }));

test("a transcript outside its agent's folder is deleted by no one", () =>
  inArchive(async (archive, logs) => {
    put(join(logs, "copied"), `${SESSION}.jsonl`, jsonl(prompt("p", 1, "Copied")));
    await importPaths(archive, [logs]);
    expect((await listSources(archive, PAGE)).sources.map(({ deletion }) => deletion)).toEqual([null]);
  }));
