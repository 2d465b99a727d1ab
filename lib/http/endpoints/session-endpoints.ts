// Sessions: the list, one session with its events, its load and its artifacts, and what agents put into one.
import { z } from "zod";
import { closeTurn, createSession } from "#lib/archive/artifacts/create-session.ts";
import { removePreview as previewRemoval, removeSession } from "#lib/archive/sources/remove-session.ts";
import { removedSession, removePreview } from "#lib/wire/remove-schema.ts";
import { endPreview } from "#lib/archive/artifacts/end-session.ts";
import { endSession } from "#lib/archive/sessions/session-notices.ts";
import { findSession } from "#lib/archive/base/find-session.ts";
import { heaviest } from "#lib/archive/load/heaviest.ts";
import { whatIfOf } from "#lib/archive/load/replay-session.ts";
import { reportedCalls } from "#lib/archive/load/reported-calls.ts";
import { fastestGrowth } from "#lib/archive/load/fastest-growth.ts";
import { sessionStatus as statusOf, statusSession } from "#lib/archive/load/session-status.ts";
import { sessionLedger } from "#lib/archive/load/session-ledger.ts";
import { sessionLoad } from "#lib/archive/load/session-load.ts";
import { findInSession } from "#lib/archive/sessions/find-in-session.ts";
import { identicalForks } from "#lib/archive/sessions/identical-forks.ts";
import { isNameOf } from "#lib/archive/sessions/in-session.ts";
import { listArtifacts } from "#lib/archive/sessions/list-artifacts.ts";
import { projectsOf, withinProjects } from "../fleet-projects.ts";
import { takeoverOf } from "../fleet-routing.ts";
import { PACKED_HEADER } from "../pass-on.ts";
import { getEvent, listEvents } from "#lib/archive/sessions/list-events.ts";
import { listSessions } from "#lib/archive/sessions/list-sessions.ts";
import { listTools } from "#lib/archive/sessions/list-tools.ts";
import { outline } from "#lib/archive/sessions/outline.ts";
import { sessionGit as gitOf } from "#lib/archive/sessions/session-git.ts";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import { rawOfEvent } from "#lib/archive/sources/source-bytes.ts";
import { fail } from "#lib/kernel/errors.ts";
import { eventText } from "#lib/kernel/event.ts";
import { numberedLines } from "#lib/kernel/numbered-lines.ts";
import { artifactsAnswer, artifactsQuery, highlightAnswer } from "#lib/wire/artifacts-schema.ts";
import {
  eventsAnswer,
  eventsQuery,
  eventView,
  findAnswer,
  findQuery,
  outlineAnswer,
  toolsAnswer,
} from "#lib/wire/events-schema.ts";
import { forksAnswer } from "#lib/wire/forks-schema.ts";
import { closeTurnAnswer, createSessionRequest, heldSession } from "#lib/wire/held-schema.ts";
import { culpritsAnswer, ledgerAnswer } from "#lib/wire/ledger-schema.ts";
import { loadAnswer } from "#lib/wire/load-schema.ts";
import { reportedCallsAnswer } from "#lib/wire/reported-calls-schema.ts";
import { endAnswer, endPreviewAnswer } from "#lib/wire/retention-schema.ts";
import { heavyOutput, sessionsAnswer, sessionsQuery, sessionSummary } from "#lib/wire/sessions-schema.ts";
import { sessionGit } from "#lib/wire/session-git-schema.ts";
import { sessionStatus, statusQuery } from "#lib/wire/status-schema.ts";
import { agentPoliciesAnswer } from "#lib/wire/agent-policies-schema.ts";
import { policiesOf } from "#lib/archive/load/session-policies.ts";
import { whatIfAnswer, whatIfQuery } from "#lib/wire/what-if-schema.ts";
import type { AppContext } from "../app-context.ts";
import { sendStored } from "../bytes.ts";
import { del, get, post } from "../endpoint.ts";
import { highlight } from "../highlight.ts";
import { eventParams, inSession, inlineQuery, sessionParams, turnParams } from "../params.ts";

// A list of one says how many others there are: a bound token has its session's own address.
const UNSEEN = "Not found in this token's session.";

