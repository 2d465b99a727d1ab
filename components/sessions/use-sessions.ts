"use client";
// The sessions that the table shows, and the sub-agents of those that are unfolded.
import { useQueries } from "@tanstack/react-query";
import { sessionsAnswer, type SessionRow, type SessionsAnswer } from "#lib/wire/sessions-schema.ts";
import { api, withQuery } from "../ui/api.ts";
import { PAGE } from "../ui/page-size.ts";
import { usePages } from "../ui/use-pages.ts";
import { foldedFamily } from "../shared/fork-rows.ts";
import { forksQuery } from "../shared/fork-queries.ts";
import type { Question } from "./session-filters.ts";
import { layoutOf, rowCount, type Unfolded } from "./table-layout.ts";

/** Sub-agents that are shown below one parent; a session with more says so on its own page. */
const CHILDREN = 500;
/** Nothing changes when a session stops: while some run, the list is asked for again. */
const RUNNING_AGAIN_MS = 20_000;

/** `open`: sessions whose sub-agents are shown; `fold`: projects whose sessions are not. */
export function useSessions(question: Question, open: readonly string[], fold: readonly string[]) {
  const pages = usePages<SessionsAnswer, SessionRow>({
    key: ["sessions", "page", question],
    // Sums are of the whole list: its first part has them for all.
    ask: (part, signal) =>
      api(withQuery("/api/sessions", { ...question, ...part, sums: part.offset === 0 ? "1" : null }), sessionsAnswer, {
        signal,
      }),
    againMs: ({ counts }) => (counts.running > 0 ? RUNNING_AGAIN_MS : null),
    rowsOf: (answer) => answer.sessions,
    totalOf: (answer) => answer.total,
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
  // Of identical forks one row stands for all, until it is opened as a family is.
  const forks = useQueries({
    queries: open.map((id) => forksQuery(id, (families[open.indexOf(id)]?.data?.total ?? 0) > 1)),
  });
  const children = new Map(
    open.map((id, at) => [id, foldedFamily(families[at]?.data?.sessions ?? [], forks[at]?.data?.groups ?? [], open)]),
  );
  // The rows of the question before are in an order of their own.
  const found = question.group === null || pages.isOld ? null : (pages.answer?.groups ?? null);
  const groups = found?.map((group) => ({ ...group, isFolded: fold.includes(group.project) })) ?? null;
  const layout = layoutOf(pages.total, indexFamilies(pages.loaded, children), groups);

  return {
    ...pages,
    rows: rowCount(layout),
    childAt: (parent: string, nth: number) => children.get(parent)?.[nth]?.row ?? null,
    /** Identical forks that the row of a sub-agent stands for; 1 for one of its own. */
    forksAt: (parent: string, nth: number) => children.get(parent)?.[nth]?.count ?? 1,
    groupAt: (nth: number) => groups?.[nth] ?? null,
    layout,
  };
}

export type Sessions = ReturnType<typeof useSessions>;

function indexFamilies(
  pages: ReadonlyMap<number, readonly SessionRow[]>,
  children: ReadonlyMap<string, readonly unknown[]>,
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
