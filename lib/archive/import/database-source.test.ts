// Databases as sources: real ones, with a writer that is at work. Each session is a source of its own; what is beside the agent stays
// as it was.
import { hash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { openSnapshot, rowsPath } from "#lib/sources/sqlite.ts";
import type { Archive } from "../base/archive-type.ts";
import { removeSession } from "../sources/remove-session.ts";
import { listSources } from "../sources/list-sources.ts";
import { noteGone } from "../sources/watch-sources.ts";
import { listEvents } from "../sessions/list-events.ts";
import { check } from "../upkeep/check-archive.ts";
import { inFolder, NOW, withArchive } from "../testing-archive.ts";
import { copiesFolder } from "./database-source.ts";
import { importPaths } from "./import-paths.ts";
import { rawBytes } from "./raw-writer.ts";

const TABLES = `
  CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT, time_created INTEGER, time_updated INTEGER);
  CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
  CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);`;

type Agent = {
  readonly path: string;
  readonly sqlite: Database.Database;
  say(session: string, n: number, text: string): void;
  answer(session: string, n: number, text: string, isDone?: boolean): void;
};

/** A database whose writer stays open, with a log that is not moved into the file. */
async function withAgent(run: (agent: Agent, archive: Archive) => Promise<void>, tables = TABLES): Promise<void> {
  await inFolder(async (dir) => {
    const path = join(dir, "opencode.db");
    const sqlite = new Database(path);
    sqlite.pragma("journal_mode = WAL");
    sqlite.exec(tables);
    const message = (session: string, n: number, data: object, part: object): void => {
      const at = NOW - 1_000_000 + n;
      sqlite.prepare("INSERT OR IGNORE INTO session VALUES (?, NULL, '/reef', 'Reef', '1', ?, ?)").run(session, at, at);
      sqlite.prepare("UPDATE session SET time_updated = ? WHERE id = ?").run(at, session);
      const id = `${session}${n}`;
      sqlite.prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)").run(`m${id}`, session, at, at, JSON.stringify(data));
      sqlite
        .prepare("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)")
        .run(`p${id}`, `m${id}`, session, at, at, JSON.stringify(part));
    };
    const agent: Agent = {
      path,
      sqlite,
      say: (session, n, text) => message(session, n, { role: "user" }, { type: "text", text }),
      answer: (session, n, text, isDone = true) =>
        message(session, n, { role: "assistant", time: isDone ? { completed: 1 } : {} }, { type: "text", text }),
    };
    try {
      await withArchive(join(dir, "archive"), (archive) => run(agent, archive));
    } finally {
      sqlite.close();
    }
  });
}

const read = (archive: Archive, { path }: Agent, final = true) => importPaths(archive, [path], { final });
const sourcesOf = async (archive: Archive) => (await listSources(archive, { limit: 100, offset: 0 })).sources;

async function wordsOf(archive: Archive, { path }: Agent, session: string): Promise<string[]> {
  const source = (await sourcesOf(archive)).find((one) => one.path === rowsPath(path, session));
  const { events } = await listEvents(archive, source!.sessions[0]!.id, { from: 1, limit: 500 });
  return events.flatMap(({ body }) => (body.type === "user" || body.type === "assistant" ? [body.text] : []));
}

test("each session is read, from a log that its writer holds open, and nothing beside it is touched", async () => {
  await withAgent(async (agent, archive) => {
    agent.say("a", 1, "Count");
    agent.answer("a", 2, "Two");
    agent.say("b", 3, "Fish?");
    const files = () =>
      readdirSync(join(agent.path, ".."))
        .filter((name) => name.startsWith("opencode"))
        .map((name) => [name, hash("sha256", readFileSync(join(agent.path, "..", name)))]);
    agent.sqlite.exec("BEGIN IMMEDIATE");
    const before = files();
    const { totals } = await read(archive, agent);
    expect(files()).toEqual(before);
    agent.sqlite.exec("COMMIT");
    expect(totals.sessions).toBe(2);
    expect(await wordsOf(archive, agent, "a")).toEqual(["Count", "Two"]);
    expect(readdirSync(copiesFolder(archive))).toEqual([]);
    const own = (await sourcesOf(archive)).find(({ path }) => path === agent.path);
    expect(own).toMatchObject({ format: "opencode", status: "ok", sessions: [] });
  });
});

