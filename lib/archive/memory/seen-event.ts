// A row of the transcript as one call was sent it: the messages of that call's context that hold its events.
import { LIMITS } from "#lib/kernel/limits.ts";
import type { EventSeen, SeenMessage, SeenQuery } from "#lib/wire/event-lifetime-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession, sessionIdOf } from "../base/find-session.ts";
import { callsOf } from "../base/session-rows.ts";
import { weightsOf } from "../load/event-weights.ts";
import { rowOf } from "../sessions/event-lifetime.ts";
import { contextAtPosition, positionOf } from "./context.ts";
import { messageRow, textOfMessage } from "./message-rows.ts";
import { sentContextOf, sentRows } from "./sent-context.ts";

/** Fails with `not_found` for an event that the session does not have. */
export async function eventSeen(archive: Archive, name: string, seq: number, { call }: SeenQuery): Promise<EventSeen> {
  const pk = findSession(archive, name);
  const seqs = rowOf(archive, pk, seq);
  const weights = weightsOf(archive, pk);
  // Of a tool interaction the result says most: the call that was first sent it had both.
  const first = call ?? seqs.map((one) => weights.of(one).enteredAt).findLast((one) => one !== null);
  const found = callsOf(archive, pk).find((one) => one.call === first);
  if (found === undefined) return { call: null, messages: [] };
  const loaded = await contextAtPosition(archive, pk, positionOf(archive, pk, found.firstSeq).upTo, weights);
  const sent = sentContextOf(archive, sessionIdOf(archive, pk)!, { call: found.call });
  const isSentKnown = sent !== null && "body" in sent;
  const rows = isSentKnown
    ? sentRows(sent, loaded, []).map((row, at) => ({ row, text: sent.messages[at]!.text }))
    : loaded.repair.messages.map((message) => ({
        row: messageRow(message, loaded.log, "same"),
        text: textOfMessage(message),
      }));
  const messages = rows.flatMap(({ row, text }, index): SeenMessage[] =>
    row.seqs.some((one) => seqs.includes(one))
      ? [
          {
            index,
            role: row.role,
            seqs: row.seqs,
            text: text.slice(0, LIMITS.searchChars).toWellFormed(),
            chars: text.length,
            tokens: row.tokens,
            origin: row.origin,
            textTokens: row.textTokens,
            hasLeft: row.hasLeft,
          },
        ]
      : [],
  );
  return { call: { call: found.call, seq: found.firstSeq, messages: rows.length, isSentKnown }, messages };
}
