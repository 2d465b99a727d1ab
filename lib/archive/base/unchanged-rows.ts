// A download is read piece by piece beside the thread that writes. Between two of them its session may be removed, or read again from a
// file that was written anew: its rows are gone, of other events, or another session's, to which the freed key went. What only goes on
// is no change.
import { scalar, select } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { Archive } from "./archive-type.ts";
import { databaseState } from "./database-state.ts";
import { rowRange } from "./row-keys.ts";

/** Remembers the rows of a session, whose id may be known; what it returns fails with `conflict` where they are others by then. */
export function requireSameRows(archive: Archive, pk: number, known?: string): () => void {
  const { sqlite } = archive;
  const idNow = scalar(sqlite, "sessions.id", "FROM sessions WHERE pk = ?");
  const lastRow = scalar(sqlite, "integer?", "SELECT max(id) FROM events WHERE id BETWEEN ? AND ?");
  // Which record it is of: its call, and what of an earlier session it is, may be set later.
  const recordNow = scalar(
    sqlite,
    "text",
    "SELECT type || ' ' || byte_start || ' ' || hex(coalesce(record_key, '')) FROM events WHERE id = ?",
  );
  return afterChanges(archive, () => {
    const id = known ?? idNow.get(pk);
    const last = lastRow.get(...rowRange(pk)) ?? null;
    const record = recordNow.get(last);
    return () => {
      if (idNow.get(pk) !== id || recordNow.get(last) !== record) refuseChanged(`The session ${id}`);
    };
  });
}

/** The same of the bytes that are kept of a source, up to `end`. What is appended to it may be joined to its last block. */
export function requireSameBytes(archive: Archive, sourcePk: number, end: number): () => void {
  const { sqlite } = archive;
  const source = select(sqlite, "sources", ["path", "head"], "WHERE pk = ?");
  const blocks = scalar(
    sqlite,
    "text",
    `SELECT coalesce(group_concat(byte_start || ' ' || byte_end || ' ' || length(zstd)), '')
       FROM (SELECT * FROM raw_blocks WHERE source_pk = ? AND byte_end < ? ORDER BY byte_start)`,
  );
  const read = (): string => JSON.stringify([source.get(sourcePk), blocks.get(sourcePk, end)]);
  return afterChanges(archive, () => {
    const before = read();
    return () => {
      if (read() !== before) refuseChanged("A file of the session");
    };
  });
}

/** The check that `begin` returns, run where anything was written since: a file of 1 GB has 4,000 blocks, and as many pieces. */
function afterChanges(archive: Archive, begin: () => () => void): () => void {
  let checked = databaseState(archive);
  const check = begin();
  return () => {
    const now = databaseState(archive);
    if (now === checked) return;
    check();
    checked = now;
  };
}

export const refuseChanged = (what: string): never =>
  fail("conflict", `${what} was removed or imported again meanwhile. Retry.`);

/** Passes pieces on for as long as their session is what it is now. */
export const whileSame = <T>(
  archive: Archive,
  pk: number,
  pieces: AsyncIterable<T>,
  id?: string,
): AsyncGenerator<T, void, undefined> => checkedPieces(pieces, requireSameRows(archive, pk, id));

/** `check` runs before each piece is passed on, and at the end. */
export async function* checkedPieces<T>(
  pieces: AsyncIterable<T> | Iterable<T>,
  check: () => void,
): AsyncGenerator<T, void, undefined> {
  for await (const piece of pieces) {
    check();
    yield piece;
  }
  check();
}
