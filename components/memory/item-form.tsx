"use client";
// An item as a hand writes it: what it says, how much it matters, its tags; a new one also what kind it is and where it is from.
import { useId, useRef, useState } from "react";
import { SEMANTIC_CATEGORIES } from "#lib/kernel/memory/memory-types.ts";
import type { MemoryChange } from "#lib/wire/memory-schema.ts";
import { Choice, Options, TextInput } from "../ui/field.tsx";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { categoryWords, seqsOf, tagsOf } from "./memory-view.ts";
import { useMemoryChange } from "./use-memory-changes.ts";

/** As the door has it. */
const MOST_CHARS = 4000;

export type Written = {
  readonly kind: "episodic" | "semantic";
  readonly text: string;
  readonly category: string | null;
  readonly salience: number;
  readonly tags: readonly string[];
  readonly seqs: readonly number[];
};

type ItemFormProps = {
  first: Written;
  /** A new item also says its kind, its category and its events. */
  isNew?: boolean;
  changeOf: (written: Written) => MemoryChange;
  onClose: () => void;
};

export function ItemForm({ first, isNew = false, changeOf, onClose }: ItemFormProps) {
  const change = useMemoryChange();
  const [written, setWritten] = useState(first);
  const [tags, setTags] = useState(first.tags.join(", "));
  const [events, setEvents] = useState(first.seqs.join(", "));
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const put = (part: Partial<Written>) => setWritten({ ...written, ...part });
  const found = seqsOf(events);
  const wrong = "wrong" in found ? found.wrong : written.text.trim() === "" ? "Enter a text." : null;
  const save = () => {
    if (wrong !== null || "wrong" in found) return;
    change.mutate(changeOf({ ...written, tags: tagsOf(tags), seqs: found.seqs }), { onSuccess: onClose });
  };
  return (
    <form
      ref={form}
      className="mt-2 grid justify-items-stretch gap-2 rounded-2 border border-line-strong bg-bg px-3 py-2.5 [&>fieldset]:justify-self-start"
      aria-label={isNew ? "New item" : "Edit the item"}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      {isNew && (
        <Segmented
          label="Kind"
          value={written.kind}
          options={[
            { value: "semantic", label: "Semantic" },
            { value: "episodic", label: "Episodic" },
          ]}
          onPick={(kind) => put({ kind })}
        />
      )}
      <textarea
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it opened because its button was pressed
        autoFocus
        aria-label="Text"
        maxLength={MOST_CHARS}
        rows={3}
        value={written.text}
        onChange={(event) => put({ text: event.target.value })}
        onKeyDown={(event) => {
          if (event.key === "Escape") onClose();
          if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) form.current?.requestSubmit();
        }}
        className="w-full rounded-2 border border-line-strong bg-raised px-2 py-1 hover:border-control"
      />
      <div className="flex flex-wrap items-end gap-3 text-12">
        <label className="grid w-22 gap-0.5 text-ink-2" htmlFor={`${id}-salience`}>
          Salience
          <TextInput
            id={`${id}-salience`}
            type="number"
            min={0}
            max={1000}
            step="any"
            value={written.salience}
            onChange={(event) => put({ salience: Math.min(1000, Math.max(0, event.target.valueAsNumber || 0)) })}
          />
        </label>
        {isNew && written.kind === "semantic" && (
          <label className="grid w-40 gap-0.5 text-ink-2" htmlFor={`${id}-category`}>
            Category
            <Choice
              id={`${id}-category`}
              value={written.category ?? ""}
              onChange={(event) => put({ category: event.target.value === "" ? null : event.target.value })}
            >
              <option value="">none</option>
              <Options values={SEMANTIC_CATEGORIES} labelOf={categoryWords} />
            </Choice>
          </label>
        )}
        <label className="grid min-w-36 flex-1 gap-0.5 text-ink-2" htmlFor={`${id}-tags`}>
          Tags (comma-separated)
          <TextInput id={`${id}-tags`} value={tags} onChange={(event) => setTags(event.target.value)} />
        </label>
        {isNew && (
          <label className="grid min-w-36 flex-1 gap-0.5 text-ink-2" htmlFor={`${id}-events`}>
            Source events
            <TextInput
              id={`${id}-events`}
              value={events}
              aria-invalid={"wrong" in found}
              placeholder="12, 14–18"
              onChange={(event) => setEvents(event.target.value)}
            />
          </label>
        )}
      </div>
      {change.error !== null && <RequestFailure error={change.error} title="It was not saved" />}
      <div className="flex items-center justify-end gap-2">
        <output className="flex-1 text-12 text-ink-2">{"wrong" in found ? found.wrong : ""}</output>
        <Button small onClick={onClose}>
          Cancel
        </Button>
        <Button
          small
          kind="primary"
          type="submit"
          disabled={wrong !== null || change.isPending}
          title={wrong ?? undefined}
        >
          {isNew ? "Add" : "Save"}
        </Button>
      </div>
    </form>
  );
}
