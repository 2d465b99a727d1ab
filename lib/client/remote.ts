// A running Plimsoll as an agent uses it: a session of its own, outputs in, the text for the model out, and readings back.
// The server decides what is offloaded, by the session's policy, and keeps a row that says why.
import type { z } from "zod";
import { compactAnswer, undoAnswer, type CompactAnswer, type UndoAnswer } from "#lib/wire/memory-schema.ts";
import { heldSession, type CreateSessionRequest } from "#lib/wire/held-schema.ts";
import { sessionsAnswer, type SessionsAnswer, type sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { toolsAnswer, type ToolDescription } from "#lib/wire/tools-schema.ts";
import { remoteHttp, type Query, type RemoteHttp, type RemoteOptions } from "./remote-http.ts";
import { RemoteSession } from "./remote-session.ts";

export type { RemoteOptions } from "./remote-http.ts";

export class Plimsoll {
  readonly #http: RemoteHttp;

  constructor(options: RemoteOptions) {
    this.#http = remoteHttp(options);
  }

  /** A session that Plimsoll holds. Asking again with the same id gives the same one. */
  async createSession(request: CreateSessionRequest = {}): Promise<RemoteSession> {
    const ask = { method: "POST", path: "/api/sessions", json: request, once: true } as const;
    const held = await this.#http.ask(ask, heldSession);
    return new RemoteSession(this.#http, held.id, held);
  }

  /** A session that is there already, by its id. */
  session(id: string): RemoteSession {
    return new RemoteSession(this.#http, id, null);
  }

  /** The tools that a model may be given, with their JSON Schemas. */
  async tools(): Promise<readonly ToolDescription[]> {
    return (await this.#http.ask({ method: "GET", path: "/api/tools" }, toolsAnswer)).tools;
  }

  /** Sessions in the archive, also those of other agents, as the list of the pages has them. */
  sessions(filter: z.input<typeof sessionsQuery> = {}): Promise<SessionsAnswer> {
    return this.#http.ask({ method: "GET", path: "/api/sessions", query: filter as Query }, sessionsAnswer);
  }

  /** A compaction or a plan that was kept, by its id. */
  compaction(id: string): Promise<CompactAnswer> {
    const path = `/api/compactions/${encodeURIComponent(id)}`;
    return this.#http.ask({ method: "GET", path }, compactAnswer);
  }

  /** Takes a compaction back: an event says so, and the context is as it was. */
  undoCompaction(id: string): Promise<UndoAnswer> {
    const path = `/api/compactions/${encodeURIComponent(id)}/undo`;
    return this.#http.ask({ method: "POST", path, json: {}, once: true }, undoAnswer);
  }
}
