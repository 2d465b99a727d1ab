import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { isNameOf } from "#lib/archive/sessions/in-session.ts";
import { listSessions } from "#lib/archive/sessions/list-sessions.ts";
import { route } from "#lib/http/route.ts";
import { fail } from "#lib/kernel/errors.ts";
import { createSessionRequest } from "#lib/wire/held-schema.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";

// A list of one says how many others there are: a bound token has its session's own door.
const UNSEEN = "This token's session has nothing here.";

export const GET = route({
  query: sessionsQuery,
  run: async ({ slot, query, boundSession }) =>
    boundSession === null ? listSessions(slot.archive, query) : fail("not_found", UNSEEN),
});

/** Asking again for a session gives the same one; 201 when it was made. */
export const POST = route({
  body: createSessionRequest,
  run: async ({ slot, body, boundSession }) => {
    if (
      boundSession !== null &&
      (body.id === undefined || !isNameOf(slot.archive, boundSession, `plimsoll:${body.id}`))
    )
      fail("not_found", UNSEEN);
    return createSession(slot.archive, body);
  },
  status: ({ created }) => (created ? 201 : 200),
});
