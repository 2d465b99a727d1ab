"use client";
// Apart from the other queries of a session: the list of sessions asks this one alone, and the schemas of the rest weigh 20 kB.
import { queryOptions } from "@tanstack/react-query";
import { forksAnswer } from "#lib/wire/forks-schema.ts";
import { api } from "../ui/api.ts";

/** Sub-agents that did the same. */
export const forksQuery = (id: string, enabled: boolean) =>
  queryOptions({
    queryKey: ["session", id, "forks"],
    queryFn: ({ signal }) => api(`/api/sessions/${encodeURIComponent(id)}/forks`, forksAnswer, { signal }),
    enabled,
  });
