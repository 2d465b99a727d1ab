"use client";
// The rows of the table, page by page. Pages are asked for where the reader looks, not one after the
// other, so that the scrollbar is honest from the start and row 9,000 of 10,000 is one question away.
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { sessionsAnswer, type SessionRow } from "#lib/wire/sessions.ts";
import { api, withQuery } from "../ui/api.ts";
import type { Question } from "./filters.ts";
import { rowCount, type Unfolded } from "./rows.ts";

export const PAGE = 100;

/** Sub-agents that are shown below one parent; a session with more says so on its own page. */
const CHILDREN = 500;

type Range = { readonly first: number; readonly last: number };

export function useSessions(question: Question, open: readonly string[]) {
  const [range, setRange] = useState<Range>({ first: 0, last: 0 });
  const [visited, setVisited] = useState<readonly number[]>([]);

  const first = useQuery({ ...pageQuery(question, 0), placeholderData: keepPreviousData });
  // Pages out of sight keep what they hold but are not asked again when something changes.
  const others = useQueries({
    queries: visited.map((page) => ({
      ...pageQuery(question, page),
      enabled: page >= range.first && page <= range.last && !first.isPlaceholderData,
    })),
  });
  const families = useQueries({
    queries: open.map((id) => ({
      queryKey: ["sessions", "children", id],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        api(withQuery("/api/sessions", { parent: id, limit: CHILDREN, sort: "started", dir: "asc" }), sessionsAnswer, {
          signal,
        }),
    })),
  });

  const pages = new Map<number, readonly SessionRow[]>();
  if (first.data) pages.set(0, first.data.sessions);
  for (const [at, page] of visited.entries()) {
    const rows = others[at]?.data?.sessions;
    if (rows && !first.isPlaceholderData) pages.set(page, rows);
  }
  const children = new Map(open.map((id, at) => [id, families[at]?.data?.sessions ?? []]));
  const unfolded = placeFamilies(pages, children);

  const look = useCallback((from: number, to: number) => {
    const next = { first: Math.floor(from / PAGE), last: Math.floor(to / PAGE) };
    setRange((now) => (now.first === next.first && now.last === next.last ? now : next));
    setVisited((now) => {
      const fresh = [];
      for (let page = Math.max(1, next.first); page <= next.last; page += 1) if (!now.includes(page)) fresh.push(page);
      return fresh.length === 0 ? now : [...now, ...fresh];
    });
  }, []);

  return {
    answer: first.data,
    failure: first.error,
    isOld: first.isPlaceholderData,
    retry: first.refetch,
    rows: rowCount(first.data?.total ?? 0, unfolded),
    sessionAt: (index: number) => pages.get(Math.floor(index / PAGE))?.[index % PAGE] ?? null,
    childAt: (parent: string, nth: number) => children.get(parent)?.[nth] ?? null,
    unfolded,
    look,
  };
}

export type Sessions = ReturnType<typeof useSessions>;

function pageQuery(question: Question, page: number) {
  return {
    queryKey: ["sessions", "page", question, page],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      api(withQuery("/api/sessions", { ...question, limit: PAGE, offset: page * PAGE }), sessionsAnswer, { signal }),
  };
}

function placeFamilies(
  pages: ReadonlyMap<number, readonly SessionRow[]>,
  children: ReadonlyMap<string, readonly SessionRow[]>,
): Unfolded[] {
  if (children.size === 0) return [];
  const placed: Unfolded[] = [];
  for (const [page, rows] of pages) {
    for (const [at, row] of rows.entries()) {
      const family = children.get(row.id);
      if (family && family.length > 0) placed.push({ id: row.id, index: page * PAGE + at, children: family.length });
    }
  }
  return placed.toSorted((a, b) => a.index - b.index);
}
