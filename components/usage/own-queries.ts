// What the views ask that have no sums: blocks of five hours, and what is unused.
import { queryOptions } from "@tanstack/react-query";
import { blocksAnswer } from "#lib/wire/blocks-schema.ts";
import { unusedAnswer } from "#lib/wire/usage-schema.ts";
import { api, withQuery } from "../ui/api.ts";
import { lastDays, type Range } from "./usage-state.ts";

const AGAIN_MS = 60_000;

export const blocksQuery = (range: Range) =>
  queryOptions({
    queryKey: ["sessions", "blocks", range],
    queryFn: ({ signal }) => api(withQuery("/api/usage/blocks", { days: lastDays(range) }), blocksAnswer, { signal }),
    refetchInterval: AGAIN_MS,
  });

export const unusedQuery = (range: Range) =>
  queryOptions({
    queryKey: ["sessions", "unused", range],
    queryFn: ({ signal }) => api(withQuery("/api/usage/unused", { days: lastDays(range) }), unusedAnswer, { signal }),
  });
