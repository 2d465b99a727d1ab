"use client";
// What the playground asks for beside its runs.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import { artifactsAnswer } from "#lib/wire/artifacts-schema.ts";
import {
  historyAnswer,
  probeAnswer,
  programsAnswer,
  savedProgram,
  savedRun,
  type JqProbe,
  type PastRun,
  type SaveProgram,
  type SaveRun,
} from "#lib/wire/playground-schema.ts";
import { api, send, withQuery } from "../ui/api.ts";

export type Who = "all" | PastRun["who"];

/** Rows of the picker and of the history; what is further back is searched for. */
const ROWS = 50;

/** Those of a session, or of all, by words; the newest first. */
export const choicesQuery = (session: string | null, words: string, type: string | null = null) =>
  queryOptions({
    queryKey: ["artifacts", "choices", session, words, type],
    queryFn: ({ signal }) =>
      api(
        withQuery("/api/artifacts", {
          session,
          q: words,
          type,
          state: "live",
          sort: "created",
          dir: "desc",
          limit: ROWS,
        }),
        artifactsAnswer,
        { signal },
      ),
    placeholderData: keepPreviousData,
  });

export const historyQuery = (who: Who) =>
  queryOptions({
    queryKey: ["playground", "history", who],
    queryFn: ({ signal }) => api(withQuery("/api/playground/history", { who, limit: ROWS }), historyAnswer, { signal }),
    placeholderData: keepPreviousData,
  });

export const programsQuery = queryOptions({
  queryKey: ["playground", "programs"],
  queryFn: ({ signal }) => api("/api/playground/programs", programsAnswer, { signal }),
});

export const programQuery = (id: string) =>
  queryOptions({
    queryKey: ["playground", "program", id],
    queryFn: ({ signal }) => api(`/api/playground/programs/${encodeURIComponent(id)}`, savedProgram, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** What reaches the probe of a program; what is asked once holds as long as somebody types there. */
export const probeQuery = (probe: JqProbe) =>
  queryOptions({
    queryKey: ["playground", "probe", probe],
    queryFn: ({ signal }) => send("POST", "/api/playground/probe", probeAnswer, probe, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
    retry: false,
    structuralSharing: false,
  });

export const keepProgram = (program: SaveProgram) => send("POST", "/api/playground/programs", savedProgram, program);

export const dropProgram = (id: string) =>
  send("DELETE", `/api/playground/programs/${encodeURIComponent(id)}`, z.unknown());

export const keepResult = (run: SaveRun) => send("POST", "/api/playground/save", savedRun, run);
