// A request as the agent sent it, where its session file holds it: message by message, and as a whole, proved by the file's
// own digests.
import { fail } from "#lib/kernel/errors.ts";
import type { SentRequestAnswer, SentRequestQuery } from "#lib/wire/sent-request-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession, sessionIdOf } from "../base/find-session.ts";
import { callsOf } from "../base/session-rows.ts";
import { capturedRequestOf } from "./captured-request.ts";
import { answersOf, callsByRequest, requestsOf, type KnownRequests } from "./request-parts.ts";

/** The request of a call by the call's number, or any by its own id. Fails with `not_found` where there is no such one. */
export function sentRequestOf(archive: Archive, name: string, query: SentRequestQuery): SentRequestAnswer {
  const pk = findSession(archive, name);
  const known = requestsOf(archive, pk);
  const { call, id, why } = "call" in query ? byCall(archive, pk, query.call!, known) : byId(archive, pk, query, known);
  const sessionId = sessionIdOf(archive, pk)!;
  const read = known === null || id === null ? null : known.reader.read(id, known.records);
  // What the file says of itself comes first; what it does not hold, the proxy may have recorded.
  const found = read?.body != null || call === null ? read : (capturedRequestOf(archive, pk, call) ?? read);
  if (found === null) return { ...NOTHING, sessionId, call, why };
  const { id: requestId, betas, ...sent } = found;
  return { sessionId, call, requestId, ...sent, betas: [...betas], isWhole: sent.body !== null };
}

const NOTHING = {
  requestId: null,
  seq: null,
  source: null,
  purpose: null,
  isWhole: false,
  isProven: null,
  betas: [],
  notInFile: null,
  messages: { count: 0, proven: 0 },
  body: null,
};

export const NO_REQUESTS = "This session's file does not hold the requests that were sent.";

type Found = { readonly call: number | null; readonly id: string | null; readonly why: string | null };

function byCall(archive: Archive, pk: number, call: number, known: KnownRequests | null): Found {
  const calls = callsOf(archive, pk);
  const row = calls.find((one) => one.call === call);
  if (row === undefined) fail("not_found", `No call ${call} in this session. It has ${calls.length} calls.`);
  if (known === null) return { call, id: null, why: NO_REQUESTS };
  const id = known.reader.requestOf(answersOf(archive, pk)(row));
  return { call, id, why: id === null ? "This call's answer does not name its request." : null };
}

function byId(archive: Archive, pk: number, { request }: SentRequestQuery, known: KnownRequests | null): Found {
  const id = request!;
  const isThere = known?.reader.list(known.records).some((one) => one.id === id) === true;
  if (known === null || !isThere)
    fail("not_found", `No request "${id.slice(0, 80)}" in this session. plimsoll requests SESSION lists them.`);
  return { call: callsByRequest(archive, pk, known).get(id) ?? null, id, why: null };
}
