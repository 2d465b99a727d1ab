"use client";
// What the frame says about the archive: asked once, and again when the stream of changes says so.
import { useQuery } from "@tanstack/react-query";
import { sessionsAnswer } from "#lib/wire/sessions-schema.ts";
import { sourcesAnswer } from "#lib/wire/sources-schema.ts";
import { useSeesAll } from "../ui/access-context.ts";
import { api } from "../ui/api.ts";

/** The roots and totals of the sources; the rows themselves are asked for by the page that shows them. */
export function useSources() {
  const enabled = useSeesAll();
  return useQuery({
    enabled,
    queryKey: ["sources", "totals"],
    queryFn: ({ signal }) => api("/api/sources?limit=1", sourcesAnswer, { signal }),
  });
}

/** How many sessions there are, by badge. */
export function useSessionCounts() {
  return useQuery({
    queryKey: ["sessions", "counts"],
    queryFn: ({ signal }) => api("/api/sessions?limit=1", sessionsAnswer, { signal }),
    select: (answer) => answer.counts,
  });
}

/** False for an archive without a session. True while that is not known. */
export const useHasSessions = (): boolean => useSessionCounts().data?.all !== 0;
