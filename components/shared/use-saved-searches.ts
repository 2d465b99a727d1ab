"use client";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { searchesAnswer } from "#lib/wire/marks-schema.ts";
import { useSeesAll } from "../ui/access-context.ts";
import { api } from "../ui/api.ts";

export const savedSearchesQuery = queryOptions({
  queryKey: ["searches"],
  queryFn: ({ signal }) => api("/api/searches", searchesAnswer, { signal }),
});

/** They are of the server: somebody of a project has none. */
export function useSavedSearches() {
  const enabled = useSeesAll();
  return useQuery({ ...savedSearchesQuery, enabled });
}
