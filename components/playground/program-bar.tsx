"use client";
// Above the editor: what is read, and how. Each option has its letter and its name.
import { Plus, X } from "lucide-react";
import { useId } from "react";
import type { ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { FLAGS, isName, toggled, type Variable } from "./work.ts";
import { useWork, type WorkStore } from "./work-store.ts";

export function ProgramBar({ store, children }: { store: WorkStore; children: ReactNode }) {
  const { flags, variables } = useWork(store);
  return (
    <div className="flex flex-none flex-col border-b border-line">
      <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 px-5 py-1 text-12 max-md:px-4">
        <div className="flex min-w-0 flex-wrap items-center gap-1">{children}</div>
        <span className="flex-1" />
        <fieldset className="inline-flex flex-wrap items-center gap-0.5">
          <legend className="sr-only">Options of jq</legend>
          {FLAGS.map(({ letter, name, about }) => (
            <button
              key={letter}
              type="button"
              aria-pressed={flags.includes(letter)}
              title={about}
              onClick={() => store.set({ flags: toggled(flags, letter) })}
              className="inline-flex h-6 items-center gap-1 rounded-1 px-1.5 text-ink-2 hover:bg-sunk aria-pressed:bg-select aria-pressed:font-medium aria-pressed:text-ink"
            >
              <code className="text-ink-3">-{letter}</code>
              {name}
            </button>
          ))}
          <Button
            kind="quiet"
            small
            title="A value that the program reads as $name: --arg, --argjson"
            onClick={() =>
              store.set({ variables: [...variables, { name: free(variables), value: "", isJson: false }] })
            }
          >
            <Plus size={12} aria-hidden="true" />
            variable
          </Button>
        </fieldset>
      </div>
      {variables.length > 0 && (
        <ul aria-label="Variables" className="border-t border-line px-5 py-1 max-md:px-4">
          {variables.map((variable, at) => (
            // eslint-disable-next-line react/no-array-index-key -- its name is what is being written
            <VariableRow
              key={at}
              variable={variable}
              onChange={(next) => store.set({ variables: replaced(variables, at, next) })}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

const free = (variables: readonly Variable[]): string => {
  for (let at = 1; ; at += 1) {
    const name = at === 1 ? "name" : `name${at}`;
    if (!variables.some((one) => one.name === name)) return name;
  }
};

const replaced = (variables: readonly Variable[], at: number, next: Variable | null): Variable[] =>
  variables.flatMap((one, index) => (index === at ? (next === null ? [] : [next]) : [one]));

const BOX =
  "mono h-6 rounded-1 border border-line-strong bg-raised px-1.5 text-ink hover:border-control aria-invalid:border-ink";

function VariableRow({ variable, onChange }: { variable: Variable; onChange: (next: Variable | null) => void }) {
  const id = useId();
  const { name, value, isJson } = variable;
  const wrong = !isName(name)
    ? "A name is letters, digits and _, and begins with no digit. It is left out."
    : isJson && !isJsonText(value)
      ? "This is not JSON."
      : null;
  return (
    <li className="flex flex-wrap items-center gap-2 py-0.5 text-12">
      <code className="text-ink-3">{isJson ? "--argjson" : "--arg"}</code>
      <span className="inline-flex items-center gap-0.5">
        <code aria-hidden="true">$</code>
        <input
          aria-label="Name of the variable"
          aria-invalid={!isName(name)}
          aria-describedby={`${id}-wrong`}
          className={`${BOX} w-28`}
          value={name}
          maxLength={100}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => onChange({ ...variable, name: event.target.value })}
        />
      </span>
      <input
        aria-label={`Value of $${shownText(name)}`}
        aria-invalid={isJson && wrong !== null}
        aria-describedby={`${id}-wrong`}
        className={`${BOX} min-w-40 flex-1`}
        value={value}
        maxLength={10_000}
        spellCheck={false}
        autoComplete="off"
        placeholder={isJson ? '{"any": "JSON"}' : "a string"}
        onChange={(event) => onChange({ ...variable, value: event.target.value })}
      />
      <label className="inline-flex items-center gap-1 text-ink-2">
        <input
          type="checkbox"
          checked={isJson}
          onChange={(event) => onChange({ ...variable, isJson: event.target.checked })}
        />
        JSON
      </label>
      <button
        type="button"
        aria-label={`Remove $${shownText(name)}`}
        title="Remove it"
        onClick={() => onChange(null)}
        className="inline-grid size-6 place-items-center rounded-1 text-ink-3 hover:bg-sunk hover:text-ink"
      >
        <X size={12} aria-hidden="true" />
      </button>
      <span id={`${id}-wrong`} className="font-medium max-md:w-full">
        {wrong}
      </span>
    </li>
  );
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

type InputChipProps = { name: string; hint: string | null; onRemove: (() => void) | null; onEdit?: () => void };

/** One input. Several are read in this order, as jq reads files. */
export function InputChip({ name, hint, onRemove, onEdit }: InputChipProps) {
  const text = (
    <>
      <span className="max-w-52 truncate font-medium">
        <SafeText text={name} />
      </span>
      {hint !== null && <span className="text-ink-3">{hint}</span>}
    </>
  );
  const layout = "inline-flex h-6 items-center gap-1.5 px-2";
  return (
    <span className="inline-flex items-center rounded-1 bg-select">
      {onEdit === undefined ? (
        <span className={layout}>{text}</span>
      ) : (
        <button type="button" className={`${layout} rounded-1 hover:underline`} title="Change it" onClick={onEdit}>
          {text}
        </button>
      )}
      {onRemove !== null && (
        <button
          type="button"
          aria-label={`Do not read ${shownText(name)}`}
          title="Do not read it"
          onClick={onRemove}
          className="-ml-1 inline-grid h-6 w-5 place-items-center rounded-1 text-ink-3 hover:text-ink"
        >
          <X size={11} aria-hidden="true" />
        </button>
      )}
    </span>
  );
}
