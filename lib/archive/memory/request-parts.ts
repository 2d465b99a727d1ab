// The requests that a session's file holds: the notes that name them, and the records behind those, read from the archive's
// copy of the file's bytes.
import { hash } from "node:crypto";
import { columns, query, select } from "#db/statement.ts";
import { FORMATS } from "#lib/formats/index.ts";
import type { RequestReader, RequestRecord, RequestRecords } from "#lib/kernel/request-records.ts";
import type { Archive } from "../base/archive-type.ts";
import { rowRange, seqOfRow } from "../base/row-keys.ts";
import { callsOf, remembered, type CallRow } from "../base/session-rows.ts";
import { rawRanges } from "../import/raw-writer.ts";
import { recordIn } from "../import/record-in.ts";

export type KnownRequests = { readonly reader: RequestReader; readonly records: RequestRecords };

/** Null where the file holds none. */
export const requestsOf = (archive: Archive, pk: number): KnownRequests | null =>
  remembered(archive, "requests", pk, () => findRequests(archive, pk));

function findRequests(archive: Archive, pk: number): KnownRequests | null {
  const session = select(archive.sqlite, "sessions", ["format", "source_pk"], "WHERE pk = ?").get(pk)!;
  const reader = FORMATS.find(({ id }) => id === session.format)?.requests;
  const source = session.source_pk;
  if (reader === undefined || source === null) return null;
  const subtypes = reader.subtypes.map(() => "?").join(", ");
  const rows = query(
    archive.sqlite,
    { ...columns("events", "id", "byte_start", "byte_end"), subtype: "text", text: "text" },
    `SELECT id, byte_start, byte_end, json_extract(body, '$.subtype') AS subtype, json_extract(body, '$.text') AS text
     FROM events WHERE id BETWEEN ? AND ? AND type = 'meta' AND json_extract(body, '$.subtype') IN (${subtypes}) ORDER BY id`,
  ).all(...rowRange(pk), ...reader.subtypes);
  if (rows.length === 0) return null;
  // What a client answers for the model is an error to the person who reads it, and a message of the next request.
  const spoken = query(
    archive.sqlite,
    { id: "integer", ...columns("events", "byte_start", "byte_end") },
    `SELECT min(id) AS id, byte_start, byte_end FROM events WHERE id BETWEEN ? AND ?
     AND type IN ('user', 'assistant', 'reasoning', 'tool_call', 'tool_result', 'error') GROUP BY byte_start, byte_end ORDER BY 1`,
  ).all(...rowRange(pk));
  const read = rawRanges(archive, source);
  const value = (row: { byte_start: number; byte_end: number }) => () => recordIn(read(row.byte_start, row.byte_end));
  return {
    reader,
    records: {
      parts: rows.map((row): RequestRecord => ({
        seq: seqOfRow(row.id),
        subtype: row.subtype,
        text: row.text,
        value: value(row),
      })),
      messages: spoken.map((row) => ({ seq: seqOfRow(row.id), value: value(row) })),
      sha256: (text) => hash("sha256", text, "hex"),
    },
  };
}

/** By the id of a request, the call that it was answered with. */
export const callsByRequest = (archive: Archive, pk: number, { reader }: KnownRequests): ReadonlyMap<string, number> =>
  remembered(archive, "answers", pk, () => {
    const read = answersOf(archive, pk);
    return new Map(
      callsOf(archive, pk).flatMap((row): [string, number][] => {
        const id = reader.requestOf(read(row));
        return id === null ? [] : [[id, row.call]];
      }),
    );
  });

/** Reads the first record of a call's answer. */
export function answersOf(archive: Archive, pk: number): (call: CallRow) => unknown {
  const { source_pk: source } = select(archive.sqlite, "sessions", ["source_pk"], "WHERE pk = ?").get(pk)!;
  if (source === null) return () => null;
  const find = select(archive.sqlite, "events", ["byte_start", "byte_end"], "WHERE id = ?");
  const read = rawRanges(archive, source);
  return ({ firstSeq }) => {
    const row = find.get(rowRange(pk, firstSeq)[0]);
    return row === undefined ? null : recordIn(read(row.byte_start, row.byte_end));
  };
}