/** Somebody looks at a session: its tokens are counted before those of others. */
export function countFirst({ archive, imports }: AppContext, session: string, isCounting: boolean): void {
  if (isCounting) imports.count(findSession(archive, session));
}

const lists = [
  get("/api/sessions", {
    bound: "own",
    query: sessionsQuery,
    answer: sessionsAnswer,
    run: ({ app, archive, query, principal }) =>
      principal.session !== null
        ? fail("not_found", UNSEEN)
        : app.fleet === null
          ? listSessions(archive, query)
          : app.fleet.listSessions(query, projectsOf(principal)),
  }),
  /** Asking again for a session gives the same one; 201 when it was made. */
  post("/api/sessions", {
    scope: "write",
    bound: "own",
    body: createSessionRequest,
    answer: heldSession,
    status: ({ created }) => (created ? 201 : 200),
    run: ({ archive, body, principal: { session } }) =>
      session === null || (body.id !== undefined && isNameOf(archive, session, `plimsoll:${body.id}`))
        ? createSession(archive, body)
        : fail("not_found", UNSEEN),
  }),
  get("/api/sessions/:id", {
    ...inSession,
    answer: sessionSummary,
    run: async ({ app, archive, params, principal, response }) => {
      // Its node was looked for on the way here; where that is not silent, nobody takes over.
      const takeover = response.hasHeader(PACKED_HEADER) ? await takeoverOf(app, params.id, principal) : null;
      const shown = await withinProjects(app, principal, await showSession(archive, params.id));
      const summary = takeover === null ? shown : { ...shown, takeover };
      // Its relatives are other sessions: a token that is bound to this one does not see them.
      return principal.session === null
        ? summary
        : { ...summary, parentId: null, parentToolCallSeq: null, lineage: [], children: 0 };
    },
  }),
];

const git = [
  get("/api/sessions/:id/git", {
    ...inSession,
    answer: sessionGit,
    run: async ({ archive, params, principal }) => {
      const answer = await gitOf(archive, params.id);
      // What else was committed meanwhile is no part of the session that a token is bound to.
      return principal.session === null && principal.access === "all"
        ? answer
        : { ...answer, repository: null, commits: answer.commits.filter(({ from }) => from === "log") };
    },
  }),
];

const status = [
  /** What a status line shows, of the session that was active last where none is named. */
  get("/api/status", {
    bound: "query",
    query: statusQuery,
    answer: sessionStatus,
    run: ({ archive, query }) => {
      const pk = statusSession(archive, query.session);
      return { ...statusOf(archive, pk, archive.host.now()), fastest: fastestGrowth(archive, pk) };
    },
  }),
];

const events = [
  get("/api/sessions/:id/events", {
    ...inSession,
    query: eventsQuery,
    answer: eventsAnswer,
    run: ({ archive, params, query }) => listEvents(archive, params.id, query),
  }),
  get("/api/sessions/:id/events/:seq", {
    bound: "session",
    params: eventParams,
    answer: eventView,
    run: ({ archive, params }) => getEvent(archive, params.id, params.seq),
  }),
  get("/api/sessions/:id/events/:seq/raw", {
    bound: "session",
    params: eventParams,
    query: inlineQuery,
    run: async (call) => sendStored(call, await rawOfEvent(call.archive, call.params.id, call.params.seq)),
  }),
  get("/api/sessions/:id/outline", {
    ...inSession,
    answer: outlineAnswer,
    run: ({ archive, params }) => outline(archive, params.id),
  }),
  /** Sub-agents that did the same. They are other sessions: a token that is bound to this one does not see them. */
  get("/api/sessions/:id/forks", {
    params: sessionParams,
    answer: forksAnswer,
    run: ({ archive, params }) => identicalForks(archive, params.id),
  }),
  get("/api/sessions/:id/find", {
    ...inSession,
    query: findQuery,
    answer: findAnswer,
    run: ({ archive, params, query }) => findInSession(archive, params.id, query.q),
  }),
  get("/api/sessions/:id/tools", {
    ...inSession,
    answer: toolsAnswer,
    run: ({ archive, params }) => listTools(archive, params.id),
  }),
  /** Colours for an opened tool result of the transcript: the text that a read tool gave, without its line numbers. */
  get("/api/sessions/:id/highlight", {
    params: sessionParams,
    query: z.object({
      seq: z.coerce.number().int().min(1),
      language: z.string().max(40),
      /** Of the beginning alone, for a folded row: a millisecond a line, where a whole text of 50 KB takes 0.2 s. */
      lines: z.coerce.number().int().min(1).max(100).optional(),
    }),
    answer: highlightAnswer,
    run: async ({ archive, params, query }) => {
      const { body } = await getEvent(archive, params.id, query.seq);
      const lines = numberedLines(eventText(body)).slice(0, query.lines);
      return highlight(lines.map(({ text }) => text).join("\n"), query.language);
    },
  }),
];

