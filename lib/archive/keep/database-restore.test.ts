// A session that is rows of an agent's database is not given back as a file: nothing is written beside the database. Synthetic rows.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { importPaths } from "../import/import-paths.ts";
import { inArchive } from "../testing-archive.ts";
import { previewRestore, restoreSession } from "./restore-session.ts";

test("a session of a database is refused with what to do, and no file appears", () =>
  inArchive(async (archive, dir) => {
    const path = join(dir, "opencode.db");
    const sqlite = new Database(path);
    sqlite.exec(`
      CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT, time_created INTEGER, time_updated INTEGER);
      CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
      CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
      INSERT INTO session VALUES ('ses_1', NULL, '/reef', 'Reef', '1.18.33', 1790000000000, 1790000000001);
      INSERT INTO message VALUES ('msg_1', 'ses_1', 1790000000001, 1790000000001, '{"role":"user"}');
      INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', 1790000000001, 1790000000001, '{"type":"text","text":"Count"}');`);
    sqlite.close();
    const { files } = await importPaths(archive, [path], { final: true });
    const session = files.flatMap((file) => file.sessions)[0]!;
    const before = readdirSync(dir).toSorted();
    await expect(previewRestore(archive, { session, roots: [] })).rejects.toThrow("in a database of OpenCode");
    await expect(restoreSession(archive, { session, to: dir, roots: [] })).rejects.toThrow("plimsoll export");
    expect(readdirSync(dir).toSorted()).toEqual(before);
  }));
