"use client";
// The rows of a long list, page by page. Pages are asked for where the reader looks, not one after the
// other, so that the scrollbar is honest from the start and row 9,000 of 10,000 is one question away.
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { PAGE } from "./page-size.ts";

type Part = { readonly limit: number; readonly offset: number };

export type List<Answer, Row> = {
  /** What is asked, without which part: two lists with the same key are the same. */
  readonly key: readonly unknown[];
  readonly ask: (part: Part, signal: AbortSignal) => Promise<Answer>;
  readonly rowsOf: (answer: Answer) => readonly Row[];
  readonly totalOf: (answer: Answer) => number;
  /** In how many milliseconds an answer is asked for again, where it grows old by itself. */
  readonly againMs?: (answer: Answer) => number | null;
};

export type Pages<Answer, Row> = {
  /** What is listed: another list begins at its first row. */
  readonly name: string;
  /** The answer of the first page, with totals and facets. */
  readonly answer: Answer | undefined;
  readonly total: number;
  readonly failure: Error | null;
  /** The rows are those of the question before. */
  readonly isOld: boolean;
  readonly retry: () => unknown;
  /** Null while its page is on its way. */
  readonly rowAt: (index: number) => Row | null;
  /** Says which rows are on screen. */
  readonly look: (from: number, to: number) => void;
  /** Says which pages have a row on screen, where rows between are left out. */
  readonly lookAt: (pages: readonly number[]) => void;
  /** The pages that are here. */
  readonly loaded: ReadonlyMap<number, readonly Row[]>;
};

export function usePages<Answer, Row>(list: List<Answer, Row>): Pages<Answer, Row> {
  const [inSight, setInSight] = useState<readonly number[]>([0]);
  const [visited, setVisited] = useState<readonly number[]>([]);

  const first = useQuery({ ...pageQuery(list, 0), placeholderData: keepPreviousData });
  // Pages out of sight keep what they hold, but are not asked again when something changes.
  const others = useQueries({
    queries: visited.map((page) => ({
      ...pageQuery(list, page),
      enabled: inSight.includes(page) && !first.isPlaceholderData,
    })),
  });

  const loaded = new Map<number, readonly Row[]>();
  if (first.data !== undefined) loaded.set(0, list.rowsOf(first.data));
  for (const [at, page] of visited.entries()) {
    const answer = others[at]?.data;
    if (answer !== undefined && !first.isPlaceholderData) loaded.set(page, list.rowsOf(answer));
  }

  const lookAt = useCallback((pages: readonly number[]) => {
    setInSight((now) => (now.join() === pages.join() ? now : pages));
    setVisited((now) => {
      const fresh = pages.filter((page) => page > 0 && !now.includes(page));
      return fresh.length === 0 ? now : [...now, ...fresh];
    });
  }, []);
  const look = useCallback(
    (from: number, to: number) => {
      const first = Math.floor(from / PAGE);
      lookAt(Array.from({ length: Math.floor(to / PAGE) - first + 1 }, (_, at) => first + at));
    },
    [lookAt],
  );

  return {
    name: JSON.stringify(list.key),
    answer: first.data,
    total: first.data === undefined ? 0 : list.totalOf(first.data),
    failure: first.error,
    isOld: first.isPlaceholderData,
    retry: first.refetch,
    rowAt: (index) => loaded.get(Math.floor(index / PAGE))?.[index % PAGE] ?? null,
    look,
    lookAt,
    loaded,
  };
}

function pageQuery<Answer, Row>(list: List<Answer, Row>, page: number) {
  return {
    queryKey: [...list.key, page],
    queryFn: ({ signal }: { signal: AbortSignal }) => list.ask({ limit: PAGE, offset: page * PAGE }, signal),
    refetchInterval: ({ state }: { state: { data?: Answer | undefined } }) =>
      (state.data === undefined ? null : list.againMs?.(state.data)) ?? false,
  };
}