test("only sessions whose rows changed are read again, and what is appended goes on", async () => {
  await withAgent(async (agent, archive) => {
    agent.say("a", 1, "Count");
    agent.say("b", 2, "Fish?");
    await read(archive, agent);
    expect((await read(archive, agent)).files.map(({ status }) => status)).toEqual(["unchanged"]);
    agent.answer("a", 3, "Two");
    expect((await read(archive, agent)).files.map(({ status }) => status)).toEqual(["unchanged", "grown"]);
    expect(await wordsOf(archive, agent, "a")).toEqual(["Count", "Two"]);
  });
});

test("a row that is edited to one as long, between others, is read again", async () => {
  await withAgent(async (agent, archive) => {
    agent.say("a", 1, `First. ${"x".repeat(6000)}`);
    agent.answer("a", 2, "Two");
    agent.say("a", 3, `Last. ${"x".repeat(6000)}`);
    await read(archive, agent);
    const data = JSON.stringify({ type: "text", text: "Six" });
    agent.sqlite.prepare("UPDATE part SET data = ? WHERE id = 'pa2'").run(data);
    agent.sqlite.prepare("UPDATE session SET time_updated = time_updated + 1").run();
    await read(archive, agent);
    expect((await wordsOf(archive, agent, "a"))[1]).toBe("Six");
  });
});

test("a message that is still written waits, and is read when it is done or nothing more comes", async () => {
  await withAgent(async (agent, archive) => {
    agent.say("a", 1, "Count");
    agent.sqlite.prepare("UPDATE session SET time_updated = ?").run(NOW);
    agent.answer("a", 2, "Tw", false);
    agent.sqlite.prepare("UPDATE session SET time_updated = ?").run(NOW);
    await read(archive, agent, false);
    expect(await wordsOf(archive, agent, "a")).toEqual(["Count"]);
    await read(archive, agent, true);
    expect(await wordsOf(archive, agent, "a")).toEqual(["Count", "Tw"]);
  });
});

test("an edited row replaces what was read; one that was deleted stays as an earlier version", async () => {
  await withAgent(async (agent, archive) => {
    agent.say("a", 1, "Count");
    agent.answer("a", 2, "Two");
    await read(archive, agent);
    const edit = agent.sqlite.prepare("UPDATE part SET data = ?, time_updated = time_updated + 1 WHERE id = 'pa2'");
    edit.run(JSON.stringify({ type: "text", text: "Three" }));
    await read(archive, agent);
    expect(await wordsOf(archive, agent, "a")).toEqual(["Count", "Three"]);
    const versions = async () => (await sourcesOf(archive)).filter(({ status }) => status === "earlier version");
    expect(await versions()).toEqual([]);
    agent.sqlite.exec("DELETE FROM part WHERE id = 'pa2'; DELETE FROM message WHERE id = 'ma2'");
    await read(archive, agent);
    expect(await wordsOf(archive, agent, "a")).toEqual(["Count"]);
    expect(await versions()).toHaveLength(1);
    expect((await check(archive)).problems).toEqual([]);
  });
});

test("the bytes that are kept are the rows as lines", async () => {
  await withAgent(async (agent, archive) => {
    agent.say("a", 1, "Count");
    await read(archive, agent);
    const pk = archive.sqlite.prepare("SELECT pk FROM sources WHERE path = ?").pluck().get(rowsPath(agent.path, "a"));
    const lines = Buffer.concat([...rawBytes(archive, pk as number, 0, 1e9)])
      .toString()
      .trim()
      .split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { table: string }).table)).toEqual(["session", "message", "part"]);
  });
});

