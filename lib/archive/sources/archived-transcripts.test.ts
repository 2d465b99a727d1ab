// Transcripts that OpenClaw put aside: read and searched by explicit option alone, and gone where a deletion was meant.
import { existsSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { answer, header, message, said, user } from "#lib/formats/pi/testing-pi.ts";
import { jsonl } from "#lib/formats/claude-code/testing-claude.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { listSessions } from "../sessions/list-sessions.ts";
import { inArchive, put } from "../testing-archive.ts";
import { check } from "../upkeep/check-archive.ts";
import { saveArchivedOption } from "./archived-option.ts";
import { listSources } from "./list-sources.ts";
import { removePreview, removeSession } from "./remove-session.ts";
import { describeRoots } from "./source-roots.ts";
import { noteGone } from "./watch-sources.ts";

const FOLDER = "agents/main/sessions";
const TS = "2026-02-16T22-26-33.000Z";
const transcript = (id: string, words: string) =>
  jsonl(header({ id }), message(1, user(words)), message(2, answer([said(`Of ${words}.`)])));

const listed = async (archive: Archive, q = ""): Promise<(readonly [string, string | null])[]> => {
  const { sessions } = await listSessions(archive, sessionsQuery.parse({ q }));
  return sessions.map(({ title, archived }) => [title, archived] as const).toSorted();
};
/** Rows of the index, whoever may see them. */
const indexed = (archive: Archive, word: string): number =>
  (archive.sqlite.prepare("SELECT count(*) AS n FROM search WHERE search MATCH ?").get(word) as { n: number }).n;

const inFolders = (run: (archive: Archive, logs: string) => Promise<void>) =>
  inArchive(async (archive, logs) => {
    put(logs, `${FOLDER}/live.jsonl`, transcript("live", "harbour"));
    put(logs, `${FOLDER}/old.jsonl.reset.${TS}`, transcript("old", "lighthouse"));
    put(logs, `${FOLDER}/gone.jsonl.deleted.${TS}`, transcript("gone", "shipwreck"));
    await run(archive, logs);
  });

describe("reset and deleted transcripts", () => {
  test("are not read until somebody asks for them, then marked, listed and searched", () =>
    inFolders(async (archive, logs) => {
      await importPaths(archive, [logs]);
      expect(await listed(archive)).toEqual([["harbour", null]]);
      expect(await listed(archive, "shipwreck")).toEqual([]);

      await saveArchivedOption(archive, { path: logs, on: true });
      await importPaths(archive, [logs]);
      expect(await listed(archive)).toEqual([
        ["harbour", null],
        ["lighthouse", "reset"],
        ["shipwreck", "deleted"],
      ]);
      expect(await listed(archive, "shipwreck")).toEqual([["shipwreck", "deleted"]]);
      const root = { path: logs, format: null, from: "added" } as const;
      expect((await describeRoots(archive, [root], false))[0]!.archived).toBe(true);
    }));

  test("a file that was noted as gone before it was found aside is not said to be deleted", () =>
    inFolders(async (archive, logs) => {
      await importPaths(archive, [logs]);
      const live = join(logs, FOLDER, "live.jsonl");
      renameSync(live, `${live}.reset.${TS}`);
      expect(noteGone(archive, [live])).toEqual([]);
      await importPaths(archive, [logs]);
      const { sources } = await listSources(archive, { limit: 10, offset: 0 });
      expect(sources.find(({ path }) => path.startsWith(live))).toMatchObject({ status: "ok", deletedAt: null });
    }));

  test("the option is of a folder: another folder's stay unread", () =>
    inFolders(async (archive, logs) => {
      await saveArchivedOption(archive, { path: join(logs, "agents/other"), on: true });
      await importPaths(archive, [logs]);
      expect(await listed(archive)).toEqual([["harbour", null]]);
    }));

  test("turned off again, deleted ones leave the archive and its index, reset ones leave the search", () =>
    inFolders(async (archive, logs) => {
      await saveArchivedOption(archive, { path: logs, on: true });
      await importPaths(archive, [logs]);
      expect(indexed(archive, "shipwreck")).toBe(2);
      await saveArchivedOption(archive, { path: logs, on: false });
      expect(await listed(archive)).toEqual([
        ["harbour", null],
        ["lighthouse", "reset"],
      ]);
      expect(await listed(archive, "lighthouse")).toEqual([]);
      expect(indexed(archive, "shipwreck")).toBe(0);
      await importPaths(archive, [logs]);
      expect(indexed(archive, "shipwreck")).toBe(0);
    }));

  test("a session that is reset after it was read stays, marked, and is searched by the option alone", () =>
    inFolders(async (archive, logs) => {
      await importPaths(archive, [logs]);
      renameSync(join(logs, FOLDER, "live.jsonl"), join(logs, FOLDER, `live.jsonl.reset.${TS}`));
      await importPaths(archive, [logs]);
      expect(await listed(archive)).toEqual([["harbour", "reset"]]);
      expect(await listed(archive, "harbour")).toEqual([]);
      await saveArchivedOption(archive, { path: logs, on: true });
      await importPaths(archive, [logs]);
      expect(await listed(archive, "harbour")).toEqual([["harbour", "reset"]]);
      expect(await check(archive)).toMatchObject({ ok: true });
    }));

  test("a session that is deleted after it was read leaves the archive and its index", () =>
    inFolders(async (archive, logs) => {
      await importPaths(archive, [logs]);
      expect(indexed(archive, "harbour")).toBe(2);
      renameSync(join(logs, FOLDER, "live.jsonl"), join(logs, FOLDER, `live.jsonl.deleted.${TS}`));
      await importPaths(archive, [logs]);
      expect(await listed(archive)).toEqual([]);
      expect(indexed(archive, "harbour")).toBe(0);
      expect(archive.sqlite.prepare("SELECT path FROM sources").all()).toEqual([]);
      expect(await check(archive)).toMatchObject({ ok: true });
    }));
});

describe("a session that is removed", () => {
  test("leaves lists, index, figures and kept bytes, and comes back only by name", () =>
    inFolders(async (archive, logs) => {
      await importPaths(archive, [logs]);
      const { sessions } = await listSessions(archive, sessionsQuery.parse({}));
      const { id } = sessions[0]!;
      const path = join(logs, FOLDER, "live.jsonl");
      expect(removePreview(archive, id)).toMatchObject({
        title: "harbour",
        path,
        isOnDisk: true,
        sessions: 1,
        calls: 1,
      });
      expect(await removeSession(archive, id)).toEqual({ sessionId: id, path, sessions: 1 });
      expect(existsSync(path)).toBe(true);
      expect(existsSync(dirname(join(archive.dir, "sessions", id, "registry.jsonl")))).toBe(false);
      expect(await listed(archive)).toEqual([]);
      expect(indexed(archive, "harbour")).toBe(0);
      for (const table of ["events", "model_calls", "raw_blocks", "artifacts", "sessions"])
        expect(archive.sqlite.prepare(`SELECT count(*) AS n FROM ${table}`).get(), table).toEqual({ n: 0 });

      // Neither a search of the folder nor the watcher brings it back.
      await importPaths(archive, [logs]);
      await importPaths(archive, [path], { isWatched: true });
      expect(await listed(archive)).toEqual([]);
      await importPaths(archive, [path]);
      expect(await listed(archive)).toEqual([["harbour", null]]);
      await importPaths(archive, [logs]);
      expect(await listed(archive)).toHaveLength(1);
    }));

  test("its older copies go with it: nothing brings it back", () =>
    inArchive(async (archive, logs) => {
      const lines = transcript("a", "reef");
      put(logs, "a.jsonl", lines);
      put(logs, "copies/a.jsonl", lines.split("\n").slice(0, 2).join("\n") + "\n");
      await importPaths(archive, [logs]);
      const { sessions } = await listSessions(archive, sessionsQuery.parse({}));
      expect(sessions).toHaveLength(1);
      await removeSession(archive, sessions[0]!.id);
      await importPaths(archive, [logs]);
      expect(await listed(archive)).toEqual([]);
      expect(archive.sqlite.prepare("SELECT count(*) AS n FROM raw_blocks").get()).toEqual({ n: 0 });
      expect((await check(archive)).problems).toEqual([]);
    }));

  test("one that Plimsoll holds is refused, with what can be done", () =>
    inArchive(async (archive, logs) => {
      put(logs, "a.jsonl", transcript("a", "reef"));
      await importPaths(archive, [logs]);
      archive.sqlite.exec("UPDATE sessions SET held = 1");
      const { sessions } = await listSessions(archive, sessionsQuery.parse({}));
      await expect(removeSession(archive, sessions[0]!.id)).rejects.toThrow(
        /was not imported from a file.*plimsoll end/,
      );
    }));
});
