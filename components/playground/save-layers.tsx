"use client";
// What is asked before something is kept: a program under a name, a result as an artifact, a pasted text as an input.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useId, useRef, useState, type ReactNode, type RefObject } from "react";
import type { SavedRun } from "#lib/wire/playground-schema.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatBytes } from "../ui/format.ts";
import { fileNameOf } from "./download.ts";
import { keepProgram, keepResult } from "./playground-queries.ts";
import type { Desk } from "./use-desk.ts";
import { optionsOf } from "./work.ts";

type LayerProps = { desk: Desk; onClose: () => void };

/** The output whole, run again on the server: what the page shows may be cut. */
export function SaveResultLayer({ desk, onClose }: LayerProps) {
  const queries = useQueryClient();
  const request = desk.request();
  const values = desk.runner.get().end?.values ?? 0;
  // Values over several lines each are no document that jq reads as JSON lines; one a line can be asked in turn.
  const isLines = values > 1 && !request.options.raw;
  const [name, setName] = useState(() => (isLines ? "result.jsonl" : fileNameOf(request)));
  const saving = useMutation<SavedRun, Error>({
    mutationFn: () =>
      keepResult({
        ...request,
        options: { ...request.options, compact: request.options.compact || isLines },
        name: name.trim(),
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["artifacts"] }),
  });
  const saved = saving.data;
  const field = useRef<HTMLInputElement>(null);
  return (
    <Dialog open onClose={onClose} title="Save the result as an artifact" focus={field}>
      {saved === undefined ? (
        <NameForm
          field={field}
          label="Name"
          value={name}
          onChange={setName}
          action="Save it"
          isBusy={saving.isPending}
          onSubmit={() => saving.mutate()}
        >
          The program runs once more, and everything that it writes is kept, in the session “Playground”
          {isLines && ", each value on a line of its own"}.
        </NameForm>
      ) : (
        <p>
          {formatBytes(saved.sizeBytes)} were kept as{" "}
          <Link className="link mono" href={`/artifacts/${encodeURIComponent(saved.pointer)}`}>
            {saved.id}
          </Link>
          .{" "}
          <Link className="link" href={`/playground?artifact=${encodeURIComponent(saved.pointer)}`} onClick={onClose}>
            Ask it here
          </Link>
        </p>
      )}
      <Refused error={saving.error} title="It was not saved" />
    </Dialog>
  );
}

export function SaveProgramLayer({ desk, fits, onClose }: LayerProps & { fits: string }) {
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const saving = useMutation({
    mutationFn: () => {
      const work = desk.store.get();
      return keepProgram({
        kind: "jq",
        name: name.trim(),
        program: work.program.trim() === "" ? "." : work.program,
        options: optionsOf(work),
        fits,
      });
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["playground", "programs"] });
      onClose();
    },
  });
  const field = useRef<HTMLInputElement>(null);
  return (
    <Dialog open onClose={onClose} title="Save the program" focus={field}>
      <NameForm
        field={field}
        label="Name"
        value={name}
        onChange={setName}
        action="Save it"
        isBusy={saving.isPending}
        onSubmit={() => saving.mutate()}
      >
        With its options and variables; it is under “Saved” and runs on any artifact.
      </NameForm>
      <Refused error={saving.error} title="It was not saved" />
    </Dialog>
  );
}

type NameFormProps = {
  field: RefObject<HTMLInputElement | null>;
  label: string;
  value: string;
  onChange: (value: string) => void;
  action: string;
  isBusy: boolean;
  onSubmit: () => void;
  children: ReactNode;
};

function NameForm({ field, label, value, onChange, action, isBusy, onSubmit, children }: NameFormProps) {
  const id = useId();
  const isEmpty = value.trim() === "";
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isEmpty && !isBusy) onSubmit();
      }}
    >
      <label htmlFor={id} className="block text-12 text-ink-3">
        {label}
      </label>
      <input
        ref={field}
        id={id}
        value={value}
        maxLength={100}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
        className="mt-1 h-7 w-full rounded-2 border border-line-strong bg-raised px-2 hover:border-control"
      />
      <p className="mt-2 text-12 text-ink-2">{children}</p>
      <div className="mt-3 flex justify-end">
        <Button
          type="submit"
          kind="primary"
          disabled={isEmpty || isBusy}
          title={isEmpty ? "Give it a name first" : undefined}
        >
          {isBusy ? "Saving …" : action}
        </Button>
      </div>
    </form>
  );
}

function Refused({ error, title }: { error: Error | null; title: string }) {
  if (error === null) return null;
  return (
    <div className="mt-3">
      <RequestFailure error={error} title={title} />
    </div>
  );
}

/** The most characters that a door takes of one pasted text. */
const PASTED_CHARS = 5_000_000;

export function PasteLayer({
  text,
  onUse,
  onClose,
}: {
  text: string;
  onUse: (text: string) => void;
  onClose: () => void;
}) {
  const id = useId();
  const [value, setValue] = useState(text);
  const isLong = value.length > PASTED_CHARS;
  const field = useRef<HTMLTextAreaElement>(null);
  return (
    <Dialog open onClose={onClose} title="Pasted text" width={640} focus={field}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isLong) return;
          onUse(value);
          onClose();
        }}
      >
        <label htmlFor={id} className="block text-12 text-ink-3">
          JSON: one document, or several one after the other
        </label>
        <textarea
          ref={field}
          id={id}
          rows={12}
          value={value}
          spellCheck={false}
          onChange={(event) => setValue(event.target.value)}
          className="mono mt-1 w-full rounded-2 border border-line-strong bg-raised p-2 hover:border-control"
        />
        <p className="mt-1 text-12 text-ink-2">
          {isLong
            ? `${value.length.toLocaleString("en-US")} characters, limit 5,000,000. Store it with plimsoll store.`
            : "Sent to this server with each run, not stored. Up to 1,000 characters are in the address."}
        </p>
        <div className="mt-3 flex justify-end gap-2">
          <Button type="submit" kind="primary" disabled={isLong} title={isLong ? "It is too long" : undefined}>
            {value === "" ? "Read no text" : "Read it"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
