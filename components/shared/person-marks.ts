"use client";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { marksAnswer, type Mark, type MarkRequest } from "#lib/wire/marks-schema.ts";
import { api, send } from "../ui/api.ts";

const pathOf = (id: string): string => `/api/sessions/${encodeURIComponent(id)}/marks`;

export const marksQuery = (id: string) =>
  queryOptions({
    queryKey: ["session", id, "marks"],
    queryFn: ({ signal }) => api(pathOf(id), marksAnswer, { signal }),
  });

/** Marks of a session or of one event, and how they are changed. */
export function useMarks(id: string, seq: number | null) {
  const queries = useQueryClient();
  const { queryKey } = marksQuery(id);
  const { data } = useQuery(marksQuery(id));
  const change = useMutation({
    // One after the other: the answer of an earlier change is not shown over that of a later one.
    scope: { id: pathOf(id) },
    mutationFn: (request: MarkRequest) => send("PUT", pathOf(id), marksAnswer, request),
    onSuccess: (answer) => {
      queries.setQueryData(queryKey, answer);
      return Promise.all([["sessions"], ["labels"]].map((key) => queries.invalidateQueries({ queryKey: key })));
    },
    // Refused: it may have been changed elsewhere.
    onError: () => queries.invalidateQueries({ queryKey }),
  });
  const own = (data?.marks ?? []).filter((mark) => mark.seq === seq);
  return { own, isStarred: own.some(({ kind }) => kind === "star"), change };
}

export const labelsIn = (marks: readonly Mark[]): string[] =>
  marks.flatMap(({ kind, value }) => (kind === "label" ? [value] : []));

export const noteIn = (marks: readonly Mark[]): string => marks.find(({ kind }) => kind === "note")?.value ?? "";
