"use client";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { searchesAnswer } from "#lib/wire/marks-schema.ts";
import { api } from "../ui/api.ts";

export const savedSearchesQuery = queryOptions({
  queryKey: ["searches"],
  queryFn: ({ signal }) => api("/api/searches", searchesAnswer, { signal }),
});

export const useSavedSearches = () => useQuery(savedSearchesQuery);
