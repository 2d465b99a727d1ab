"use client";
// Bodies of the rows on screen, fetched by page as rows come into view. While the feed flies past, only what is
// known already is shown: a page that is passed within 80 ms is not asked for.
import { useQueries, type UseQueryResult } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { EventsAnswer, EventView } from "#lib/wire/events-schema.ts";
import { eventsPageQuery } from "../shared/session-queries.ts";

const SETTLE_MS = 80;

export type Bodies = { readonly bySeq: ReadonlyMap<number, EventView>; readonly error: Error | null };

export function useBodies(id: string, pages: readonly number[], isScrolling: boolean): Bodies {
  const settled = useSettled(pages.join(","), isScrolling);
  const wanted = new Set(settled.split(",").map(Number));
  return useQueries({
    queries: pages.map((page) => ({ ...eventsPageQuery(id, page), enabled: wanted.has(page) })),
    combine: gather,
  });
}

function gather(results: UseQueryResult<EventsAnswer>[]): Bodies {
  const bySeq = new Map<number, EventView>();
  let error: Error | null = null;
  for (const result of results) {
    for (const event of result.data?.events ?? []) bySeq.set(event.seq, event);
    error ??= result.error;
  }
  return { bySeq, error };
}

/** The value once it has stood still for a moment; at once when nothing moves. */
function useSettled(value: string, isMoving: boolean): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), isMoving ? SETTLE_MS : 0);
    return () => clearTimeout(timer);
  }, [value, isMoving]);
  return settled;
}
