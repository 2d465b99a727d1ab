// One event: the calls that carried it, what one of them was sent of it, and its output as bytes.
import { eventLifetime } from "#lib/archive/sessions/event-lifetime.ts";
import { eventOutput } from "#lib/archive/sessions/event-output.ts";
import { eventSeen } from "#lib/archive/memory/seen-event.ts";
import {
  eventLifetime as eventLifetimeAnswer,
  eventSeen as eventSeenAnswer,
  seenQuery,
} from "#lib/wire/event-lifetime-schema.ts";
import { sendStored } from "../bytes.ts";
import { get } from "../endpoint.ts";
import { eventParams, inlineQuery } from "../params.ts";

const ofEvent = { bound: "session", params: eventParams } as const;

export const eventEndpoints = [
  /** Every call that carried the event, with the tokens and dollars that the ledger gives it there. */
  get("/api/sessions/:id/events/:seq/lifetime", {
    ...ofEvent,
    answer: eventLifetimeAnswer,
    run: ({ archive, params }) => eventLifetime(archive, params.id, params.seq),
  }),
  /** The messages that one call was sent it in. */
  get("/api/sessions/:id/events/:seq/seen", {
    ...ofEvent,
    query: seenQuery,
    answer: eventSeenAnswer,
    run: ({ archive, params, query }) => eventSeen(archive, params.id, params.seq, query),
  }),
  /** What a tool returned, whole: from the artifact where it was stored as one. */
  get("/api/sessions/:id/events/:seq/output", {
    ...ofEvent,
    query: inlineQuery,
    run: async (call) => sendStored(call, await eventOutput(call.archive, call.params.id, call.params.seq)),
  }),
];
