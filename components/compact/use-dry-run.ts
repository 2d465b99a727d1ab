"use client";
// What a policy would make of the context. Without a model it is asked as the sliders move; a model is asked when somebody says
// so, because it costs time and money and sends text away.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { CompactAnswer, CompactRequest } from "#lib/wire/memory-schema.ts";
import { dryRunQuery } from "../shared/memory-queries.ts";
import type { SummaryLine } from "./edit-lines.ts";
import { EXTRACTIVE, requestOf, type Policy } from "./compact-state.ts";

export type DryRun = {
  readonly request: CompactRequest;
  readonly answer: CompactAnswer | undefined;
  /** The answer is that of the policy before. */
  readonly isOld: boolean;
  readonly error: Error | null;
  readonly isAsking: boolean;
  /** A model that was not asked yet with this policy. */
  readonly waits: boolean;
  readonly ask: () => void;
  readonly stop: () => void;
};

/** The lines that a hand has left, and the draft and the event that they were made of: a session that goes on has more to cut. */
export type EditedSummary = {
  readonly lines: readonly SummaryLine[];
  readonly draft: string | null;
  readonly at: number;
};

export function useDryRun(
  session: string,
  policy: Policy,
  at: number | null,
  edited: EditedSummary | null = null,
): DryRun {
  const queries = useQueryClient();
  const request: CompactRequest = { ...requestOf(policy, edited?.at ?? at), ...(edited !== null && editOf(edited)) };
  const key = JSON.stringify(request);
  const [requested, setRequested] = useState<string | null>(null);
  // Edited lines are no question to a model: its draft is there.
  const isAllowed = policy.by === EXTRACTIVE || requested === key || edited !== null;
  const query = useQuery(dryRunQuery(session, request, isAllowed));
  const waits = !isAllowed && (query.data === undefined || query.isPlaceholderData);
  return {
    request,
    answer: query.data,
    isOld: query.isPlaceholderData,
    error: query.isPlaceholderData && !query.isError ? null : query.error,
    isAsking: query.isFetching,
    waits,
    ask: () => {
      const isKnown = query.data !== undefined && !query.isPlaceholderData;
      setRequested(key);
      if (requested === key || isKnown) void query.refetch();
    },
    stop: () => {
      setRequested(null);
      void queries.cancelQueries({ queryKey: dryRunQuery(session, request, false).queryKey });
    },
  };
}

const editOf = ({ lines, draft }: EditedSummary): Pick<CompactRequest, "lines" | "draft"> => ({
  lines: lines.map(({ text, seqs }) => ({ text, seqs: [...seqs] })),
  ...(draft !== null && { draft }),
});
