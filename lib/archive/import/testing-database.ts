// An agent's database beside an archive, for tests.
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Archive } from "../base/archive-type.ts";
import { inFolder, withArchive } from "../testing-archive.ts";

export type Fill = (sqlite: Database.Database) => void;

/** A database below a folder of its own, written and still open. */
export async function withDatabase(
  name: string,
  fill: Fill,
  run: (archive: Archive, path: string, sqlite: Database.Database) => Promise<void>,
): Promise<void> {
  await inFolder(async (dir) => {
    const path = join(dir, name);
    const sqlite = new Database(path);
    sqlite.pragma("journal_mode = WAL");
    fill(sqlite);
    try {
      await withArchive(join(dir, "archive"), (archive) => run(archive, path, sqlite));
    } finally {
      sqlite.close();
    }
  });
}
