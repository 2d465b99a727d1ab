"use client";
// What is searched for stands in the address: `pattern`, and in `grep` the options as on a command line.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { debounce, parseAsString, useQueryState, useQueryStates } from "nuqs";
import type { Finder } from "./finder.ts";

// Each change of the address is a step of the browser's history machinery; one that types makes ten a second.
const URL_PAUSE_MS = 300;

export const usePattern = () =>
  useQueryState("pattern", parseAsString.withDefault("").withOptions({ limitUrlUpdates: debounce(URL_PAUSE_MS) }));

export const useGrepWords = () => useQueryState("grep", parseAsString.withDefault(""));

export const wordsOf = (text: string): string[] => text.split(/\s+/u).filter((word) => word !== "");

/** What marks the matches; its engine is fetched with the first pattern. */
const finderQuery = (pattern: string, words: string) =>
  queryOptions({
    queryKey: ["grep-finder", pattern, words],
    queryFn: async (): Promise<{ finder: Finder | null }> => {
      const { finderOf } = await import("./finder.ts");
      return { finder: finderOf(pattern, wordsOf(words)) };
    },
    enabled: pattern !== "",
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    structuralSharing: false,
  });

export function useFinder(pattern: string, words: string): Finder | null {
  return useQuery(finderQuery(pattern, words)).data?.finder ?? null;
}

/** What marks the matches of the search that is open on this page, in its panel or by itself. */
export function useSearched(): Finder | null {
  const [pattern] = usePattern();
  const [words] = useGrepWords();
  const [{ panel, mode }] = useQueryStates({ panel: parseAsString, mode: parseAsString });
  return useFinder(panel === "grep" || mode === "grep" ? pattern : "", words);
}
