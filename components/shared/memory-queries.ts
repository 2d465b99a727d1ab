"use client";
// What the Memory and Context tabs and Compact… ask for. Every key begins with "session" and the id, as those of the session
// page do, so that one change makes all of it old.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import {
  compactAnswer,
  contextAnswer,
  contextMessageAnswer,
  memoryAnswer,
  memoryHistory,
  type CompactRequest,
  type ContextMessageQuery,
  type ContextQuery,
} from "#lib/wire/memory-schema.ts";
import { ownComparison } from "#lib/wire/own-summary-schema.ts";
import { requestsAnswer } from "#lib/wire/sent-request-schema.ts";
import { api, send, withQuery } from "../ui/api.ts";

export const sessionPath = (id: string): string => `/api/sessions/${encodeURIComponent(id)}`;

/** An answer of a policy or a position that nobody looks at is forgotten after this: each holds up to 1 MB of payload. */
const FORGET_MS = 20_000;

/** The context at an event. The one before stays until this one is there: a hand that drags asks for one after the other. */
export const contextQueryOf = (id: string, { at, as, plan }: ContextQuery) =>
  queryOptions({
    queryKey: ["session", id, "context", at ?? null, as, plan ?? null],
    queryFn: async ({ signal }) => {
      await settle(signal);
      return api(withQuery(`${sessionPath(id)}/context`, { at, as, plan }), contextAnswer, { signal });
    },
    placeholderData: keepPreviousData,
    structuralSharing: false,
    gcTime: FORGET_MS,
  });

/** Requests that are no call's, the first 100 of them. */
export const otherRequestsQuery = (id: string) =>
  queryOptions({
    queryKey: ["session", id, "requests", "other"],
    queryFn: ({ signal }) => api(`${sessionPath(id)}/requests?answered=no`, requestsAnswer, { signal }),
  });

/** One message whole. */
export const contextMessageQueryOf = (id: string, query: ContextMessageQuery) =>
  queryOptions({
    queryKey: ["session", id, "context", "message", query],
    queryFn: ({ signal }) =>
      api(withQuery(`${sessionPath(id)}/context/message`, query), contextMessageAnswer, { signal }),
    gcTime: FORGET_MS,
  });

export const contextRawPath = (id: string, { at, as, plan }: ContextQuery): string =>
  withQuery(`${sessionPath(id)}/context/raw`, { at, as, plan });

export const memoryQuery = (id: string) =>
  queryOptions({
    queryKey: ["session", id, "memory"],
    queryFn: ({ signal }) => api(`${sessionPath(id)}/memory`, memoryAnswer, { signal }),
  });

/** What was done to one item. */
export const historyQuery = (id: string, item: string) =>
  queryOptions({
    queryKey: ["session", id, "memory", "history", item],
    queryFn: ({ signal }) => api(`${sessionPath(id)}/memory/${encodeURIComponent(item)}`, memoryHistory, { signal }),
  });

/** A compaction as it would be. Nothing is written. */
export const dryRunQuery = (id: string, request: CompactRequest, enabled: boolean) =>
  queryOptions({
    queryKey: ["session", id, "dry-run", request],
    queryFn: async ({ signal }) => {
      await settle(signal);
      return dryRun(id, request, signal);
    },
    enabled,
    placeholderData: keepPreviousData,
    structuralSharing: false,
    gcTime: FORGET_MS,
    // A model that was asked once is not asked again because somebody looked away, or because the session changed.
    staleTime: request.summarizer === "extractive" ? 0 : "static",
    retry: false,
  });

const dryRun = (id: string, request: CompactRequest, signal: AbortSignal) =>
  api(`${sessionPath(id)}/compactions`, compactAnswer, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...request, dryRun: true }),
    signal,
  });

/** The summary of a request beside the agent's own; a model that is not asked yet is not asked for it. */
export const ownQuery = (id: string, request: CompactRequest, enabled: boolean) =>
  queryOptions({
    queryKey: ["session", id, "own", request],
    queryFn: ({ signal }) =>
      send("POST", `${sessionPath(id)}/compactions/own`, ownComparison, { ...request, dryRun: true }, signal),
    enabled,
    placeholderData: keepPreviousData,
    structuralSharing: false,
    gcTime: FORGET_MS,
    retry: false,
  });

export const compact = (id: string, request: CompactRequest) =>
  send("POST", `${sessionPath(id)}/compactions`, compactAnswer, { ...request, dryRun: false });

/** A compaction or a plan that was kept, as it was answered when it was made. */
export const compactionQuery = (session: string, id: string) =>
  queryOptions({
    queryKey: ["session", session, "compaction", id],
    queryFn: ({ signal }) => api(`/api/compactions/${encodeURIComponent(id)}`, compactAnswer, { signal }),
    structuralSharing: false,
    gcTime: FORGET_MS,
  });

/** Between two questions while something moves; the first is asked at once, and an older one is given up. */
const SLIDE_MS = 80;
let slidAt = 0;

async function settle(signal: AbortSignal): Promise<void> {
  const wait = slidAt + SLIDE_MS - Date.now();
  slidAt = Date.now();
  if (wait > 0) await new Promise((resume) => setTimeout(resume, wait));
  signal.throwIfAborted();
}
