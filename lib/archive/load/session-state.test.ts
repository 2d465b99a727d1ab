// The four states of a session, as its summary, the list and its filter have them. All sessions here are written by hand.
import { join } from "node:path";
import { expect, test } from "vitest";
import { MIGRATIONS } from "#db/migrations.ts";
import { dropRowSums } from "#db/row-sums.ts";
import { answer, jsonl, line, prompt, text, used, type Rec } from "#lib/formats/claude-code/testing-claude.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { listSessions } from "../sessions/list-sessions.ts";
import { showSession } from "../sessions/show-session.ts";
import { inFolder, put, testHost, withArchive } from "../testing-archive.ts";

const idOf = (n: number): string => `5e551011-0000-4000-8000-00000000010${n}`;
const cut = (label: string, second: number, trigger: string): Rec =>
  line("system", label, second, { subtype: "compact_boundary", compactMetadata: { trigger, preTokens: 90_000 } });
const call = (label: string, second: number, tokens: number): Rec =>
  answer(label, second, label, text("Done."), { usage: used(2, 0, tokens - 2, 1), stop: null });
const refused = (second: number): Rec =>
  answer("x", second, "x", text("API Error: prompt is too long"), { more: { isApiErrorMessage: true } });

const SESSIONS: readonly (readonly Rec[])[] = [
  [prompt("a", 1, "Be refused"), call("b", 2, 40_000), cut("c", 3, "auto"), call("d", 4, 9000), refused(5)],
  [prompt("a", 1, "Be full"), call("b", 2, 90_000), cut("c", 3, "auto"), call("d", 4, 9000), cut("e", 5, "auto")],
  [prompt("a", 1, "Be near"), call("b", 2, 160_000)],
  [prompt("a", 1, "Be cut by hand"), call("b", 2, 40_000), cut("c", 3, "manual"), call("d", 4, 9000)],
];

const host = testHost();
const WINDOW = { ...host, prices: { ...host.prices, window: () => 200_000 } };

const withSessions = (run: (archive: Archive) => Promise<void>) =>
  inFolder(async (dir) => {
    for (const [n, records] of SESSIONS.entries())
      put(dir, `logs/${idOf(n)}.jsonl`, jsonl(...records.map((record) => ({ ...record, sessionId: idOf(n) }))));
    await withArchive(
      join(dir, "archive"),
      async (archive) => {
        await importPaths(archive, [join(dir, "logs")]);
        await run(archive);
      },
      WINDOW,
    );
  });

const stateOf = async (archive: Archive, n: number) => {
  const { state, automaticCompactions, compactions } = await showSession(archive, `claude-code:${idOf(n)}`);
  return [state, automaticCompactions, compactions];
};
const titles = async (archive: Archive, query: Record<string, unknown>) =>
  (await listSessions(archive, sessionsQuery.parse(query))).sessions.map(({ title }) => title);

test("refused, compacted by the agent, near its line, fine: a compaction by hand is none of them", () =>
  withSessions(async (archive) => {
    expect(await stateOf(archive, 0)).toEqual(["refused", 1, 1]);
    expect(await stateOf(archive, 1)).toEqual(["compacted", 2, 2]);
    expect(await stateOf(archive, 2)).toEqual(["near", 0, 0]);
    expect(await stateOf(archive, 3)).toEqual(["fine", 0, 1]);
  }));

test("the list filters and counts by state, and older links keep their meaning", () =>
  withSessions(async (archive) => {
    expect(await titles(archive, { state: "compacted" })).toEqual(["Be full"]);
    expect(await titles(archive, { state: "fine" })).toEqual(["Be cut by hand"]);
    expect(await titles(archive, { badge: "over" })).toEqual(["Be refused"]);
    expect(await titles(archive, { badge: "near" })).toEqual(["Be near"]);
    const { counts } = await listSessions(archive, sessionsQuery.parse({}));
    expect(counts).toMatchObject({ all: 4, refused: 1, compacted: 1, near: 1, fine: 1 });
  }));

test("an archive of before has its states when it is opened", () =>
  withSessions(async (archive) => {
    const { sqlite } = archive;
    const rows = () => sqlite.prepare("SELECT id, automatic, state FROM sessions ORDER BY id").all();
    const before = rows();
    dropRowSums(sqlite);
    sqlite.exec("ALTER TABLE sessions DROP COLUMN automatic; ALTER TABLE sessions DROP COLUMN state");
    sqlite.exec(MIGRATIONS.find((sql) => sql.includes("ADD COLUMN automatic"))!);
    expect(rows()).toEqual(before);
  }));
