"use client";
// On a node of a fleet another node may change what is on screen, and nobody tells this one: what is seen is asked for again now and
// then, while the tab is in front.
import { useQueryClient, type QueryClient, type QueryState } from "@tanstack/react-query";
import { useEffect } from "react";
import type { SessionSummary } from "#lib/wire/sessions-schema.ts";
import { PACKED_HEADER } from "./api.ts";
import { everyInFront } from "./every.ts";
import { catchUp, versionOf } from "./live.tsx";

/** A session that an agent writes is followed; lists of a whole fleet cost its database more, and move less. */
const SESSION_MS = 10_000;
const LISTS_MS = 30_000;

/** Mounted once, in the providers. */
export function Poll() {
  const queries = useQueryClient();
  useEffect(() => {
    const ends = [
      everyInFront(() => followSessions(queries), SESSION_MS),
      everyInFront(() => followLists(queries), LISTS_MS),
    ];
    const onPacked = (): void => followSessions(queries, isWhole);
    addEventListener(PACKED_HEADER, onPacked);
    return () => {
      for (const end of ends) end();
      removeEventListener(PACKED_HEADER, onPacked);
    };
  }, [queries]);
  return null;
}

/** Of artifacts the lists alone: what one holds stays. */
function followLists(queries: QueryClient): void {
  void queries.invalidateQueries({ queryKey: ["sessions"] });
  void queries.invalidateQueries({
    queryKey: ["artifacts"],
    predicate: ({ queryKey: [, of] }) => typeof of === "object",
  });
}

/** Its head does not say that it is the packed part, and is not asked for at the moment. */
export const isWhole = ({ data, fetchStatus }: QueryState): boolean =>
  fetchStatus === "idle" && (data as Partial<SessionSummary> | undefined)?.takeover === undefined;

/** Asks for the head of each session on screen, and for all of it where that moved on. */
export function followSessions(queries: QueryClient, isDue: (state: QueryState) => boolean = () => true): void {
  for (const { queryKey, state } of queries.getQueryCache().findAll({ queryKey: ["session"], type: "active" }))
    if (queryKey[2] === "summary" && isDue(state)) void catchUp(queries, String(queryKey[1]), versionOf(state.data));
}
