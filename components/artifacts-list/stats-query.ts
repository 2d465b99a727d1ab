"use client";
// Apart from the settings' questions: the list needs this one alone, and none of their schemas.
import { queryOptions } from "@tanstack/react-query";
import { archiveStats } from "#lib/wire/retention-schema.ts";
import { api } from "../ui/api.ts";

/** What the archive holds, once and in all. */
export const statsQuery = queryOptions({
  // With the artifacts: what changes them changes their sum.
  queryKey: ["artifacts", "stats"],
  queryFn: ({ signal }) => api("/api/retention/stats", archiveStats, { signal }),
});
