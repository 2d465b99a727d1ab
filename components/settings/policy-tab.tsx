"use client";
// The archive's default policy: a preset, its numbers, and what it would have done to the sessions that are here.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import {
  ENVELOPE_STYLES,
  offloadPolicy,
  PRESETS,
  type OffloadPolicy,
  type PresetName,
} from "#lib/kernel/artifacts/offload-presets.ts";
import { policyAnswer, type PolicyAnswer } from "#lib/wire/settings-schema.ts";
import { useIsNode } from "../ui/access-context.ts";
import { send } from "../ui/api.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { Loading } from "../ui/loading.tsx";
import { Choice, Field, Options, TextInput } from "../ui/field.tsx";
import { showAnswer } from "../ui/show-answer.ts";
import { useTypedEarly } from "../ui/use-typed-early.ts";
import {
  defaultText,
  POLICY_FIELDS,
  POLICY_GROUPS,
  policySentences,
  textOf,
  valueOf,
  type PolicyField,
} from "./policy-words.ts";
import { PresetTable } from "./preset-table.tsx";
import { policyQuery } from "./settings-queries.ts";

export function PolicyTab() {
  const saved = useQuery(policyQuery);
  // What is shown stays when it cannot be read again, and what was typed with it.
  if (saved.error && !saved.data) return <RequestFailure error={saved.error} title="The policy could not be read" />;
  if (!saved.data) return <Loading rows={12} label="Loading the policy" />;
  return <PolicyForm saved={saved.data} />;
}

function PolicyForm({ saved }: { saved: PolicyAnswer }) {
  const queries = useQueryClient();
  const isNode = useIsNode();
  const [picked, setPicked] = useState<PresetName | null>(null);
  /** What was typed, by field; a field that nobody touched stands as the policy has it. */
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const preset = picked ?? saved.policy.preset;
  const base = preset === saved.policy.preset ? saved.policy : PRESETS[preset];
  const draft = draftOf(base, typed);
  const checked = offloadPolicy.safeParse(draft);
  const wrong = new Map(
    checked.success ? [] : checked.error.issues.map((issue) => [String(issue.path[0]), issue.message]),
  );
  const isSame = checked.success && JSON.stringify(checked.data) === JSON.stringify(saved.policy);
  const saving = useMutation({
    mutationFn: (policy: unknown) => send("PUT", "/api/settings/policy", policyAnswer, { policy, seen: saved.policy }),
    // Where somebody else changed it, what was typed stands over what it is now, below the refusal.
    onError: () => queries.invalidateQueries({ queryKey: policyQuery.queryKey }),
    // What is chosen or typed while the answer is on its way is not in it, and stays.
    onMutate: () => ({ picked, typed }),
    onSuccess: async (answer, _, sent) => {
      await showAnswer(queries, policyQuery.queryKey, answer);
      setPicked((now) => (now === sent.picked ? null : now));
      setTyped((now) => Object.fromEntries(Object.entries(now).filter(([key, text]) => text !== sent.typed[key])));
    },
  });
  const pick = (next: PresetName) => {
    setPicked(next);
    setTyped({});
  };
  return (
    <form
      // The bar at its end stands over what is scrolled: a field that takes the focus stays above it.
      className="[&_input]:scroll-mb-16 [&_select]:scroll-mb-16"
      onSubmit={(event) => {
        event.preventDefault();
        if (checked.success) saving.mutate(checked.data);
      }}
    >
      <p className="max-w-180 text-15 text-ink-2">
        {policySentences(checked.success ? checked.data : base).map((sentence) => (
          <span key={sentence}>{sentence} </span>
        ))}
      </p>
      <PresetTable picked={preset} onPick={pick} saved={saved.policy.preset} />
      <h2 className="mt-6 flex items-center gap-2 text-15 font-semibold">
        Values
        {changedFields(draft, preset).length > 0 && <Badge title="They differ from the preset">changed</Badge>}
      </h2>
      {POLICY_GROUPS.map((group) => (
        <fieldset key={group} className="mt-3">
          <legend className="pb-1 text-12 font-semibold text-ink-2">{group}</legend>
          <div className="border-t border-line-strong">
            {POLICY_FIELDS.filter((field) => field.group === group).map((field) => (
              <PolicyInput
                key={field.key}
                field={field}
                text={typed[field.key] ?? textOf(field, base)}
                wrong={wrong.get(field.key) ?? null}
                onType={(text) => setTyped((now) => ({ ...now, [field.key]: text }))}
              />
            ))}
          </div>
        </fieldset>
      ))}
      <div className="sticky bottom-0 -mx-6 mt-4 flex flex-wrap items-center gap-2 border-t border-line bg-bg px-6 py-3 max-md:-mx-4 max-md:px-4">
        <Button
          type="submit"
          kind="primary"
          disabled={!checked.success || isSame || saving.isPending}
          title={checked.success ? (isSame ? "Already the default" : undefined) : "Correct the marked value first"}
        >
          Save as the default
        </Button>
        {saved.isSet && (
          <Button onClick={() => saving.mutate(null)} title="Back to the default">
            Back to plimsoll
          </Button>
        )}
        <span className="text-12 text-ink-3" aria-live="polite">
          {saving.isSuccess && isSame ? "Saved. " : ""}
          {isNode && "For the whole fleet. "}
          For new sessions without a policy of their own. Imported sessions never change.
        </span>
        {saving.error !== null && <RequestFailure error={saving.error} title="The policy was not saved" />}
      </div>
    </form>
  );
}

function draftOf(base: OffloadPolicy, typed: Readonly<Record<string, string>>): Record<string, unknown> {
  const changes = POLICY_FIELDS.filter(({ key }) => typed[key] !== undefined).map(
    (field) => [field.key, valueOf(field, typed[field.key]!)] as const,
  );
  return { ...base, ...Object.fromEntries(changes) };
}

const changedFields = (draft: Record<string, unknown>, preset: PresetName): string[] =>
  Object.keys(draft).filter(
    (key) => JSON.stringify(draft[key]) !== JSON.stringify(PRESETS[preset][key as keyof OffloadPolicy]),
  );

type PolicyInputProps = { field: PolicyField; text: string; wrong: string | null; onType: (text: string) => void };

function PolicyInput({ field, text, wrong, onType }: PolicyInputProps) {
  const choices =
    field.kind === "style"
      ? ENVELOPE_STYLES
      : field.kind === "mode"
        ? (["auto", "artifact", "truncate"] as const)
        : null;
  const input = useRef<HTMLInputElement>(null);
  useTypedEarly(input, text, onType);
  return (
    <Field label={field.label} about={field.about} standard={defaultText(field)} wrong={wrong} unit={field.unit}>
      {(props) =>
        choices === null ? (
          <TextInput
            {...props}
            ref={input}
            value={text}
            inputMode={field.kind === "names" ? "text" : "decimal"}
            placeholder={field.optional === true || field.kind === "names" ? "none" : undefined}
            onChange={(event) => onType(event.target.value)}
          />
        ) : (
          <Choice {...props} value={text} onChange={(event) => onType(event.target.value)}>
            <Options values={choices} />
          </Choice>
        )
      }
    </Field>
  );
}
