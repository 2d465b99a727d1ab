"use client";
// The queries of the fleet page. Another node may change the answers, so they are fetched again whenever they are shown.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { fleetPeopleAnswer, fleetTokensAnswer } from "#lib/wire/fleet-people-schema.ts";
import { deletedAnswer, projectRetentionAnswer } from "#lib/wire/fleet-retention-schema.ts";
import { projectsQuery } from "../settings/settings-queries.ts";
import { useManages } from "../ui/access-context.ts";
import { api } from "../ui/api.ts";
import { projectNames } from "./fleet-labels.ts";

export const peopleQuery = queryOptions({
  queryKey: ["fleet", "people"],
  queryFn: ({ signal }) => api("/api/fleet/people", fleetPeopleAnswer, { signal }),
  staleTime: 0,
});

export const fleetTokensQuery = queryOptions({
  queryKey: ["fleet", "tokens"],
  queryFn: ({ signal }) => api("/api/fleet/tokens", fleetTokensAnswer, { signal }),
  staleTime: 0,
});

export const limitsQuery = queryOptions({
  queryKey: ["fleet", "retention"],
  queryFn: ({ signal }) => api("/api/fleet/retention", projectRetentionAnswer, { signal }),
  staleTime: 0,
});

/** The newest of them. */
export const MOST_DELETED = 100;
export const deletedQuery = queryOptions({
  queryKey: ["fleet", "deleted"],
  queryFn: ({ signal }) => api(`/api/fleet/deleted?limit=${MOST_DELETED}`, deletedAnswer, { signal }),
  staleTime: 0,
});

/** The projects that a form offers. */
export function useProjectNames(): readonly string[] {
  const managed = useManages();
  const enabled = managed === "all";
  const people = useQuery({ ...peopleQuery, enabled }).data?.people;
  const tokens = useQuery({ ...fleetTokensQuery, enabled }).data?.tokens;
  const limits = useQuery({ ...limitsQuery, enabled }).data?.projects;
  const spent = useQuery({ ...projectsQuery(true), enabled }).data;
  return projectNames(managed, { people, tokens, limits, spent });
}