test("a session that was removed stays away; one that left its database is kept", async () => {
  await withAgent(async (agent, archive) => {
    agent.say("a", 1, "Count");
    agent.say("b", 2, "Fish?");
    await read(archive, agent);
    const rows = await sourcesOf(archive);
    const id = rows.find(({ path }) => path === rowsPath(agent.path, "a"))!.sessions[0]!.id;
    await removeSession(archive, id);
    agent.say("a", 3, "Again");
    agent.sqlite.exec(
      "DELETE FROM part WHERE session_id = 'b'; DELETE FROM message WHERE session_id = 'b'; DELETE FROM session WHERE id = 'b'",
    );
    await read(archive, agent);
    const left = await sourcesOf(archive);
    expect(left.find(({ path }) => path === rowsPath(agent.path, "a"))).toMatchObject({
      status: "skipped",
      sessions: [],
    });
    expect(left.find(({ path }) => path === rowsPath(agent.path, "b"))).toMatchObject({ status: "gone" });
  });
});

test.each([
  ["empty", "", "skipped", /^The file is empty\.$/],
  ["no database", "SQLite format 3\0nonsense", "failed", /is damaged/],
])("a file that is %s is named with its reason", async (_, bytes, status, reason) => {
  await inFolder(async (dir) => {
    const path = join(dir, "opencode.db");
    writeFileSync(path, bytes);
    await withArchive(join(dir, "archive"), async (archive) => {
      await importPaths(archive, [dir]);
      const [source] = (await sourcesOf(archive)).filter((one) => one.path === path);
      expect(source).toMatchObject({ status, reason: expect.stringMatching(reason) as unknown });
    });
  });
});

test.each([
  ["another's", "CREATE TABLE poems (id TEXT)", /^No table of it is known\./],
  ["without sessions", TABLES, /^It has no sessions yet\.$/],
  ["of the future", TABLES.replace("message_id TEXT", "answer TEXT"), /^The table "part" has no message_id\./],
])("a database %s is named with its reason", async (_, tables, reason) => {
  await withAgent(async (agent, archive) => {
    await read(archive, agent);
    const [source] = await sourcesOf(archive);
    expect(source).toMatchObject({ path: agent.path, reason: expect.stringMatching(reason) as unknown });
  }, tables);
});

test("a database that is damaged later keeps what was read, and says so", async () => {
  await withAgent(async (agent, archive) => {
    agent.say("a", 1, "Count");
    await read(archive, agent);
    agent.sqlite.close();
    writeFileSync(agent.path, "nonsense".repeat(2000));
    await read(archive, agent);
    const rows = await sourcesOf(archive);
    expect(rows.find(({ path }) => path === agent.path)).toMatchObject({ status: "failed" });
    expect(await wordsOf(archive, agent, "a")).toEqual(["Count"]);
  });
});

const NEXT = `
  CREATE TABLE session_v2 (id TEXT PRIMARY KEY, parent_id TEXT, location TEXT, title TEXT, time_created INTEGER, time_updated INTEGER);
  CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, seq INTEGER, time_created INTEGER, time_updated INTEGER, data TEXT);`;

function addNext({ sqlite }: Agent, session: string, seq: number, id: string, text: string): void {
  const at = NOW - 1_000_000 + seq;
  sqlite
    .prepare("INSERT OR IGNORE INTO session_v2 VALUES (?, NULL, ?, 'Reef', ?, ?)")
    .run(session, JSON.stringify({ directory: "/reef" }), at, at);
  sqlite.prepare("UPDATE session_v2 SET time_updated = ? WHERE id = ?").run(at, session);
  sqlite
    .prepare("INSERT INTO session_message VALUES (?, ?, 'user', ?, ?, ?, ?)")
    .run(id, session, seq, at, at, JSON.stringify({ text, time: { created: at } }));
}

test("the tables of OpenCode 2 are read beside those before, and what both have is read once", async () => {
  await withAgent(async (agent, archive) => {
    agent.say("a", 1, "Old");
    agent.say("b", 2, "Before");
    addNext(agent, "b", 1, "mb2", "Before");
    addNext(agent, "b", 3, "n1", "After");
    addNext(agent, "c", 4, "n2", "New");
    expect((await read(archive, agent)).totals.sessions).toBe(3);
    expect(await wordsOf(archive, agent, "a")).toEqual(["Old"]);
    expect(await wordsOf(archive, agent, "b")).toEqual(["Before", "After"]);
    expect(await wordsOf(archive, agent, "c")).toEqual(["New"]);
    addNext(agent, "c", 5, "n3", "Newer");
    expect((await read(archive, agent)).files.map(({ status }) => status)).toEqual(["unchanged", "grown"]);
    agent.sqlite.exec("DROP TABLE part; DROP TABLE message; DROP TABLE session");
    await read(archive, agent);
    expect(await wordsOf(archive, agent, "c")).toEqual(["New", "Newer"]);
  }, `${TABLES}${NEXT}`);
});

