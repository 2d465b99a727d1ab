// The text of a match, read again from the archive: the index keeps none.
import { command, query, scalar } from "#db/statement.ts";
import { eventText, type EventBody } from "#lib/kernel/event.ts";
import { SEARCH_KINDS } from "#lib/kernel/search/search-fields.ts";
import type { Archive } from "../base/archive-type.ts";
import { perArchive } from "../base/per-archive.ts";
import { eventRowId } from "../base/row-keys.ts";
import { IS_SEMANTIC } from "./fill-index.ts";
import type { Match } from "./find-matches.ts";
import { PIECE_CHARS, piecesOf, storedText } from "./indexed-docs.ts";

export type MatchText = { readonly text: string; readonly artifact: string | null; readonly startLine: number };

/** Null when it is gone since. */
export async function matchText(archive: Archive, match: Match): Promise<MatchText | null> {
  const { sqlite } = archive;
  if (SEARCH_KINDS[match.kind] === "memory") {
    const text =
      (match.flags & IS_SEMANTIC) === 0
        ? scalar(sqlite, "episodic_items.summary", "FROM episodic_items WHERE pk = ? AND deleted_at IS NULL").get(
            match.seq,
          )
        : scalar(sqlite, "semantic_items.fact", "FROM semantic_items WHERE pk = ? AND deleted_at IS NULL").get(
            match.seq,
          );
    return text === undefined ? null : { text, artifact: null, startLine: 1 };
  }
  const row = query(
    sqlite,
    { body: "events.body", artifact: "events.artifact" },
    "SELECT body, artifact FROM events WHERE id = ?",
  ).get(eventRowId(match.session, match.seq));
  if (row === undefined) return null;
  if (match.piece === 0) return { text: eventText(JSON.parse(row.body) as EventBody), artifact: null, startLine: 1 };
  const stored = row.artifact === null ? null : await lastStored(archive, row.artifact);
  const text = stored === null ? undefined : piecesOf(stored)[match.piece - 1];
  if (text === undefined) return null;
  return { text, artifact: row.artifact, startLine: 1 + breaksIn(stored!, (match.piece - 1) * PIECE_CHARS) };
}

const lastOf = perArchive((): { pointer: string; text: string | null } => ({ pointer: "", text: null }));

/** Pieces of one output are read one after the other: it is held until another is. */
async function lastStored(archive: Archive, pointer: string): Promise<string | null> {
  const last = lastOf(archive);
  if (last.pointer === pointer && last.text !== null) {
    if (isLive(archive, pointer)) return last.text;
  }
  const text = await storedText(archive, pointer);
  Object.assign(last, { pointer, text });
  return text;
}

function isLive(archive: Archive, pointer: string): boolean {
  return (
    command(archive.sqlite, "SELECT 1 FROM artifacts WHERE pointer = ? AND deleted_at IS NULL").get(pointer) !==
    undefined
  );
}

function breaksIn(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
