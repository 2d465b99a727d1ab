"use client";
// What the session page asks for. Every key begins with "session" and the id, so that one change makes all of it old.
import { agentPoliciesAnswer } from "#lib/wire/agent-policies-schema.ts";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { z } from "zod";
import { artifactsAnswer, highlightAnswer } from "#lib/wire/artifacts-schema.ts";
import { eventView, findAnswer, toolsAnswer, type EventsAnswer, type OutlineAnswer } from "#lib/wire/events-schema.ts";
import { culpritsAnswer, type LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import type { LoadAnswer } from "#lib/wire/load-schema.ts";
import type { ReportedCallsAnswer } from "#lib/wire/reported-calls-schema.ts";
import { sessionGit } from "#lib/wire/session-git-schema.ts";
import { heavyOutput, sessionsAnswer, sessionSummary } from "#lib/wire/sessions-schema.ts";
import type { WhatIfAnswer, WhatIfRequest } from "#lib/wire/what-if-schema.ts";
import { loadView } from "./load-view.ts";
import { PAGE } from "./transcript-rows.ts";
import { api, withQuery } from "../ui/api.ts";

// The large answers come from our own server in the schema's own type: checking 5,000 calls number by number
// holds the page for 200 ms, so only their outer shape is checked.
const loadShape = shape<LoadAnswer>("calls", "compactions", "turns", "jumps", "loadLine", "version");
const ledgerShape = shape<LedgerAnswer>("calls", "items", "blowUps", "culprits", "verdictClauses", "version");
const reportedCallsShape = shape<ReportedCallsAnswer>("calls", "differences", "why");
const whatIfShape = shape<WhatIfAnswer>("policy", "actual", "predicted", "calls", "warnings");
const outlineShape = shape<OutlineAnswer>(
  "seq",
  "type",
  "types",
  "turn",
  "pair",
  "labels",
  "flags",
  "turns",
  "version",
);
const eventsShape = shape<EventsAnswer>("events", "next");

function shape<Answer>(...names: (keyof Answer & string)[]) {
  return z.custom<Answer>(
    (value) => typeof value === "object" && value !== null && names.every((name) => name in value),
  );
}

/** Bodies that no row shows are forgotten after this: 20,000 events hold up to 80 MB of text. */
const FORGET_MS = 20_000;

const sessionPath = (id: string): string => `/api/sessions/${encodeURIComponent(id)}`;

export const sessionQuery = (id: string) =>
  queryOptions({
    queryKey: ["session", id, "summary"],
    queryFn: ({ signal }) => api(sessionPath(id), sessionSummary, { signal }),
  });

export const gitQuery = (id: string) =>
  queryOptions({
    queryKey: ["session", id, "git"],
    queryFn: ({ signal }) => api(`${sessionPath(id)}/git`, sessionGit, { signal }),
  });

const loadQuery = (id: string) =>
  queryOptions({
    queryKey: ["session", id, "load"],
    queryFn: ({ signal }) => api(`${sessionPath(id)}/load`, loadShape, { signal }),
    structuralSharing: false,
  });

/** What the agent counts itself of each call: read from the file's own bytes, so only when it is looked at. */
export const reportedCallsQuery = (id: string, enabled: boolean) =>
  queryOptions({
    queryKey: ["session", id, "reported-calls"],
    queryFn: ({ signal }) => api(`${sessionPath(id)}/reported-calls`, reportedCallsShape, { signal }),
    enabled,
    structuralSharing: false,
  });

export const ledgerQuery = (id: string) =>
  queryOptions({
    queryKey: ["session", id, "ledger"],
    queryFn: ({ signal }) => api(`${sessionPath(id)}/ledger`, ledgerShape, { signal }),
    structuralSharing: false,
  });

export const culpritsQuery = (id: string, enabled: boolean) =>
  queryOptions({
    queryKey: ["session", id, "culprits"],
    queryFn: ({ signal }) => api(`${sessionPath(id)}/culprits`, culpritsAnswer, { signal }),
    enabled,
  });

/** Between two questions while a slider moves; the first is asked at once, and an older one is given up. */
const SLIDE_MS = 50;
let slidAt = 0;

/** What a policy would have made of the session. The answer before stays until this one is there. */
export const whatIfQuery = (id: string, policy: WhatIfRequest, enabled: boolean) =>
  queryOptions({
    queryKey: ["session", id, "what-if", policy],
    queryFn: async ({ signal }) => {
      const wait = slidAt + SLIDE_MS - Date.now();
      if (wait > 0) await new Promise((resume) => setTimeout(resume, wait));
      signal.throwIfAborted();
      slidAt = Date.now();
      return api(whatIfPath(id, policy), whatIfShape, { signal });
    },
    enabled,
    placeholderData: keepPreviousData,
    structuralSharing: false,
    gcTime: FORGET_MS,
  });

function whatIfPath(id: string, policy: WhatIfRequest): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(policy))
    for (const one of Array.isArray(value) ? value : [value]) if (one !== null) search.append(name, String(one));
  return `${sessionPath(id)}/whatif?${search}`;
}

