"use client";
// Below an error: the program that was most likely meant. It was run before it is offered.
import { useQuery } from "@tanstack/react-query";
import { meantPrograms } from "#lib/kernel/jq/did-you-mean.ts";
import type { JqRunEnd } from "#lib/wire/playground-schema.ts";
import { SafeText } from "../ui/safe-text.tsx";
import type { Known } from "./language/register.ts";
import { runOnce } from "./run-once.ts";
import type { RunRequest } from "./runner.ts";
import type { WorkStore } from "./work-store.ts";

/** Guesses that are run, at most. */
const MOST_GUESSES = 6;
const PROGRAM_CHARS = 300;
const REST_MS = 300;

type DidYouMeanProps = {
  request: RunRequest;
  failure: NonNullable<JqRunEnd["failure"]>;
  shape: Known["shape"];
  store: WorkStore;
};

export function DidYouMean({ request, failure, shape, store }: DidYouMeanProps) {
  const keys = (shape?.nodes ?? []).filter(({ step }) => step === "key").map(({ key }) => key);
  const guesses = meantPrograms(request.program, failure, keys).slice(0, MOST_GUESSES);
  const meant = useQuery({
    queryKey: ["playground", "meant", request, guesses],
    queryFn: async ({ signal }) => {
      // A word that is being typed is no mistake yet.
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
      for (const program of guesses) {
        signal.throwIfAborted();
        const { end } = await runOnce({ ...request, program }, signal);
        if (end.failure === null) return program;
      }
      return null;
    },
    enabled: guesses.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
    retry: false,
  }).data;
  if (meant === undefined || meant === null) return null;
  return (
    <p className="mt-1 text-13 text-ink" aria-live="polite">
      Did you mean{" "}
      <button type="button" className="link mono" onClick={() => store.replace(meant)}>
        <SafeText text={meant.slice(0, PROGRAM_CHARS)} />
      </button>
      ?
    </p>
  );
}
