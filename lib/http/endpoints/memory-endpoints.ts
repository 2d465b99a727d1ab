// Context, memory and compaction of a session; an agent that asks for its next request, and tells what came of it.
import { isCounting } from "#lib/archive/base/session-rows.ts";
import { findSession } from "#lib/archive/base/find-session.ts";
import { compactSession } from "#lib/archive/memory/compact.ts";
import { compareOwn } from "#lib/archive/memory/own-summary.ts";
import { listRequests } from "#lib/archive/memory/list-requests.ts";
import { listCompactions } from "#lib/archive/memory/compaction-rows.ts";
import { ingest } from "#lib/archive/memory/ingest-records.ts";
import { nextRequest } from "#lib/archive/memory/next-request.ts";
import { anyContext, anyContextMessage, anyContextPayload } from "#lib/archive/memory/plan-context.ts";
import { readCompaction } from "#lib/archive/memory/read-compaction.ts";
import { recall } from "#lib/archive/memory/recall-session.ts";
import { sentRequestOf } from "#lib/archive/memory/sent-request.ts";
import { changeMemory, memoryHistory, memoryOf } from "#lib/archive/memory/session-memory.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { agentRequest, agentRequestQuery } from "#lib/wire/agent-request-schema.ts";
import {
  compactAnswer,
  compactionsAnswer,
  compactRequest,
  contextAnswer,
  contextMessageAnswer,
  contextMessageQuery,
  contextQuery,
  ingestAnswer,
  ingestRequest,
  memoryAnswer,
  memoryChange,
  memoryHistory as memoryHistoryAnswer,
  memoryItem,
  undoAnswer,
} from "#lib/wire/memory-schema.ts";
import { ownComparison } from "#lib/wire/own-summary-schema.ts";
import { requestsAnswer, requestsQuery, sentRequestAnswer, sentRequestQuery } from "#lib/wire/sent-request-schema.ts";
import { recallAnswer, recallQuery } from "#lib/wire/recall-schema.ts";
import { sendBytes } from "../bytes.ts";
import { get, post } from "../endpoint.ts";
import { noteDeletion, undoNoted } from "../note-deletion.ts";
import { compactionParams, inSession, inlineQuery, memoryItemParams, sessionParams } from "../params.ts";
import { countFirst } from "./session-endpoints.ts";

const context = [
  get("/api/sessions/:id/context", {
    ...inSession,
    query: contextQuery,
    answer: contextAnswer,
    run: async ({ app, archive, params, query }) => {
      const answer = await anyContext(archive, params.id, query);
      countFirst(app, params.id, isCounting(archive, findSession(archive, params.id)));
      return answer;
    },
  }),
  /** Requests that were really sent, where the session's file holds them: those of no call too. */
  get("/api/sessions/:id/requests", {
    ...inSession,
    query: requestsQuery,
    answer: requestsAnswer,
    run: ({ archive, params, query }) => listRequests(archive, params.id, query),
  }),
  /** One of them, by its call or its own id. */
  get("/api/sessions/:id/request", {
    ...inSession,
    query: sentRequestQuery,
    answer: sentRequestAnswer,
    run: ({ archive, params, query }) => sentRequestOf(archive, params.id, query),
  }),
  get("/api/sessions/:id/context/message", {
    params: sessionParams,
    query: contextMessageQuery,
    answer: contextMessageAnswer,
    run: ({ archive, params, query }) => anyContextMessage(archive, params.id, query),
  }),
  /** A rendered context as a download: the very request body, as a provider would be sent it. */
  get("/api/sessions/:id/context/raw", {
    ...inSession,
    query: contextQuery.extend(inlineQuery.shape),
    run: async ({ archive, request, response, params, query: { inline, ...query } }) => {
      const { name, json } = await anyContextPayload(archive, params.id, query);
      const whole = Buffer.from(json);
      const bytes = {
        name,
        sizeBytes: whole.length,
        contentType: "application/json",
        digest: null,
        read: async function* ({ start, end } = { start: 0, end: whole.length }) {
          yield whole.subarray(start, end);
        },
      };
      await sendBytes(request, response, bytes, inline === "1");
    },
  }),
];

const agent = [
  post("/api/sessions/:id/events", {
    scope: "write",
    ...inSession,
    // A record with a whole output beside it may be as long as a line of a session file.
    bodyBytes: LIMITS.lineBytes,
    body: ingestRequest,
    answer: ingestAnswer,
    run: ({ archive, params, body }) => ingest(archive, params.id, body.records, { epoch: body.epoch }),
  }),
  /** An agent that goes away stops nothing: the compaction is finished, and its next request finds it done. */
  post("/api/sessions/:id/request", {
    scope: "write",
    ...inSession,
    body: agentRequestQuery,
    answer: agentRequest,
    run: ({ archive, params, body }) => nextRequest(archive, params.id, body),
  }),
  get("/api/sessions/:id/recall", {
    ...inSession,
    query: recallQuery,
    answer: recallAnswer,
    run: ({ archive, params, query }) => recall(archive, params.id, query),
  }),
];

const compactions = [
  get("/api/sessions/:id/compactions", {
    ...inSession,
    answer: compactionsAnswer,
    run: ({ archive, params }) => listCompactions(archive, params.id),
  }),
  /** A dry run unless the request says otherwise; who goes away stops it. */
  post("/api/sessions/:id/compactions", {
    scope: "write",
    ...inSession,
    body: compactRequest,
    answer: compactAnswer,
    run: ({ archive, params, body, signal }) => compactSession(archive, params.id, body, { signal }),
  }),
  /** The summary of a dry run beside the agent's own, each with what it keeps. */
  post("/api/sessions/:id/compactions/own", {
    scope: "write",
    ...inSession,
    body: compactRequest,
    answer: ownComparison,
    run: ({ archive, params, body, signal }) => compareOwn(archive, params.id, body, { signal }),
  }),
  /** A compaction or a plan that was kept, as it was answered. */
  get("/api/compactions/:id", {
    params: compactionParams,
    answer: compactAnswer,
    run: ({ archive, params }) => readCompaction(archive, params.id),
  }),
  post("/api/compactions/:id/undo", {
    scope: "write",
    params: compactionParams,
    answer: undoAnswer,
    run: (call) => undoNoted(call, call.params.id),
  }),
];

const memory = [
  get("/api/sessions/:id/memory", {
    ...inSession,
    answer: memoryAnswer,
    run: ({ archive, params }) => memoryOf(archive, params.id),
  }),
  post("/api/sessions/:id/memory", {
    scope: "write",
    ...inSession,
    body: memoryChange,
    answer: memoryItem,
    run: async (call) => {
      const { archive, params, body, principal } = call;
      const item = await changeMemory(archive, params.id, body, {
        by: principal.kind === "token" ? "agent" : "person",
        who: principal.id,
      });
      if (body.do === "delete") await noteDeletion(call, params.id, `memory item ${item.id}`);
      return item;
    },
  }),
  /** An item with what it was before each change. */
  get("/api/sessions/:id/memory/:item", {
    bound: "session",
    params: memoryItemParams,
    answer: memoryHistoryAnswer,
    run: ({ archive, params }) => memoryHistory(archive, params.id, params.item),
  }),
];

export const memoryEndpoints = [...context, ...agent, ...compactions, ...memory];