test("a log that begins anew while it is copied is copied again: no pages of two times", async () => {
  await withAgent(async ({ path, sqlite }) => {
    sqlite.pragma("wal_autocheckpoint = 0");
    sqlite.exec("CREATE TABLE filler (n INTEGER PRIMARY KEY, bytes BLOB)");
    const fill = (from: number, rows: number): void =>
      sqlite.transaction(() => {
        for (let n = from; n < from + rows; n++)
          sqlite.prepare("INSERT OR REPLACE INTO filler VALUES (?, zeroblob(3500))").run(n);
      })();
    for (let n = 0; n < 8000; n += 100) fill(n, 100);
    // All of it is in the file; the next write begins the log anew.
    sqlite.pragma("wal_checkpoint(PASSIVE)");
    const folder = join(path, "..", "copies");
    const started = statSync(`${path}-wal`).size;
    const isHalf = (): boolean =>
      existsSync(folder) &&
      readdirSync(folder).some((name) => {
        const size = statSync(join(folder, name, "copy.db-wal"), { throwIfNoEntry: false })?.size ?? 0;
        return size > started / 4 && size < started;
      });
    let isAnew = false;
    const look = (): void => {
      if (isHalf()) {
        fill(100_000, Math.ceil((started * 0.7) / 4096));
        isAnew = true;
      } else if (!isAnew) setImmediate(look);
    };
    look();
    const snapshot = await openSnapshot(path, [join(path, "..")], folder);
    try {
      expect(isAnew).toBe(true);
      const [copy] = readdirSync(folder).map((name) => new Database(join(folder, name, "copy.db")));
      expect(copy!.pragma("integrity_check", { simple: true })).toBe("ok");
      expect(copy!.prepare("SELECT count(*) FROM filler").pluck().get()).toBeGreaterThanOrEqual(8000);
      copy!.close();
    } finally {
      isAnew = true;
      snapshot.close();
    }
  });
});

test("the sessions of a database that is gone say so, and not when it comes back", async () => {
  await withAgent(async (agent, archive) => {
    agent.say("a", 1, "Count");
    await read(archive, agent);
    renameSync(agent.path, `${agent.path}.aside`);
    noteGone(archive, [agent.path]);
    const own = async () => (await sourcesOf(archive)).find(({ path }) => path === agent.path)!;
    const statuses = async () => (await sourcesOf(archive)).map(({ status }) => status);
    expect((await own()).deletedAt).not.toBeNull();
    expect(await statuses()).toEqual(["gone", "gone"]);
    renameSync(`${agent.path}.aside`, agent.path);
    await read(archive, agent);
    expect(await own()).toMatchObject({ status: "ok", deletedAt: null });
    expect(await statuses()).toEqual(["ok", "ok"]);
  });
});

test("a session that was taken out of its database says since when, and its answers are new ones", async () => {
  await withAgent(async (agent, archive) => {
    agent.say("a", 1, "Count");
    agent.say("b", 2, "Fish?");
    await read(archive, agent);
    const versions = (): unknown[] => archive.sqlite.prepare("SELECT version FROM sessions").pluck().all();
    const before = versions();
    agent.sqlite.exec("DELETE FROM session WHERE id = 'a'");
    await read(archive, agent);
    const one = (await sourcesOf(archive)).find(({ path }) => path === rowsPath(agent.path, "a"))!;
    expect(one.status).toBe("gone");
    expect(one.deletedAt).not.toBeNull();
    expect(versions()).not.toEqual(before);
    const after = versions();
    agent.say("b", 3, "More");
    await read(archive, agent);
    expect(versions()[0]).toBe(after[0]);
  });
});
