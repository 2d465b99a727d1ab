"use client";
import { useId, useState } from "react";
import { OVERRIDE_FIELDS, type ModelOverride, type OverrideField } from "#lib/kernel/load/overrides.ts";
import type { ModelRow } from "#lib/wire/settings-schema.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { formatCount, formatTokens } from "../ui/format.ts";
import { Field, Options, TextInput } from "../ui/field.tsx";
import { FIELD_WORDS, formatRate, lineWords, overrideOf, type Typed } from "./model-words.ts";

export type Editing = {
  /** Its position among what is set; null for a new one. */
  readonly at: number | null;
  readonly typed: Typed;
};

type OverrideFormProps = {
  editing: Editing;
  overrides: readonly ModelOverride[];
  models: readonly ModelRow[];
  isBusy: boolean;
  onSave: (list: readonly ModelOverride[]) => void;
  onClose: () => void;
};

/** The numbers of one override; what is left empty stays as it is without it. */
export function OverrideForm({ editing, overrides, models, isBusy, onSave, onClose }: OverrideFormProps) {
  const [typed, setTyped] = useState(editing.typed);
  /** Nobody is told what is wrong with a field before it was touched. */
  const [touched, setTouched] = useState(editing.at !== null);
  const list = useId();
  const checked = overrideOf(typed, overrides, editing.at);
  const wrong = "wrong" in checked && touched ? checked.wrong : {};
  const row = models.find(({ model }) => model === typed.match.trim());
  const type = (field: keyof Typed) => (event: { target: { value: string } }) => {
    setTouched(true);
    setTyped((now) => ({ ...now, [field]: event.target.value }));
  };
  return (
    <Dialog
      open
      onClose={onClose}
      width={760}
      title={editing.at === null ? "Set a window or prices" : "Change override"}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setTouched(true);
          if ("list" in checked) onSave(checked.list);
        }}
      >
        <datalist id={list}>
          <Options values={models.map(({ model }) => model)} />
        </datalist>
        <Field
          label="Model"
          wrong={wrong.match}
          about={
            <>
              A name, or a pattern: <code className="mono">claude-opus-*</code> is every Opus.
            </>
          }
        >
          {(props) => (
            <TextInput
              {...props}
              list={list}
              className="mono"
              value={typed.match}
              maxLength={200}
              onChange={type("match")}
            />
          )}
        </Field>
        <Field label="Project" wrong={wrong.project} about="A folder: for sessions that ran in it or below it.">
          {(props) => (
            <TextInput
              {...props}
              className="mono"
              value={typed.project}
              maxLength={4096}
              placeholder="all projects"
              onChange={type("project")}
            />
          )}
        </Field>
        {OVERRIDE_FIELDS.map((field) => (
          <Field
            key={field}
            label={FIELD_WORDS[field].label}
            unit={field === "window" ? "tokens" : "$/M"}
            wrong={wrong[field]}
            about={aboutOf(field, row)}
            standard={otherwise(field, row)}
          >
            {(props) => (
              <TextInput
                {...props}
                inputMode="decimal"
                value={typed[field]}
                placeholder={otherwise(field, row)}
                onChange={type(field)}
              />
            )}
          </Field>
        ))}
        <div className="mt-4 flex flex-wrap items-center justify-end gap-2">
          <span
            className={`flex-1 text-12 ${wrong.all === undefined ? "text-ink-3" : "font-medium text-ink"}`}
            aria-live="polite"
          >
            {wrong.all ?? "Empty fields use the table or a broader override."}
          </span>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            kind="primary"
            disabled={isBusy || ("wrong" in checked && touched)}
            title={isBusy ? "Saving" : "wrong" in checked && touched ? "A value above cannot be saved" : undefined}
          >
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function aboutOf(field: OverrideField, row: ModelRow | undefined): string {
  const line = field === "window" ? row?.lines.find(({ by }) => by === "observed") : undefined;
  if (line === undefined || row === undefined) return FIELD_WORDS[field].about;
  const { range } = lineWords(line, row);
  return `In ${formatCount(line.sessions, "session")} the agent compacted at ${range}. ${FIELD_WORDS[field].about}`;
}

const FROM = { table: "table", settings: "set", derived: "2 × input" } as const;

/** What holds where nothing is typed. */
function otherwise(field: OverrideField, row: ModelRow | undefined): string {
  const sourced = row === undefined ? undefined : field === "window" ? row.window : row.rates[field];
  if (sourced === undefined || sourced.value === null) return "not set";
  return `${field === "window" ? formatTokens(sourced.value) : formatRate(sourced.value)} (${sourced.from === null ? "" : FROM[sourced.from]})`;
}