export const outlineQuery = (id: string) =>
  queryOptions({
    queryKey: ["session", id, "outline"],
    queryFn: ({ signal }) => api(`${sessionPath(id)}/outline`, outlineShape, { signal }),
    // Long columns of numbers: comparing them entry by entry costs more than a new layout.
    structuralSharing: false,
  });

export const eventsPageQuery = (id: string, page: number) =>
  queryOptions({
    queryKey: ["session", id, "events", page],
    queryFn: ({ signal }) =>
      api(
        withQuery(`${sessionPath(id)}/events`, { from: page * PAGE + 1, to: (page + 1) * PAGE, limit: PAGE }),
        eventsShape,
        {
          signal,
        },
      ),
    gcTime: FORGET_MS,
  });

/** One event with its whole text. */
export const wholeEventQuery = (id: string, seq: number) =>
  queryOptions({
    queryKey: ["session", id, "event", seq],
    queryFn: ({ signal }) => api(`${sessionPath(id)}/events/${seq}`, eventView, { signal }),
    gcTime: FORGET_MS,
  });

export const rawEventPath = (id: string, seq: number): string => `${sessionPath(id)}/events/${seq}/raw`;
export const rawArtifactPath = (pointer: string): string => `/api/artifacts/${encodeURIComponent(pointer)}/raw`;
export const artifactPath = (pointer: string): string => `/artifacts/${encodeURIComponent(pointer)}`;

export const findQueryOf = (id: string, text: string) =>
  queryOptions({
    queryKey: ["session", id, "find", text],
    queryFn: ({ signal }) => api(withQuery(`${sessionPath(id)}/find`, { q: text }), findAnswer, { signal }),
    enabled: text.trim() !== "",
    placeholderData: keepPreviousData,
  });

export const heaviestQuery = (id: string) =>
  queryOptions({
    queryKey: ["session", id, "heaviest"],
    queryFn: ({ signal }) => api(`${sessionPath(id)}/heaviest`, z.array(heavyOutput), { signal }),
  });

/** Settings and instructions for its agent, each replayed. */
export const policiesQuery = (id: string) =>
  queryOptions({
    queryKey: ["session", id, "policies"],
    queryFn: ({ signal }) => api(`${sessionPath(id)}/policies`, agentPoliciesAnswer, { signal }),
  });

export const toolsQuery = (id: string) =>
  queryOptions({
    queryKey: ["session", id, "tools"],
    queryFn: ({ signal }) => api(`${sessionPath(id)}/tools`, toolsAnswer, { signal }),
    structuralSharing: false,
  });

export const sessionArtifactsQuery = (id: string, sort: string, dir: string) =>
  queryOptions({
    queryKey: ["session", id, "artifacts", sort, dir],
    queryFn: ({ signal }) =>
      api(withQuery("/api/artifacts", { session: id, limit: 500, sort, dir }), artifactsAnswer, { signal }),
    placeholderData: keepPreviousData,
  });

export const childrenQuery = (id: string, enabled: boolean) =>
  queryOptions({
    queryKey: ["session", id, "children"],
    queryFn: ({ signal }) =>
      api(withQuery("/api/sessions", { parent: id, limit: 100, sort: "started", dir: "asc" }), sessionsAnswer, {
        signal,
      }),
    enabled,
  });

/** Highlighted text of one event; what a server made once it keeps, so it is never stale. */
export const highlightQuery = (path: string, enabled: boolean) =>
  queryOptions({
    queryKey: ["highlight", path],
    queryFn: ({ signal }) => api(path, highlightAnswer, { signal }),
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: FORGET_MS,
    retry: false,
  });

export function useLoad(id: string, enabled = true) {
  const query = useQuery({ ...loadQuery(id), enabled });
  const view = useMemo(() => (query.data ? loadView(query.data) : null), [query.data]);
  return { view, error: query.error, isPending: query.isPending };
}
