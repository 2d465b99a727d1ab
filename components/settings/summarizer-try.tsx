"use client";
import { useMutation } from "@tanstack/react-query";
import { triedSummarizer, type SummarizerAnswer } from "#lib/wire/summarizer-schema.ts";
import { failureOf, send } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/failure.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { triedWords } from "./summarizer-words.ts";

/** Asks what is saved for one word. */
export function SummarizerTry({ saved }: { saved: SummarizerAnswer }) {
  const trying = useMutation({
    mutationFn: () => send("POST", "/api/settings/summarizer/try", triedSummarizer, {}),
  });
  return (
    <section aria-label="Try it" className="mt-6 border-t border-line pt-4">
      <div className="flex flex-wrap items-center gap-2">
        <Button disabled={trying.isPending} onClick={() => trying.mutate()}>
          Try it
        </Button>
        <span className="text-12 text-ink-3" aria-live="polite">
          {trying.isPending ? (
            "Asking for one word…"
          ) : trying.data ? (
            <SafeText text={triedWords(trying.data)} />
          ) : (
            <>
              Asks <SafeText text={saved.sentTo ?? ""} /> for one word. Nothing of a session is sent.
            </>
          )}
        </span>
      </div>
      {trying.error !== null && (
        <div className="mt-3 max-w-180">
          <Failure code={failureOf(trying.error).code} title="It did not answer as it should">
            {failureOf(trying.error).message}
          </Failure>
        </div>
      )}
    </section>
  );
}
