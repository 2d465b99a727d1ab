// All requests that a session's file holds, those of no call too: failed, interrupted, or of a compaction. Of a compaction whose
// own request is in no file that is said, with what the agent's totals know of it.
import type { RequestSummary } from "#lib/kernel/request-records.ts";
import type { ContextAnswer } from "#lib/wire/memory-schema.ts";
import type { RequestRow, RequestsAnswer, RequestsQuery } from "#lib/wire/sent-request-schema.ts";
import { columns, query, scalar } from "#db/statement.ts";
import { promptTokens } from "#lib/kernel/draft.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession, sessionIdOf } from "../base/find-session.ts";
import { iso } from "../base/iso.ts";
import { rowRange, seqOfRow } from "../base/row-keys.ts";
import { allCompactionsOf } from "../base/session-rows.ts";
import { figuresOf } from "../load/load-facts.ts";
import { callsByRequest, requestsOf } from "./request-parts.ts";
import { NO_REQUESTS } from "./sent-request.ts";

/** A page of them, in the order of the file. `answered: "no"`: only those of no call. */
export function listRequests(archive: Archive, name: string, { from, limit, answered }: RequestsQuery): RequestsAnswer {
  const pk = findSession(archive, name);
  const sessionId = sessionIdOf(archive, pk)!;
  const known = requestsOf(archive, pk);
  if (known === null) {
    const hidden = compactionRequests(archive, pk, []);
    const none = { sessionId, total: 0, unanswered: 0, requests: [], next: null };
    return { ...none, compactions: hidden, beyond: beyondCalls(archive, pk, hidden), why: NO_REQUESTS };
  }
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
  const compactions = compactionRequests(archive, pk, describe(others));
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
    compactions,
    beyond: beyondCalls(archive, pk, compactions),
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
  if (isOurs(archive, pk)) return [];
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

/** Our own compactions ask no agent's model, or stand with what they asked. */
const isOurs = (archive: Archive, pk: number): boolean =>
  scalar(
    archive.sqlite,
    "integer",
    "SELECT held = 1 OR format IN ('plimsoll', 'autobyteus') FROM sessions WHERE pk = ?",
  ).get(pk) === 1;

function beyondCalls(
  archive: Archive,
  pk: number,
  compactions: RequestsAnswer["compactions"],
): RequestsAnswer["beyond"] {
  if (compactions.every(({ requestId }) => requestId !== null)) return null;
  const beyond = figuresOf(archive, pk).cost.reported?.beyond ?? null;
  if (beyond === null) return null;
  const { usage, usd } = beyond;
  const tokens = promptTokens(usage) + usage.output;
  return tokens === 0 ? null : { tokens, usd };
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
