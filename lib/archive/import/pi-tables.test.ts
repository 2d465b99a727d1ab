// pi's database, filled with the rows of the fixture. Synthetic.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type Database from "better-sqlite3";
import { expect, test } from "vitest";
import { findSession } from "../base/find-session.ts";
import { listEvents } from "../sessions/list-events.ts";
import { summaryOfSession } from "../sessions/show-session.ts";
import { importPaths } from "./import-paths.ts";
import { withDatabase, type Fill } from "./testing-database.ts";

type Row = Readonly<Record<string, string | null>> & { readonly payload: unknown };

const TABLES = `
  CREATE TABLE sessions (id TEXT PRIMARY KEY, created_at TEXT NOT NULL, cwd TEXT NOT NULL, parent_session_id TEXT NULL, metadata TEXT NULL)
    WITHOUT ROWID;
  CREATE TABLE entries (session_id TEXT NOT NULL, seq INTEGER NOT NULL, id TEXT NOT NULL, parent_id TEXT NULL, type TEXT NOT NULL,
    timestamp TEXT NOT NULL, payload TEXT NOT NULL, PRIMARY KEY (session_id, id), UNIQUE (session_id, seq));
  CREATE TABLE facts (session_id TEXT NOT NULL, seq INTEGER NOT NULL, kind TEXT NOT NULL, key TEXT NULL, value TEXT NULL,
    PRIMARY KEY (session_id, seq)) WITHOUT ROWID;`;

const FIXTURE = join(import.meta.dirname, "../../formats/fixtures/pi-synthetic-database.jsonl");

test("pi: a session is read from rows, new ones are added, and its newest name is its title", async () => {
  const [{ row: session }, ...entries] = readFileSync(FIXTURE, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { row: Row }) as [{ row: Row }, ...{ row: Row }[]];
  const id = session["id"]!;
  const add = (sqlite: Database.Database, row: Row, seq: number): void =>
    void sqlite
      .prepare("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)")
      .run(id, seq, row["id"], row["parent_id"], row["type"], row["timestamp"], JSON.stringify(row.payload));
  const fill: Fill = (sqlite) => {
    sqlite.exec(TABLES);
    sqlite.prepare("INSERT INTO sessions VALUES (?, ?, ?, NULL, NULL)").run(id, session["created_at"], session["cwd"]);
    entries.slice(0, 3).forEach(({ row }, i) => add(sqlite, row, i + 1));
  };
  await withDatabase("sessions.sqlite", fill, async (archive, path, sqlite) => {
    const shown = () => summaryOfSession(archive, findSession(archive, `pi:${id}`));
    await importPaths(archive, [path]);
    expect(shown()).toMatchObject({
      ...{ cwd: "/home/ada/petrels", title: "Count the petrels", modelCalls: { own: 1 } },
      usage: { inputUncached: 120, cacheRead: 900, output: 30 },
    });
    entries.slice(3).forEach(({ row }, i) => add(sqlite, row, i + 4));
    const name = sqlite.prepare("INSERT INTO facts VALUES (?, ?, 'name', NULL, ?)");
    name.run(id, 20, "Birds");
    name.run(id, 21, "Petrels (synthetic)");
    await importPaths(archive, [path]);
    // Two answers and the compaction's own request.
    expect(shown()).toMatchObject({
      ...{ title: "Petrels (synthetic)", modelCalls: { own: 3 } },
      usage: { inputUncached: 1230, cacheRead: 2000, output: 56 },
    });
    const { events } = await listEvents(archive, shown().id, { from: 1, limit: 99 });
    expect(events.map(({ body }) => body.type)).toEqual([
      ...["meta", "meta", "user", "reasoning", "tool_call", "tool_result", "assistant", "meta"],
      ...["compaction", "user"],
    ]);
  });
});
