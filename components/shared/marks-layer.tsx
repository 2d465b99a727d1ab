"use client";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { labelsAnswer } from "#lib/wire/marks-schema.ts";
import { api } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { labelsIn, noteIn, useMarks } from "./person-marks.ts";

type LayerProps = { id: string; seq: number | null; onClose: () => void };

/** Labels that other sessions have, for one click. */
const OFFERED = 12;

export function MarksLayer({ id, seq, onClose }: LayerProps) {
  const { own, change } = useMarks(id, seq);
  const field = useRef<HTMLInputElement>(null);
  const [label, setLabel] = useState("");
  /** What is being written, and the note that stood there when it began. */
  const [draft, setDraft] = useState<{ readonly text: string; readonly since: string } | null>(null);
  const known = useQuery({
    queryKey: ["labels"],
    queryFn: ({ signal }) => api("/api/labels", labelsAnswer, { signal }),
  });
  const labels = labelsIn(own);
  const others = (known.data?.labels ?? []).filter(({ name }) => !labels.includes(name)).slice(0, OFFERED);
  const set = (value: string, on: boolean) => change.mutate({ kind: "label", value, on, seq });
  const before = noteIn(own);
  const written = draft?.text ?? before;
  return (
    <Dialog
      open
      onClose={onClose}
      title={seq === null ? "Labels and note" : `Event ${seq}: labels and note`}
      focus={field}
    >
      <form
        className="mt-1 flex gap-2"
        onSubmit={(submitted) => {
          submitted.preventDefault();
          if (label.trim() === "") return;
          set(label.trim(), true);
          setLabel("");
        }}
      >
        <input
          ref={field}
          value={label}
          onChange={(typed) => setLabel(typed.target.value)}
          aria-label="New label"
          placeholder="New label"
          maxLength={60}
          autoComplete="off"
          className="h-7 min-w-0 flex-1 rounded-2 border border-line-strong bg-raised px-2"
        />
        <Button type="submit" disabled={label.trim() === ""} title="Type a label first">
          Add label
        </Button>
      </form>
      <div className="mt-2 flex flex-wrap gap-1">
        {labels.map((name) => (
          <Chip key={name} on onClear={() => set(name, false)}>
            <SafeText text={name} />
          </Chip>
        ))}
        {others.map(({ name }) => (
          <Chip key={name} on={false} onClick={() => set(name, true)}>
            <SafeText text={name} />
          </Chip>
        ))}
      </div>
      <form
        className="mt-4"
        onSubmit={(submitted) => {
          submitted.preventDefault();
          change.mutate({ kind: "note", value: written.trim(), before, seq }, { onSuccess: onClose });
        }}
      >
        <label className="text-12 text-ink-2">
          Note
          <textarea
            value={written}
            onChange={(typed) => setDraft({ text: typed.target.value, since: draft?.since ?? before })}
            maxLength={4000}
            rows={4}
            className="mt-1 block w-full rounded-2 border border-line-strong bg-raised px-2 py-1 text-13 text-ink"
          />
        </label>
        {draft !== null && draft.since !== before && (
          <p role="alert" className="mt-1 text-12 text-ink-2">
            Changed elsewhere to “<SafeText text={before} />
            ”. Saving replaces that.
          </p>
        )}
        <div className="mt-2 flex justify-end">
          <Button type="submit" kind="primary">
            Save note
          </Button>
        </div>
      </form>
      {change.error !== null && <RequestFailure error={change.error} title="The mark was not saved" />}
    </Dialog>
  );
}
