"use client";
import type { UseMutationResult } from "@tanstack/react-query";
import { useState } from "react";
import { SUMMARIZER_KINDS, type SummarizerAnswer, type SummarizerKind } from "#lib/wire/summarizer-schema.ts";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { Choice, Field, Options, TextInput } from "../ui/field.tsx";
import { draftOf, isSaved, KIND_WORDS, keyWords, losesKey, requestOf, sentWords } from "./summarizer-words.ts";

type SummarizerFormProps = {
  saved: SummarizerAnswer;
  saving: UseMutationResult<SummarizerAnswer, Error, object>;
};

export function SummarizerForm({ saved, saving }: SummarizerFormProps) {
  const [draft, setDraft] = useState(() => draftOf(saved));
  /** Fields that were left at least once: an empty one is not wrong before. */
  const [left, setLeft] = useState<Readonly<Record<string, true>>>({});
  const { request, wrong } = requestOf(draft, saved);
  const isSame = isSaved(draft, saved);
  const isOff = draft.kind === "off";
  const type = (change: Partial<typeof draft>) => setDraft((now) => ({ ...now, ...change }));
  const leave = (name: string) => () => setLeft((now) => ({ ...now, [name]: true }));
  const wrongAt = (name: string, text: string) => (text !== "" || left[name] ? (wrong[name] ?? null) : null);
  return (
    <form
      aria-label="Summarizer"
      className="mt-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (request !== null) saving.mutate(request);
      }}
    >
      <div className="border-t border-line-strong">
        <Field
          label="Kind"
          standard="off"
          about="The API of the model’s server. Ollama, vLLM and llama.cpp are OpenAI-compatible."
        >
          {(props) => (
            <Choice
              {...props}
              value={draft.kind}
              onChange={(event) => type({ kind: event.target.value as SummarizerKind })}
            >
              <Options values={SUMMARIZER_KINDS} labelOf={(kind) => KIND_WORDS[kind].label} />
            </Choice>
          )}
        </Field>
        {!isOff && (
          <>
            <Field
              label="Base URL"
              about="https, or http for a program on this machine, such as http://127.0.0.1:11434/v1."
              wrong={wrongAt("baseUrl", draft.baseUrl)}
            >
              {(props) => (
                <TextInput
                  {...props}
                  inputMode="url"
                  placeholder={KIND_WORDS[draft.kind].baseUrl}
                  value={draft.baseUrl}
                  onBlur={leave("baseUrl")}
                  onChange={(event) => type({ baseUrl: event.target.value })}
                />
              )}
            </Field>
            <Field label="Model" about="By the name that its server knows." wrong={wrongAt("model", draft.model)}>
              {(props) => (
                <TextInput
                  {...props}
                  maxLength={200}
                  value={draft.model}
                  onBlur={leave("model")}
                  onChange={(event) => type({ model: event.target.value })}
                />
              )}
            </Field>
            <Field
              label="Key"
              about={
                losesKey(draft, saved)
                  ? "The saved key belongs to another base URL and will be removed. Enter the key for this one."
                  : "Stored in summarizer.key (mode 0600), never shown again. Empty: unchanged."
              }
              wrong={wrongAt("apiKey", draft.key)}
            >
              {(props) => (
                <TextInput
                  {...props}
                  type="password"
                  autoComplete="new-password"
                  placeholder={keyWords(saved)}
                  value={draft.key}
                  onChange={(event) => type({ key: event.target.value })}
                />
              )}
            </Field>
          </>
        )}
      </div>
      <p className="mt-3 max-w-180" aria-live="polite">
        {sentWords(draft).map((words) => (
          <span key={words} className="break-words">
            <SafeText text={words} />{" "}
          </span>
        ))}
      </p>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <Button
          type="submit"
          kind="primary"
          disabled={request === null || isSame || saving.isPending}
          title={request === null ? "A field above is not complete" : isSame ? "Nothing was changed" : undefined}
        >
          Save
        </Button>
        {saved.key.isSet && (
          <Button
            disabled={saving.isPending}
            title="Deletes summarizer.key; the other fields keep their saved values"
            onClick={() =>
              saving.mutate({ kind: saved.kind, baseUrl: saved.baseUrl, model: saved.model, apiKey: null })
            }
          >
            Remove the key
          </Button>
        )}
        <span className="text-12 text-ink-3" aria-live="polite">
          {saving.isPending ? "Saving…" : saving.isSuccess && isSame ? "Saved." : `Key: ${keyWords(saved)}.`}
        </span>
      </div>
      {saving.error !== null && (
        <div className="mt-3">
          <RequestFailure error={saving.error} title="The summarizer was not saved" />
        </div>
      )}
    </form>
  );
}
