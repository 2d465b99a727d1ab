"use client";
// The model that summarises, where a person wants one: what it is, what it would be sent, and one word to try it.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { summarizerAnswer } from "#lib/wire/summarizer-schema.ts";
import { failureOf, send } from "../ui/api.ts";
import { Failure } from "../ui/failure.tsx";
import { Loading } from "../ui/loading.tsx";
import { summarizerQuery } from "./settings-queries.ts";
import { SummarizerForm } from "./summarizer-form.tsx";
import { SummarizerTry } from "./summarizer-try.tsx";

export function SummarizerTab() {
  const queries = useQueryClient();
  const saved = useQuery(summarizerQuery);
  const saving = useMutation({
    mutationFn: (request: object) => send("PUT", "/api/settings/summarizer", summarizerAnswer, request),
    onSuccess: (answer) => queries.setQueryData(summarizerQuery.queryKey, answer),
  });
  if (saved.error)
    return (
      <Failure code={failureOf(saved.error).code} title="The summarizer could not be read">
        {failureOf(saved.error).message}
      </Failure>
    );
  if (!saved.data) return <Loading rows={6} label="Loading the summarizer" />;
  return (
    <div className="pb-8">
      <p className="max-w-180 text-ink-2">
        A compaction puts a summary in the place of old turns. Plimsoll extracts one by itself, always the same for the
        same turns. A model of yours may write it instead, for a compaction where you choose it; what it answers is
        taken as text alone.
      </p>
      <SummarizerForm key={JSON.stringify(saved.data)} saved={saved.data} saving={saving} />
      {saved.data.kind !== "off" && <SummarizerTry key={`try ${JSON.stringify(saved.data)}`} saved={saved.data} />}
    </div>
  );
}
