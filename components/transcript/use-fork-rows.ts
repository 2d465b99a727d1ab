"use client";
// Which rows stand for several identical forks. What is opened is in the URL.
import { useQuery } from "@tanstack/react-query";
import { parseAsArrayOf, parseAsInteger, useQueryState } from "nuqs";
import { useCallback, useMemo } from "react";
import { ROW_FLAG } from "#lib/kernel/log/row-filter.ts";
import type { OutlineAnswer } from "#lib/wire/events-schema.ts";
import { forkRows, NO_FORKS, type ForkRows } from "../shared/fork-rows.ts";
import { useSession } from "../shared/session-context.tsx";
import { forksQuery } from "../shared/fork-queries.ts";

/** First calls of the runs that are open. */
const useOpenForks = () =>
  useQueryState("forks", parseAsArrayOf(parseAsInteger).withDefault([]).withOptions({ history: "replace" }));

export function useForkRows(outline: OutlineAnswer | undefined, passes: ((i: number) => boolean) | null): ForkRows {
  const { id } = useSession();
  const [open] = useOpenForks();
  // Two sub-agents at least: most sessions are never asked.
  const hasForks = useMemo(
    () => (outline?.flags ?? []).filter((flags) => (flags & ROW_FLAG.agent) !== 0).length > 1,
    [outline],
  );
  const { data } = useQuery(forksQuery(id, hasForks));
  return useMemo(
    () => (outline && passes && data ? forkRows(outline, data.groups, open, passes) : NO_FORKS),
    [outline, passes, data, open],
  );
}

/** Opens a run by its first call, or folds it. */
export function useToggleForks(): (seq: number) => void {
  const [, setOpen] = useOpenForks();
  return useCallback(
    (seq) =>
      void setOpen((open) => {
        const next = open.includes(seq) ? open.filter((one) => one !== seq) : [...open, seq];
        return next.length === 0 ? null : next;
      }),
    [setOpen],
  );
}
