// A request as the agent sent it, where its session file holds it: read from the archive's copy of the file's bytes, message by
// message proved by the file's own digests.
import { hash } from "node:crypto";
import { columns, query, select } from "#db/statement.ts";
import { FORMATS } from "#lib/formats/index.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { RequestReader, RequestRecord, RequestRecords } from "#lib/kernel/request-records.ts";
import type { SentRequestAnswer, SentRequestQuery } from "#lib/wire/sent-request-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession, sessionIdOf } from "../base/find-session.ts";
import { rowRange, seqOfRow } from "../base/row-keys.ts";
import { callsOf, remembered, type CallRow } from "../base/session-rows.ts";
import { rawRanges } from "../import/raw-writer.ts";

/** The request of a call, by the call's number. Fails with `not_found` where there is no such call. */
export function sentRequestOf(archive: Archive, name: string, { call }: SentRequestQuery): SentRequestAnswer {
  const pk = findSession(archive, name);
  const calls = callsOf(archive, pk);
  const row = calls.find((one) => one.call === call);
  if (row === undefined) fail("not_found", `No call ${call} in this session. It has ${calls.length} calls.`);
  const sessionId = sessionIdOf(archive, pk)!;
  const nothing = { sessionId, call, requestId: null, source: null, isWhole: false, betas: [], notInFile: null };
  const none = (why: string): SentRequestAnswer => ({
    ...nothing,
    why,
    messages: { count: 0, proven: 0 },
    body: null,
  });
  const known = requestsOf(archive, pk);
  if (known === null) return none("This session's file does not hold the requests that were sent.");
  const id = known.reader.requestOf(answerRecord(archive, pk, row));
  if (id === null) return none("The answer of this call does not name its request.");
  const { id: requestId, body, ...sent } = known.reader.read(id, known.records);
  return { ...nothing, requestId, ...sent, betas: [...sent.betas], isWhole: body !== null, body };
}

type KnownRequests = { readonly reader: RequestReader; readonly records: RequestRecords };

const requestsOf = (archive: Archive, pk: number): KnownRequests | null =>
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
  // What a client answers in the model's place is an error to the person who reads it, and a message of the next request.
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

/** The first record of a call's answer. */
function answerRecord(archive: Archive, pk: number, { firstSeq }: CallRow): unknown {
  const { source_pk: source } = select(archive.sqlite, "sessions", ["source_pk"], "WHERE pk = ?").get(pk)!;
  const [id] = rowRange(pk, firstSeq);
  const row = select(archive.sqlite, "events", ["byte_start", "byte_end"], "WHERE id = ?").get(id);
  return source === null || row === undefined
    ? null
    : recordIn(rawRanges(archive, source)(row.byte_start, row.byte_end));
}

function recordIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
  } catch {
    return null;
  }
}
