"use client";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { marksAnswer, type Mark, type MarkRequest } from "#lib/wire/marks-schema.ts";
import { api, send } from "../ui/api.ts";

const pathOf = (id: string): string => `/api/sessions/${encodeURIComponent(id)}/marks`;

const marksQuery = (id: string) =>
  queryOptions({
    queryKey: ["session", id, "marks"],
    queryFn: ({ signal }) => api(pathOf(id), marksAnswer, { signal }),
  });

const NO_MARKS: ReadonlyMap<number, readonly Mark[]> = new Map();

/** Marks by the event that they are of. */
export function useEventMarks(id: string): ReadonlyMap<number, readonly Mark[]> {
  const { data } = useQuery(marksQuery(id));
  return useMemo(() => {
    const own = data?.marks.flatMap((mark) => (mark.seq === null ? [] : [{ ...mark, seq: mark.seq }])) ?? [];
    return own.length === 0 ? NO_MARKS : Map.groupBy(own, ({ seq }) => seq);
  }, [data]);
}

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
