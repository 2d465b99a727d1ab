"use client";
// The model that summarises, where a person wants one: what it is, what it would be sent, and one word to try it.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { summarizerAnswer, triedSummarizer, type SummarizerAnswer } from "#lib/wire/summarizer-schema.ts";
import { send } from "../ui/api.ts";
import { RequestFailure } from "../ui/failure.tsx";
import { Loading } from "../ui/loading.tsx";
import { summarizerQuery } from "./settings-queries.ts";
import { SummarizerForm } from "./summarizer-form.tsx";
import { Button } from "../ui/button.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { showAnswer } from "../ui/show-answer.ts";
import { triedWords } from "./summarizer-words.ts";

export function SummarizerTab() {
  const queries = useQueryClient();
  const saved = useQuery(summarizerQuery);
  const saving = useMutation({
    mutationFn: (request: object) => send("PUT", "/api/settings/summarizer", summarizerAnswer, request),
    onSuccess: (answer) => showAnswer(queries, summarizerQuery.queryKey, answer),
  });
  if (saved.error && !saved.data)
    return <RequestFailure error={saved.error} title="The summarizer could not be read" />;
  if (!saved.data) return <Loading rows={6} label="Loading the summarizer" />;
  return (
    <div className="pb-8">
      <p className="max-w-180 text-ink-2">
        Compaction summarises old turns without a model. You can choose a model instead.
      </p>
      <SummarizerForm key={JSON.stringify(saved.data)} saved={saved.data} saving={saving} />
      {saved.data.kind !== "off" && <SummarizerTry key={`try ${JSON.stringify(saved.data)}`} saved={saved.data} />}
    </div>
  );
}

/** Asks what is saved for one word. */
function SummarizerTry({ saved }: { saved: SummarizerAnswer }) {
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
          <RequestFailure error={trying.error} title="It did not answer as it should" />
        </div>
      )}
    </section>
  );
}
