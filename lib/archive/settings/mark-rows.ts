// The writes of labels, stars and notes. They are a session's own rows: read again, it gets them back as it gets its memory.
import { command, scalar, select } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { MarkRequest } from "#lib/wire/marks-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { eventRowId } from "../base/row-keys.ts";
import { defineWrite, ofSession } from "../base/write.ts";
import { anchorOf } from "./mark-anchor.ts";

/** Labels of one session and its events, at most. */
const MOST_LABELS = 200;

type Input = { readonly sessionId: string; readonly request: MarkRequest };

function setMark(archive: Archive, batch: Batch, { sessionId, request }: Input): { changed: boolean } {
  const { sqlite } = archive;
  const session = select(sqlite, "sessions", ["pk"], "WHERE id = ?").get(sessionId);
  if (session === undefined) fail("not_found", `Session ${sessionId} no longer exists.`);
  const { pk } = session;
  const seq = request.seq ?? 0;
  const anchor = seq === 0 ? null : anchorOf(archive, eventRowId(pk, seq));
  if (seq !== 0 && anchor === null) fail("not_found", `There is no event ${seq} in this session.`);
  const { kind } = request;
  const value = kind === "star" ? "" : request.value;
  const isOn = kind === "note" ? value !== "" : request.on;
  const which = "WHERE session_pk = ? AND seq = ? AND kind = ?";
  if (kind === "note" && request.before !== undefined) {
    const now = select(sqlite, "marks", ["value"], which).get(pk, seq, kind)?.value ?? "";
    if (now !== request.before) fail("conflict", "The note was changed elsewhere. Read it again, then save yours.");
  }
  if (!isOn || kind === "note") {
    const { changes } =
      kind === "note"
        ? command(sqlite, `DELETE FROM marks ${which}`).run(pk, seq, kind)
        : command(sqlite, `DELETE FROM marks ${which} AND value = ?`).run(pk, seq, kind, value);
    if (!isOn) return { changed: changes > 0 };
  }
  const labels = scalar(sqlite, "integer", "SELECT count(*) FROM marks WHERE session_pk = ? AND kind = 'label'").get(
    pk,
  )!;
  if (kind === "label" && labels >= MOST_LABELS)
    fail("too_large", `This session has ${labels} labels. Remove one first.`);
  const { changes } = command(
    sqlite,
    "INSERT OR IGNORE INTO marks (session_pk, seq, kind, value, anchor, at) VALUES (?, ?, ?, ?, ?, ?)",
  ).run(pk, seq, kind, value, anchor, batch.now);
  return { changed: changes > 0 };
}

function saveSearch(
  archive: Archive,
  batch: Batch,
  { name, query }: { readonly name: string; readonly query: string },
): { saved: boolean } {
  command(
    archive.sqlite,
    `INSERT INTO saved_searches (name, query, created_at) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET query = excluded.query`,
  ).run(name, query, batch.now);
  return { saved: true };
}

function dropSearch(archive: Archive, _: Batch, { name }: { readonly name: string }): { deleted: boolean } {
  return { deleted: command(archive.sqlite, "DELETE FROM saved_searches WHERE name = ?").run(name).changes > 0 };
}

export const setMarkWrite = defineWrite("setMark", setMark, { session: ofSession, isBeside: true });
export const saveSearchWrite = defineWrite("saveSearch", saveSearch);
export const dropSearchWrite = defineWrite("dropSearch", dropSearch);
