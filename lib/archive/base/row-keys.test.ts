import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { eventRowId, rowRange, SEARCH_RANGE } from "./row-keys.ts";

test.each(["", "search MATCH 'ballast' AND "])("the search index reads a session's own rows alone: %j", (words) => {
  const sqlite = new Database(":memory:");
  sqlite.exec("CREATE VIRTUAL TABLE search USING fts5(text, content='', contentless_delete=1)");
  const insert = sqlite.prepare("INSERT INTO search (rowid, text) VALUES (?, 'ballast')");
  for (let pk = 1; pk < 20; pk++) for (let seq = 1; seq < 5; seq++) insert.run(eventRowId(pk, seq));
  let read = 0;
  // Called for each row that FTS5 gives, before its number is compared.
  sqlite.function("note_read", (_row: unknown) => ++read);
  const find = sqlite.prepare(`SELECT rowid FROM search WHERE ${words}note_read(rowid) AND ${SEARCH_RANGE}`).pluck();
  expect(find.all(...rowRange(5))).toEqual([1, 2, 3, 4].map((seq) => eventRowId(5, seq)));
  expect(read).toBe(4);
  sqlite.close();
});
