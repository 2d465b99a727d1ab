import { listSessions } from "#lib/archive/list-sessions.ts";
import { route } from "#lib/http/route.ts";
import { sessionsQuery } from "#lib/wire/sessions.ts";

export const GET = route({ query: sessionsQuery, run: ({ slot, query }) => listSessions(slot.archive, query) });
