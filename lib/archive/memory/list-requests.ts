// All requests that a session's file holds, those of no call too: failed, interrupted, or of a compaction.
import type { RequestSummary } from "#lib/kernel/request-records.ts";
import type { ContextAnswer } from "#lib/wire/memory-schema.ts";
import type { RequestRow, RequestsAnswer, RequestsQuery } from "#lib/wire/sent-request-schema.ts";
import { columns, query } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession, sessionIdOf } from "../base/find-session.ts";
import { iso } from "../base/iso.ts";
import { rowRange, seqOfRow } from "../base/row-keys.ts";
import { allCompactionsOf } from "../base/session-rows.ts";
import { callsByRequest, requestsOf } from "./request-parts.ts";
import { NO_REQUESTS } from "./sent-request.ts";

/** A page of them, in the order of the file. `answered: "no"`: only those of no call. */
export function listRequests(archive: Archive, name: string, { from, limit, answered }: RequestsQuery): RequestsAnswer {
  const pk = findSession(archive, name);
  const sessionId = sessionIdOf(archive, pk)!;
  const known = requestsOf(archive, pk);
  if (known === null)
    return { sessionId, total: 0, unanswered: 0, requests: [], next: null, compactions: [], why: NO_REQUESTS };
  const all = known.reader.list(known.records);
  const calls = callsByRequest(archive, pk, known);
  const others = all.filter(({ id }) => !calls.has(id));
  const wanted = (answered === "no" ? others : all).filter(({ seq }) => seq >= (from ?? 1));
  const page = wanted.slice(0, limit);
  const describe = (ids: readonly { readonly id: string }[]) =>
    known.reader.describe(
      ids.map(({ id }) => id),
      known.records,
    );
  const times = timesOf(
    archive,
    pk,
    page.map(({ seq }) => seq),
  );
  const row = ({ id, ...said }: RequestSummary): RequestRow => ({
    requestId: id,
    ...said,
    messages: { ...said.messages },
    ts: times.get(said.seq) ?? null,
    call: calls.get(id) ?? null,
  });
  return {
    sessionId,
    total: all.length,
    unanswered: others.length,
    requests: describe(page).map(row),
    next: wanted[limit]?.seq ?? null,
    compactions: compactionRequests(archive, pk, describe(others)),
    why: null,
  };
}

/** The request whose record an event is, where no call is its answer. */
export function unansweredAt(archive: Archive, pk: number, seq: number): ContextAnswer["request"] {
  const known = requestsOf(archive, pk);
  const found = known?.reader.list(known.records).find((one) => one.seq === seq);
  if (known === null || found === undefined || callsByRequest(archive, pk, known).has(found.id)) return null;
  const { source, purpose } = known.reader.read(found.id, known.records);
  return { id: found.id, source, purpose };
}

/** Each full compaction with its own request: the last one before it that the agent says it made for a compaction. */
function compactionRequests(
  archive: Archive,
  pk: number,
  others: readonly RequestSummary[],
): RequestsAnswer["compactions"] {
  const own = others.filter(({ purpose }) => purpose === "compaction");
  let since = 0;
  return allCompactionsOf(archive, pk)
    .filter(({ kind }) => kind === "full")
    .map(({ seq }) => {
      const request = own.findLast((one) => one.seq > since && one.seq < seq);
      since = seq;
      return { seq, requestId: request?.id ?? null, requestSeq: request?.seq ?? null };
    });
}

function timesOf(archive: Archive, pk: number, seqs: readonly number[]): ReadonlyMap<number, string | null> {
  const [first, last] = [seqs[0], seqs.at(-1)];
  if (first === undefined || last === undefined) return new Map();
  const rows = query(
    archive.sqlite,
    columns("events", "id", "ts"),
    "SELECT id, ts FROM events WHERE id BETWEEN ? AND ? AND type = 'meta' ORDER BY id",
  ).all(...rowRange(pk, first, last));
  return new Map(rows.map(({ id, ts }) => [seqOfRow(id), iso(ts)]));
}
