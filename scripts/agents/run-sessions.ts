// What Plimsoll says of a run: its sessions with their sub-agents, the load of each, and the record behind each call.
import type { Server } from "../bench/bench-server.ts";
import type { EventsAnswer } from "#lib/wire/events-schema.ts";
import type { LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import type { LoadAnswer, LoadCall } from "#lib/wire/load-schema.ts";
import type { RequestRow, RequestsAnswer } from "#lib/wire/sent-request-schema.ts";
import type { SessionsAnswer, SessionSummary } from "#lib/wire/sessions-schema.ts";

export type ShownCall = LoadCall & {
  readonly session: string;
  /** The line of the agent's file that the call's first event was read from; empty where an agent told it. */
  readonly raw: string;
};

export type ShownSession = {
  readonly summary: SessionSummary;
  readonly load: LoadAnswer;
  readonly ledger: LedgerAnswer;
  readonly calls: readonly ShownCall[];
  /** Of the file, those that no call answers. */
  readonly requests: readonly RequestRow[];
  readonly events: EventsAnswer["events"];
  /** Whole texts of stored outputs, by artifact. */
  readonly outputs: ReadonlyMap<string, string>;
};

export async function ask<T>(server: Server, path: string): Promise<T> {
  return JSON.parse((await server.ask("GET", path)).text) as T;
}

/** Ids of the sessions of a project, sub-agents below their parents. */
export async function sessionIds(server: Server, project: string): Promise<string[]> {
  const ids: string[] = [];
  const add = async (query: string): Promise<void> => {
    const { sessions } = await ask<SessionsAnswer>(server, `/api/sessions?limit=500&${query}`);
    for (const { id, children } of sessions) {
      ids.push(id);
      if (children > 0) await add(`parent=${id}`);
    }
  };
  await add(`project=${encodeURIComponent(project)}`);
  return ids;
}

export async function shownSession(
  server: Server,
  id: string,
  { isRead = true }: { /** From an agent's file. */ readonly isRead?: boolean } = {},
): Promise<ShownSession> {
  const path = `/api/sessions/${id}`;
  const summary = await ask<SessionSummary>(server, path);
  const load = await ask<LoadAnswer>(server, `${path}/load`);
  const ledger = await ask<LedgerAnswer>(server, `${path}/ledger`);
  const calls: ShownCall[] = [];
  for (const call of load.calls) {
    const raw = isRead ? (await server.ask("GET", `${path}/events/${call.seq}/raw`)).text : "";
    calls.push({ ...call, session: id, raw });
  }
  const { requests } = await ask<RequestsAnswer>(server, `${path}/requests?answered=no&limit=500`);
  const events = await allEvents(server, id);
  const outputs = new Map<string, string>();
  for (const { type, stored } of events)
    if (type === "tool_result" && stored !== null)
      outputs.set(stored.pointer, (await server.ask("GET", `/api/artifacts/${stored.pointer}/raw`)).text);
  return { summary, load, ledger, calls, requests, events, outputs };
}

async function allEvents(server: Server, id: string): Promise<EventsAnswer["events"]> {
  const all: EventsAnswer["events"] = [];
  for (let from: number | null = 1; from !== null;) {
    const answer: EventsAnswer = await ask(server, `/api/sessions/${id}/events?limit=500&from=${from}`);
    all.push(...answer.events);
    from = answer.next;
  }
  return all;
}
