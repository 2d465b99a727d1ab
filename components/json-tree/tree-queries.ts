"use client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import {
  jsonBelowAnswer,
  jsonFindAnswer,
  jsonLocationAnswer,
  jsonRowsAnswer,
  jsonTextAnswer,
  type JsonFindAnswer,
} from "#lib/wire/json-tree-schema.ts";
import { api, withQuery } from "../ui/api.ts";
import { ROWS, topKey } from "./first-rows.ts";

/** Pages that nobody looks at are let go, so that the page holds what is on screen. */
const FORGET_MS = 30_000;
/** While the index is being made the counts are asked for again. */
const AGAIN_MS = 150;

export type Source = { readonly pointer: string; readonly digest: string };

const door = ({ pointer }: Source, name = ""): string => `/api/artifacts/${encodeURIComponent(pointer)}/json${name}`;

// What a digest names never changes, so an answer is never old, once the index is whole.
const lasting = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: FORGET_MS,
  structuralSharing: false,
  retry: false,
} as const;

/** The document: its first rows, which come before the index is whole. */
export const topQuery = (source: Source) =>
  queryOptions({
    queryKey: topKey(source.digest),
    queryFn: ({ signal }) => api(withQuery(door(source), { count: ROWS }), jsonRowsAnswer, { signal }),
    refetchInterval: ({ state }) => (state.data && !state.data.state.isWhole ? AGAIN_MS : false),
    ...lasting,
  });

/** A page of the children of a value; `at` null: those of the document. */
export const rowsQuery = (source: Source, at: number | null, page: number) =>
  queryOptions({
    queryKey: ["json", source.digest, "rows", at, page],
    queryFn: ({ signal }) =>
      api(
        `${door(source)}?${new URLSearchParams({ ...(at !== null && { at: String(at) }), from: String(page * ROWS), count: String(ROWS) }).toString()}`,
        jsonRowsAnswer,
        { signal },
      ),
    ...lasting,
  });

export const textQuery = (source: Source, page: number) =>
  queryOptions({
    queryKey: ["json", source.digest, "text", page],
    queryFn: ({ signal }) =>
      api(withQuery(door(source, "/text"), { from: String(page * ROWS), count: ROWS }), jsonTextAnswer, { signal }),
    ...lasting,
  });

export const locationQuery = (source: Source, path: string | null) =>
  queryOptions({
    queryKey: ["json", source.digest, "location", path],
    queryFn: ({ signal }) => api(withQuery(door(source, "/location"), { path }), jsonLocationAnswer, { signal }),
    enabled: path !== null,
    placeholderData: keepPreviousData,
    ...lasting,
  });

export const belowQuery = (source: Source, at: number) =>
  queryOptions({
    queryKey: ["json", source.digest, "below", at],
    queryFn: ({ signal }) => api(`${door(source, "/below")}?at=${at}`, jsonBelowAnswer, { signal }),
    ...lasting,
    gcTime: 0,
  });

export type Find = {
  readonly q: string;
  readonly exact: boolean;
  readonly from: number;
  readonly way: "next" | "back" | "count";
};

export const find = (source: Source, { from, ...request }: Find, signal: AbortSignal): Promise<JsonFindAnswer> =>
  api(withQuery(door(source, "/find"), { ...request, from: String(from) }), jsonFindAnswer, { signal });

/** The stored characters of a value. */
export async function storedText({ pointer }: Source, at: number, end: number): Promise<string> {
  const headers = { range: `bytes=${at}-${end - 1}` };
  const response = await fetch(`/api/artifacts/${encodeURIComponent(pointer)}/raw`, { headers });
  if (!response.ok) throw new Error(`The bytes could not be read (${response.status}).`);
  return response.text();
}
