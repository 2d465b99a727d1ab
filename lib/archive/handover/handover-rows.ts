// What was written, with what became of it: the new session once its file is read, and the prompt of its first call.
import { command, query, scalar, select, type RowOf } from "#db/statement.ts";
import type { CarryOnList, CarryOnRow } from "#lib/wire/carry-on-schema.ts";
import { fail } from "#lib/kernel/errors.ts";
import { isNamedPart } from "#lib/kernel/request-records.ts";
import { databaseOf } from "#lib/sources/sqlite.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { pathBefore } from "../base/bundle-path.ts";
import { findSession } from "../base/find-session.ts";
import { iso } from "../base/iso.ts";
import { publicSessionId, rowRange, seqOfRow } from "../base/row-keys.ts";
import { callsOf } from "../base/session-rows.ts";
import { defineWrite } from "../base/write.ts";
import { weightsOf } from "../load/event-weights.ts";

const ROW = { "*": "continuations.*" } as const;
export type HandoverRow = RowOf<typeof ROW>;

export const addContinuationWrite = defineWrite(
  "addContinuation",
  ({ sqlite }: Archive, _: Batch, row: Omit<HandoverRow, "pk" | "taken_back_at">): null => {
    command(
      sqlite,
      `INSERT INTO continuations (id, origin, native_id, path, size, digest, mode, at_seq, tokens_now, tokens_next, resume, written_at)
       VALUES (@id, @origin, @native_id, @path, @size, @digest, @mode, @at_seq, @tokens_now, @tokens_next, @resume, @written_at)`,
    ).run(row);
    return null;
  },
);

/** Of a file that did not get its name after all. */
export const dropContinuationWrite = defineWrite(
  "dropContinuation",
  ({ sqlite }: Archive, _: Batch, { id }: { id: string }): null => {
    command(sqlite, "DELETE FROM continuations WHERE id = ?").run(id);
    return null;
  },
  { freesRoom: true },
);

export const takeBackWrite = defineWrite(
  "takeBack",
  ({ sqlite }: Archive, { now }: Batch, { id }: { id: string }): null => {
    command(sqlite, "UPDATE continuations SET taken_back_at = ? WHERE id = ? AND taken_back_at IS NULL").run(now, id);
    return null;
  },
);

/** By its own id, or the id or name of the session that was written. */
export function requireHandover(archive: Archive, name: string): HandoverRow {
  const row = query(
    archive.sqlite,
    ROW,
    "FROM continuations WHERE id = @name OR native_id = @name OR substr(native_id, instr(native_id, ':') + 1) = @name ORDER BY pk DESC LIMIT 1",
  ).get({ name });
  const found =
    row ??
    query(archive.sqlite, ROW, "FROM continuations ORDER BY pk DESC")
      .all()
      .find((one) => publicSessionId(one.native_id) === name);
  return found ?? fail("not_found", `No continuation "${name.slice(0, 80)}". List them: plimsoll take-back --list`);
}

/** Newest first; of one session where it is named. */
export function listCarryOns(archive: Archive, session?: string): CarryOnList {
  const origin =
    session === undefined
      ? null
      : scalar(archive.sqlite, "sessions.native_id", "FROM sessions WHERE pk = ?").get(findSession(archive, session))!;
  const rows = query(
    archive.sqlite,
    ROW,
    "FROM continuations WHERE @origin IS NULL OR origin = @origin OR native_id = @origin ORDER BY pk DESC LIMIT 500",
  ).all({ origin });
  return { rows: rows.map((row) => handoverRow(archive, row)) };
}

export function handoverRow(archive: Archive, row: HandoverRow): CarryOnRow {
  const title = scalar(archive.sqlite, "sessions.title", "FROM sessions WHERE native_id = ?").get(row.origin) ?? null;
  const session = select(archive.sqlite, "sessions", ["pk"], "WHERE native_id = ?").get(row.native_id);
  return {
    id: row.id,
    origin: { id: publicSessionId(row.origin), title },
    session: { id: publicSessionId(row.native_id), nativeId: row.native_id, isImported: session !== undefined },
    mode: row.mode,
    at: row.at_seq,
    path: pathBefore(row.path),
    sizeBytes: row.size,
    digest: row.digest,
    command: row.resume,
    writtenAt: iso(row.written_at)!,
    takenBackAt: iso(row.taken_back_at),
    tokens: {
      now: row.tokens_now,
      predicted: row.tokens_next,
      ...(session === undefined ? { real: null, entered: null } : firstPrompt(archive, session.pk, row.size)),
    },
  };
}

/** The prompt of the first call that is not copied, and what came into it behind the bytes that were written. */
function firstPrompt(archive: Archive, pk: number, size: number): Pick<CarryOnRow["tokens"], "real" | "entered"> {
  const call = callsOf(archive, pk).find(({ inherited, hasUsage }) => inherited === 0 && hasUsage === 1);
  if (call === undefined) return { real: null, entered: null };
  const weights = weightsOf(archive, pk);
  const [from, to] = rowRange(pk, 0, call.firstSeq - 1);
  const added = select(
    archive.sqlite,
    "events",
    ["id", "label"],
    "WHERE id BETWEEN ? AND ? AND byte_start >= ? AND category IS NOT NULL",
  ).all(from, to, writtenEnd(archive, pk, size, [from, to]));
  // System prompt and tools are written down again, and were predicted.
  const entered = added.filter(({ label }) => !isNamedPart(label));
  return {
    real: call.uncached + call.cacheRead + call.cacheWrite,
    entered: entered.reduce((sum, { id }) => sum + weights.of(seqOfRow(id)).tokens, 0),
  };
}

/** Where in the session's source what the agent added begins. Rows of a database are no bytes of the file that it was given. */
function writtenEnd(archive: Archive, pk: number, size: number, range: readonly [number, number]): number {
  const path = scalar(
    archive.sqlite,
    "sources.path",
    "FROM sessions s JOIN sources ON sources.pk = s.source_pk WHERE s.pk = ?",
  ).get(pk);
  if (path === undefined || databaseOf(path) === null) return size;
  const ends = scalar(
    archive.sqlite,
    "events.byte_end",
    "FROM events WHERE id BETWEEN ? AND ? AND (inherited = 1 OR type = 'compaction') ORDER BY id DESC LIMIT 1",
  );
  return ends.get(...range) ?? 0;
}
