// Sessions of OpenCode that are a file for each message and part, in both layouts. Synthetic.
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { restoreSession } from "../keep/restore-session.ts";
import { listEvents } from "../sessions/list-events.ts";
import { summaryOfSession } from "../sessions/show-session.ts";
import { inFolder, NOW, withArchive } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";

const AT = NOW - 1_000_000;
const ID = "ses_one";

function write(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
}

const INFO = {
  id: ID,
  projectID: "p1",
  directory: "/reef",
  title: "Reef",
  version: "1.0.1",
  time: { created: AT, updated: AT },
};
const user = { id: "msg_1", sessionID: ID, role: "user", time: { created: AT } };
const answer = (isDone: boolean): object => ({
  ...{ id: "msg_2", sessionID: ID, role: "assistant", modelID: "claude-sonnet-4-5", providerID: "anthropic" },
  time: { created: AT + 1000, ...(isDone && { completed: AT + 2000 }) },
});
const said = { id: "prt_1", messageID: "msg_1", sessionID: ID, type: "text", text: "How deep?" };
const told = { id: "prt_2", messageID: "msg_2", sessionID: ID, type: "text", text: "Nine metres." };
const step = {
  ...{ id: "prt_3", messageID: "msg_2", sessionID: ID, type: "step-finish", cost: 0.01 },
  tokens: { input: 50, output: 7, reasoning: 0, cache: { read: 900, write: 20 } },
};

async function shown(archive: Archive) {
  const pk = findSession(archive, `opencode:${ID}`);
  const { usage, modelCalls, id, cwd } = summaryOfSession(archive, pk);
  const { events } = await listEvents(archive, id, { from: 1, limit: 99 });
  const texts = events.flatMap(({ body }) => (body.type === "user" || body.type === "assistant" ? [body.text] : []));
  return { texts, cwd, input: usage.inputUncached, cache: usage.cacheRead, calls: modelCalls.own };
}

test("messages and parts are read with their session, and an answer when it is done", () =>
  inFolder((dir) =>
    withArchive(join(dir, "archive"), async (archive) => {
      const storage = join(dir, "opencode", "storage");
      const message = join(storage, "message", ID, "msg_2.json");
      write(join(storage, "session", "p1", `${ID}.json`), INFO);
      write(join(storage, "message", ID, "msg_1.json"), user);
      write(join(storage, "part", "msg_1", "prt_1.json"), said);
      write(message, answer(false));
      write(join(storage, "part", "msg_2", "prt_2.json"), told);
      const folder = join(storage, "session");
      // Written just now: nobody says that it is whole.
      utimesSync(join(folder, "p1", `${ID}.json`), NOW / 1000, NOW / 1000);
      await importPaths(archive, [folder], { final: false });
      expect(await shown(archive)).toMatchObject({ texts: ["How deep?"], cwd: "/reef" });
      write(join(storage, "part", "msg_2", "prt_3.json"), step);
      write(message, answer(true));
      await importPaths(archive, [folder]);
      const whole = { texts: ["How deep?", "Nine metres."], input: 50, cache: 900, calls: 1 };
      expect(await shown(archive)).toMatchObject(whole);
      const again = await importPaths(archive, [folder]);
      expect(again.files.map(({ status }) => status)).toEqual(["unchanged"]);
      // One that leads elsewhere, and one that was cut off, are left out.
      symlinkSync("/etc/hostname", join(storage, "part", "msg_2", "prt_4.json"));
      write(join(storage, "part", "msg_2", "prt_5.json"), '{"type":"te');
      await importPaths(archive, [folder]);
      expect(await shown(archive)).toMatchObject(whole);
      await expect(restoreSession(archive, { session: `opencode:${ID}`, roots: [] })).rejects.toThrow(/one file/);
    }),
  ));

test("the first layout; and what a database took over counts once", () =>
  inFolder((dir) =>
    withArchive(join(dir, "archive"), async (archive) => {
      const folder = join(dir, "opencode", "storage", "session");
      write(join(folder, "info", `${ID}.json`), INFO);
      for (const [name, value] of Object.entries({ msg_1: user, msg_2: answer(true) }))
        write(join(folder, "message", ID, `${name}.json`), value);
      write(join(folder, "part", ID, "msg_1", "prt_1.json"), said);
      for (const part of [told, step]) write(join(folder, "part", ID, "msg_2", `${part.id}.json`), part);
      await importPaths(archive, [folder]);
      const whole = { texts: ["How deep?", "Nine metres."], input: 50, calls: 1 };
      expect(await shown(archive)).toMatchObject(whole);
      const path = join(dir, "opencode", "opencode.db");
      const sqlite = new Database(path);
      sqlite.exec(`
        CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT, time_created INTEGER, time_updated INTEGER);
        CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
        CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);`);
      sqlite.prepare("INSERT INTO session VALUES (?, NULL, '/reef', 'Reef', '1.2.0', ?, ?)").run(ID, AT, AT);
      for (const value of [user, answer(true)] as { id: string }[])
        sqlite.prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)").run(value.id, ID, AT, AT, JSON.stringify(value));
      for (const value of [said, told, step])
        sqlite
          .prepare("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)")
          .run(value.id, value.messageID, ID, AT, AT, JSON.stringify(value));
      sqlite.close();
      await importPaths(archive, [path]);
      expect(await shown(archive)).toMatchObject(whole);
      const sessions = archive.sqlite.prepare("SELECT count(*) FROM sessions WHERE format = 'opencode'").pluck().get();
      expect(sessions).toBe(1);
      rmSync(folder, { recursive: true });
    }),
  ));
