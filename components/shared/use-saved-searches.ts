"use client";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { searchesAnswer } from "#lib/wire/marks-schema.ts";
import { api } from "../ui/api.ts";

/** Below `sessions`, so that what another tab or a command saves or deletes is shown here too. */
export const savedSearchesQuery = queryOptions({
  queryKey: ["sessions", "searches"],
  queryFn: ({ signal }) => api("/api/searches", searchesAnswer, { signal }),
});

export const useSavedSearches = () => useQuery(savedSearchesQuery);
