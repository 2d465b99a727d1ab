"use client";
// Windows and prices: what the table says of the models that were called here, and what a person sets in its place.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type ModelOverride, OVERRIDE_FIELDS } from "#lib/kernel/load/overrides.ts";
import { modelsAnswer, type ModelsAnswer } from "#lib/wire/settings-schema.ts";
import { useIsNode } from "../ui/access-context.ts";
import { send } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatCount, formatTokens } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { ModelTable } from "./model-table.tsx";
import { EMPTY, typedOf, FIELD_WORDS, formatRate } from "./model-words.ts";
import { OverrideForm, type Editing } from "./override-form.tsx";
import { modelsQuery } from "./settings-queries.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { PlainTable, ROW, type Column } from "../ui/plain-table.tsx";
import { showAnswer } from "../ui/show-answer.ts";

const useSetTitle = (): string => (useIsNode() ? "Set for the fleet" : "Set by you");

export function ModelsTab() {
  const models = useQuery(modelsQuery);
  if (models.error && models.data === undefined)
    return <RequestFailure error={models.error} title="The models could not be read" />;
  if (models.data === undefined) return <Loading rows={8} label="Loading the models" />;
  return <Models answer={models.data} />;
}

function Models({ answer }: { answer: ModelsAnswer }) {
  const queries = useQueryClient();
  const title = useSetTitle();
  const [editing, setEditing] = useState<Editing | null>(null);
  const overrides = answer.overrides.map(({ override }) => override);
  const saving = useMutation({
    mutationFn: (list: readonly ModelOverride[]) =>
      send("PUT", "/api/settings/models", modelsAnswer, { overrides: list, seen: overrides }),
    // Where somebody else changed them, what they are now is shown below the refusal.
    onError: () => queries.invalidateQueries({ queryKey: modelsQuery.queryKey }),
    onSuccess: async (saved) => {
      await showAnswer(queries, modelsQuery.queryKey, saved);
      setEditing(null);
    },
  });
  const refusal = saving.error !== null && (
    <div className="mt-3">
      <RequestFailure error={saving.error} title="It was not saved" />
    </div>
  );
  return (
    <div className="pb-8">
      <p className="max-w-180 text-ink-2">
        A load line is the first of these: your setting, observed compaction, reported window, this table.
      </p>
      <div className="mt-5 flex flex-wrap items-center gap-3">
        <h2 className="text-15 font-semibold">{title}</h2>
        <Button small onClick={() => setEditing({ at: null, typed: EMPTY })}>
          Add…
        </Button>
        <span className="text-12 text-ink-3" aria-live="polite">
          {answer.left > 0
            ? `Working out the figures of ${formatCount(answer.left, "session")} again…`
            : saving.isSuccess
              ? "Saved, and every figure follows it."
              : ""}
        </span>
      </div>
      {overrides.length === 0 ? (
        <p className="mt-1 text-12 text-ink-3">
          None. Set a window if an agent compacts earlier, a price if yours is not the list price.
        </p>
      ) : (
        <div className="mt-1">
          <OverrideTable
            overrides={answer.overrides}
            isBusy={saving.isPending}
            onEdit={(at) => setEditing({ at, typed: typedOf(overrides[at]!) })}
            onRemove={(at) => saving.mutate(overrides.toSpliced(at, 1))}
          />
        </div>
      )}
      {editing === null && refusal}
      <h2 className="mt-6 text-15 font-semibold">Models called here</h2>
      <p className="text-12 text-ink-3">From the table unless marked. Prices are for short prompts, today.</p>
      {answer.models.length === 0 ? (
        <Empty title="No model was called yet">Import a session to see its models.</Empty>
      ) : (
        <div className="mt-1">
          <ModelTable
            models={answer.models}
            onSet={({ model }) => {
              const at = overrides.findIndex((one) => one.match === model && one.project === null);
              setEditing(
                at < 0 ? { at: null, typed: { ...EMPTY, match: model } } : { at, typed: typedOf(overrides[at]!) },
              );
            }}
          />
        </div>
      )}
      {editing !== null && (
        <OverrideForm
          key={`${editing.at} ${editing.typed.match}`}
          editing={editing}
          overrides={overrides}
          models={answer.models}
          isBusy={saving.isPending}
          onSave={(list) => saving.mutate(list)}
          onClose={() => {
            saving.reset();
            setEditing(null);
          }}
        />
      )}
      {editing !== null && refusal}
    </div>
  );
}

const COLUMNS: readonly Column[] = [
  { name: "For models" },
  { name: "In", isText: true },
  { name: "Setting", look: "w-32", isText: true },
  { name: "Value", look: "w-32" },
  { name: "Effect", look: "w-110", isText: true },
  { name: "Sessions", look: "w-24", title: "Sessions here that it fits" },
  { name: "Change it", look: "w-36", isSilent: true },
];

type OverrideTableProps = {
  overrides: ModelsAnswer["overrides"];
  isBusy: boolean;
  onEdit: (at: number) => void;
  onRemove: (at: number) => void;
};

/** What a person set: a value a row, and the models that it is for in the first of them. */
function OverrideTable({ overrides, isBusy, onEdit, onRemove }: OverrideTableProps) {
  return (
    <PlainTable label={useSetTitle()} width="min-w-280" columns={COLUMNS}>
      {overrides.flatMap(({ override, sessions }, at) =>
        OVERRIDE_FIELDS.filter((field) => override[field] !== null).map((field, index) => (
          <tr key={`${override.match}\0${override.project}\0${field}`} className={ROW}>
            <td className={`mono pl-0! ${index > 0 ? "text-ink-3" : ""}`} title={override.match}>
              <SafeText text={override.match} />
            </td>
            <td title={override.project ?? undefined} className={index > 0 ? "text-ink-3" : ""}>
              {override.project === null ? (
                "all projects"
              ) : (
                <span className="mono">
                  <SafeText text={override.project} />
                </span>
              )}
            </td>
            <td>{FIELD_WORDS[field].label}</td>
            <td className="num font-medium">
              {field === "window" ? formatTokens(override[field]!) : `${formatRate(override[field]!)} $/M`}
            </td>
            <td className="text-12 text-ink-3" title={FIELD_WORDS[field].about}>
              {FIELD_WORDS[field].about}
            </td>
            <td className="num">{index === 0 && formatTokens(sessions)}</td>
            <td className="pr-0! text-right">
              {index === 0 && (
                <OverrideButtons
                  match={override.match}
                  isBusy={isBusy}
                  onEdit={() => onEdit(at)}
                  onRemove={() => onRemove(at)}
                />
              )}
            </td>
          </tr>
        )),
      )}
    </PlainTable>
  );
}

type OverrideButtonsProps = { match: string; isBusy: boolean; onEdit: () => void; onRemove: () => void };

function OverrideButtons({ match, isBusy, onEdit, onRemove }: OverrideButtonsProps) {
  return (
    <span className="inline-flex gap-2">
      <Button small onClick={onEdit} aria-label={`Edit ${match}`}>
        Edit…
      </Button>
      <Button
        small
        disabled={isBusy}
        title={isBusy ? "The last change is being saved" : undefined}
        onClick={onRemove}
        aria-label={`Remove ${match}`}
      >
        Remove
      </Button>
    </span>
  );
}
