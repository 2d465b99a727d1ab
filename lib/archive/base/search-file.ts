// The opened index of an archive. One thread or process fills it, any number read beside it; and whoever takes something out of
// the archive takes it out here too, so that it is not counted until the next time the index is filled.
import { existsSync } from "node:fs";
import type { Sqlite } from "#db/connection.ts";
import { openSearch, searchPath } from "#db/search-database.ts";
import type { Archive } from "./archive-type.ts";
import { perArchive } from "./per-archive.ts";

type Held = { read: Sqlite | null; write: Sqlite | null };

const held = perArchive((archive): Held => {
  const state: Held = { read: null, write: null };
  archive.atClose.push(async () => {
    state.read?.close();
    state.write?.close();
    state.read = state.write = null;
  });
  return state;
});

/** The index for reading; null while there is none. */
export const readIndexOf = (archive: Archive): Sqlite | null =>
  (held(archive).read ??= openSearch(archive.dir, "read"));

export const writeIndexOf = (archive: Archive): Sqlite => (held(archive).write ??= openSearch(archive.dir, "write")!);

/** Takes all of a session out of the index. */
export function removeIndexed(index: Sqlite, pk: number): void {
  index.prepare("DELETE FROM words WHERE rowid IN (SELECT id FROM docs WHERE session = ?)").run(pk);
  index.prepare("DELETE FROM docs WHERE session = ?").run(pk);
  index.prepare("DELETE FROM made WHERE session = ?").run(pk);
  index.prepare("DELETE FROM indexed WHERE session = ?").run(pk);
}

/** A session that is removed leaves the index at once. */
export const dropSessionDocs = (archive: Archive, pk: number): void =>
  dropped(archive, (index) => removeIndexed(index, pk));

/** The stored output of an event is deleted; what the event itself says is found as before. */
export const dropOutputDocs = (archive: Archive, pk: number, seq: number): void =>
  dropped(archive, (index) => {
    const docs = "FROM docs WHERE session = ? AND seq = ? AND piece > 0";
    index.prepare(`DELETE FROM words WHERE rowid IN (SELECT id ${docs})`).run(pk, seq);
    index.prepare(`DELETE ${docs}`).run(pk, seq);
    // Should the write of the archive fail after all, the session is indexed anew.
    index.prepare("UPDATE indexed SET version = -1, events = '' WHERE session = ?").run(pk);
  });

/**
 * A write of the archive is never refused for the index: what is locked or damaged there is mended when it is filled again,
 * and a result is looked up in the archive before it is shown.
 */
function dropped(archive: Archive, work: (index: Sqlite) => void): void {
  try {
    if (!existsSync(searchPath(archive.dir))) return;
    const index = writeIndexOf(archive);
    index.transaction(() => work(index)).immediate();
  } catch (error) {
    if (!/^SQLITE_/.test(String((error as { code?: unknown }).code ?? ""))) throw error;
  }
}
