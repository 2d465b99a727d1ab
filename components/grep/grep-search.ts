"use client";
// A search that tells its lines as they are found. The cache ends a search that nobody looks at any more, so each pattern
// ends the one before it.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { grepPiece, type GrepPiece, type GrepRun, type GrepRunEnd } from "#lib/wire/playground-schema.ts";
import { piecesOf } from "../shared/ndjson.ts";
import { reach } from "../ui/api.ts";

export type GrepLine = Extract<GrepPiece, { type: "lines" }>["lines"][number];
export type Found = { readonly lines: readonly GrepLine[]; readonly end: GrepRunEnd | null };

export const TYPED_MS = 2000;
export const LONGER_MS = 60_000;
/** The list is drawn again at most this often while lines come. */
const TELL_MS = 60;

export type Search = {
  readonly pattern: string;
  readonly words: readonly string[];
  readonly deadlineMs: number;
};

export const searchQuery = ({ pointer, digest }: ArtifactView, { pattern, words, deadlineMs }: Search) =>
  queryOptions({
    queryKey: ["grep", pointer, digest, pattern, words.join(" "), deadlineMs],
    queryFn: async ({ signal, client, queryKey }): Promise<Found> => {
      const lines: GrepLine[] = [];
      let notifiedAt = performance.now();
      const run = {
        artifact: pointer,
        pattern,
        options: [...words],
        deadlineMs,
        lines: LIMITS.grepListedLines,
        isKept: false,
      };
      for await (const piece of ask(run, signal)) {
        if (piece.type === "end") return { lines, end: piece };
        lines.push(...piece.lines);
        if (performance.now() - notifiedAt < TELL_MS || signal.aborted) continue;
        notifiedAt = performance.now();
        client.setQueryData(queryKey, { lines: [...lines], end: null });
      }
      throw new Error("Connection lost. Search again.");
    },
    enabled: pattern !== "",
    // One that was left while its lines came has kept those: it is made again, not taken for the whole.
    staleTime: ({ state }) => (state.data?.end ? Number.POSITIVE_INFINITY : 0),
    gcTime: 30_000,
    placeholderData: keepPreviousData,
    structuralSharing: false,
    retry: false,
  });

/** Into the history, without its lines. */
export async function keepSearch(pointer: string, { pattern, words, deadlineMs }: Search): Promise<void> {
  const run = { artifact: pointer, pattern, options: [...words], deadlineMs, lines: 1, isKept: true };
  for await (const _ of ask(run, new AbortController().signal));
}

async function* ask(run: GrepRun, signal: AbortSignal): AsyncGenerator<GrepPiece> {
  const response = await reach("/api/playground/grep", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(run),
    signal,
  });
  if (response.body) yield* piecesOf(response.body, grepPiece);
}
