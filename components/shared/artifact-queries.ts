"use client";
import { queryOptions } from "@tanstack/react-query";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { artifactHistory } from "#lib/wire/artifact-history-schema.ts";
import { artifactView, linesAnswer } from "#lib/wire/artifacts-schema.ts";
import { api, reach, withQuery } from "../ui/api.ts";
import { LINES, linesKey } from "./line-pages.ts";

/** Bytes of one request for the hex viewer: 256 rows. */
export const HEX_BYTES = 4096;
const FORGET_MS = 30_000;
const AGAIN_MS = 2000;

const artifactApi = (pointer: string): string => `/api/artifacts/${encodeURIComponent(pointer)}`;

export const artifactQuery = (pointer: string) =>
  queryOptions({
    queryKey: ["artifacts", "one", pointer],
    queryFn: ({ signal }) => api(artifactApi(pointer), artifactView, { signal }),
    // At a node of a fleet, until another takes over the session that it is of.
    refetchInterval: ({ state: { error } }) => (isAppError(error) && error.code === "timeout" ? AGAIN_MS : false),
  });

/** Its lineage, names, decision and reads. */
export const historyQuery = (pointer: string) =>
  queryOptions({
    queryKey: ["artifacts", "history", pointer],
    queryFn: ({ signal }) => api(`${artifactApi(pointer)}/history`, artifactHistory, { signal }),
  });

/** A window of lines. What a digest names never changes, so it is never old. */
export const linesQuery = (pointer: string, digest: string, page: number) =>
  queryOptions({
    queryKey: linesKey(digest, page),
    queryFn: ({ signal }) =>
      api(withQuery(`${artifactApi(pointer)}/lines`, { from: page * LINES + 1, count: LINES }), linesAnswer, {
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: FORGET_MS,
  });

/** One long line, further than its window has it. */
export const longLineQuery = (pointer: string, digest: string, line: number, chars: number) =>
  queryOptions({
    queryKey: ["lines", digest, "long", line, chars],
    queryFn: ({ signal }) =>
      api(withQuery(`${artifactApi(pointer)}/lines`, { from: line, count: 1, chars }), linesAnswer, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: FORGET_MS,
  });

/** Lines of one request when they are copied. */
const COPIED_LINES = 2000;

/** Lines as they are stored, each whole; a line that no answer holds is refused. */
export async function copiedLines(pointer: string, first: number, last: number): Promise<string> {
  const ask = (query: { from: number; count: number; chars?: number }) =>
    api(withQuery(`${artifactApi(pointer)}/lines`, query), linesAnswer);
  const texts: string[] = [];
  for (let from = first; from <= last; from += COPIED_LINES) {
    const { lines } = await ask({ from, count: Math.min(COPIED_LINES, last - from + 1) });
    for (const [i, line] of lines.entries()) {
      const whole = line.cut ? (await ask({ from: from + i, count: 1, chars: LIMITS.longLineChars })).lines[0] : line;
      if (!whole || whole.cut) fail("too_large", `Line ${from + i} is too long to be copied: download it instead`);
      texts.push(whole.text);
    }
  }
  return texts.join("\n");
}

/** The first lines, for a glimpse. */
export const headLinesQuery = (pointer: string, digest: string, count: number) =>
  queryOptions({
    queryKey: ["lines", digest, "head", count],
    queryFn: ({ signal }) =>
      api(withQuery(`${artifactApi(pointer)}/lines`, { from: 1, count }), linesAnswer, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: FORGET_MS,
  });

/** The last lines, where an error says why. */
export const lastLinesQuery = (pointer: string, digest: string, count: number, lineCount: number) =>
  queryOptions({
    queryKey: ["lines", digest, "last", count],
    queryFn: ({ signal }) =>
      api(
        withQuery(`${artifactApi(pointer)}/lines`, { from: Math.max(1, lineCount - count + 1), count }),
        linesAnswer,
        { signal },
      ),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: FORGET_MS,
  });

/** All of a text, for what shows it whole. */
export const textQuery = (pointer: string, digest: string) =>
  queryOptions({
    queryKey: ["text", digest],
    queryFn: async ({ signal }) => (await reach(`${artifactApi(pointer)}/raw`, { signal })).text(),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: FORGET_MS,
    structuralSharing: false,
  });

export const hexQuery = (pointer: string, digest: string, page: number) =>
  queryOptions({
    queryKey: ["bytes", digest, page],
    queryFn: async ({ signal }) => {
      const headers = { range: `bytes=${page * HEX_BYTES}-${(page + 1) * HEX_BYTES - 1}` };
      return new Uint8Array(await (await reach(`${artifactApi(pointer)}/raw`, { signal, headers })).arrayBuffer());
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: FORGET_MS,
    structuralSharing: false,
  });