const load = [
  get("/api/sessions/:id/load", {
    ...inSession,
    answer: loadAnswer,
    run: async ({ app, archive, params }) => {
      const answer = await sessionLoad(archive, params.id);
      countFirst(app, params.id, answer.counting);
      return answer;
    },
  }),
  /** What the agent counts itself of each call, where it does. */
  get("/api/sessions/:id/reported-calls", {
    ...inSession,
    answer: reportedCallsAnswer,
    run: ({ archive, params }) => reportedCalls(archive, params.id),
  }),
  get("/api/sessions/:id/ledger", {
    params: sessionParams,
    answer: ledgerAnswer,
    run: async ({ app, archive, params }) => {
      const answer = await sessionLedger(archive, params.id);
      countFirst(app, params.id, answer.counting);
      return answer;
    },
  }),
  /** What the ledger says of culprits, without its calls and items. */
  get("/api/sessions/:id/culprits", {
    ...inSession,
    answer: culpritsAnswer,
    run: async ({ archive, params }) => ({ culprits: (await sessionLedger(archive, params.id)).culprits }),
  }),
  get("/api/sessions/:id/whatif", {
    ...inSession,
    query: whatIfQuery,
    lists: ["dropTools"],
    answer: whatIfAnswer,
    run: ({ archive, params, query }) => whatIfOf(archive, params.id, query),
  }),
  /** What could be given to the session's agent. Texts to copy; nothing is written. */
  get("/api/sessions/:id/policies", {
    ...inSession,
    answer: agentPoliciesAnswer,
    run: ({ archive, params }) => policiesOf(archive, params.id),
  }),
  get("/api/sessions/:id/heaviest", {
    ...inSession,
    answer: z.array(heavyOutput),
    run: ({ archive, params }) => heaviest(archive, params.id),
  }),
];

const removal = [
  del("/api/sessions/:id", {
    params: sessionParams,
    answer: removedSession,
    run: async ({ app, archive, params }) => {
      const removed = await removeSession(archive, params.id);
      // Its own pages, and the lists.
      app.changes.publish({ type: "session", id: removed.sessionId, events: 0 });
      return removed;
    },
  }),
  get("/api/sessions/:id/remove-preview", {
    params: sessionParams,
    answer: removePreview,
    run: ({ archive, params }) => previewRemoval(archive, params.id),
  }),
];

const artifacts = [
  get("/api/sessions/:id/artifacts", {
    ...inSession,
    query: artifactsQuery,
    answer: artifactsAnswer,
    run: ({ archive, params, query }) => listArtifacts(archive, { ...query, session: params.id }),
  }),
  del("/api/sessions/:id/artifacts", {
    params: sessionParams,
    answer: endAnswer,
    run: ({ app, archive, params }) => endSession(archive, params.id, app.fleet?.webhooks.queue),
  }),
  get("/api/sessions/:id/artifacts/delete-preview", {
    params: sessionParams,
    answer: endPreviewAnswer,
    run: ({ archive, params }) => endPreview(archive, params.id),
  }),
  post("/api/sessions/:id/turns/:turn/close", {
    scope: "write",
    bound: "session",
    params: turnParams,
    body: z.strictObject({}),
    answer: closeTurnAnswer,
    run: ({ archive, params }) => closeTurn(archive, params.id, params.turn),
  }),
];

export const sessionEndpoints = [...lists, ...git, ...status, ...events, ...load, ...removal, ...artifacts];
