"use client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  gcAnswer,
  retentionSettings,
  type GcAnswer,
  type RetentionSettings,
  type RetentionPreview,
} from "#lib/wire/retention-schema.ts";
import { useIsNode } from "../ui/access-context.ts";
import { send } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatBytes, formatCount, formatDuration } from "../ui/format.ts";
import { Check, Field } from "../ui/field.tsx";
import { DaysField, SizeField } from "./limit-fields.tsx";
import { bytesOf, bytesText, daysOf } from "./typed-limits.ts";
import { previewQuery, retentionQuery } from "./settings-queries.ts";
import { RetentionPreviewTables } from "./retention-preview.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { showAnswer } from "../ui/show-answer.ts";

type Draft = { age: string; most: string; session: string; archive: string; keepNamed: boolean };

const SIZES = [
  ["most", "Most bytes", "When the stored bytes are more than this, the oldest artifacts go first. Empty: no limit."],
  ["session", "A session holds", "Limit per session; more is refused. Empty: no limit."],
  ["archive", "The archive holds", "Limit for all sessions; more is refused. Empty: no limit."],
] as const;

export function RetentionForm({ saved }: { saved: RetentionSettings }) {
  const queries = useQueryClient();
  // A node has neither limit.
  const isNode = useIsNode();
  const [draft, setDraft] = useState(() => draftOf(saved));
  const [isAsking, setAsking] = useState(false);
  const settings = settingsOf(draft);
  const isSame = isEqual(settings, saved);
  // Saved here or elsewhere: what is not typed over follows.
  const [before, setBefore] = useState(saved);
  if (saved !== before) {
    setBefore(saved);
    if (isSame || isEqual(settings, before)) setDraft(draftOf(saved));
  }
  const type = (change: Partial<Draft>) => setDraft((now) => ({ ...now, ...change }));
  const preview = useQuery({ ...previewQuery(settings ?? saved), enabled: settings !== null });
  const saving = useMutation({
    mutationFn: (next: RetentionSettings) => send("PUT", "/api/retention", retentionSettings, next),
    onSuccess: async (answer) => {
      await showAnswer(queries, retentionQuery.queryKey, answer);
      await queries.invalidateQueries({ queryKey: ["retention"] });
    },
  });
  const sweep = useMutation({
    mutationFn: (trustClock: boolean) => send("POST", "/api/retention/sweep", gcAnswer, { trustClock }),
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ["retention"] });
      await queries.invalidateQueries({ queryKey: ["artifacts"] });
    },
  });
  return (
    <form
      className="mt-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (settings !== null) saving.mutate(settings);
      }}
    >
      <h2 className="text-15 font-semibold">What stays</h2>
      <div className="mt-1 border-t border-line-strong">
        {!isNode && (
          <DaysField
            label="Longest age"
            about="The next sweep deletes older artifacts. Empty: no age limit."
            value={draft.age}
            onChange={(age) => type({ age })}
          />
        )}
        {SIZES.filter(([key]) => key !== "most" || !isNode).map(([key, label, about]) => (
          <SizeField
            key={key}
            label={label}
            about={about}
            value={draft[key]}
            onChange={(typed) => type({ [key]: typed })}
          />
        ))}
        <Field label="Named artifacts stay" standard="on" about="Named artifacts stay, whatever their age.">
          {(props) => <Check {...props} checked={draft.keepNamed} onChange={(keepNamed) => type({ keepNamed })} />}
        </Field>
      </div>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <Button
          type="submit"
          kind="primary"
          disabled={settings === null || isSame || saving.isPending}
          title={settings === null ? "A value above is not understood" : isSame ? "Nothing was changed" : undefined}
        >
          Save
        </Button>
        <Button
          disabled={!isSame || sweep.isPending}
          title={isSame ? undefined : "Save first"}
          onClick={() => setAsking(true)}
        >
          Sweep now…
        </Button>
        <span className="text-12 text-ink-3" aria-live="polite">
          {sweep.isPending ? "Sweeping…" : sweep.data ? sweptWords(sweep.data) : "A sweep also runs every ten minutes."}
        </span>
        {sweep.data?.held != null && !sweep.isPending && (
          <Button onClick={() => sweep.mutate(true)}>Trust clock, sweep</Button>
        )}
        {sweep.isPending && <progress className="progress h-1 w-40" aria-label="Sweeping" />}
      </div>
      {(saving.error ?? sweep.error) !== null && (
        <div className="mt-3">
          <RequestFailure
            error={saving.error ?? sweep.error}
            title={saving.error === null ? "The sweep did not run to its end" : "Retention was not saved"}
          />
        </div>
      )}
      <RetentionPreviewTables
        preview={preview.data}
        failure={preview.error}
        isSaved={isSame}
        hasRule={settings !== null && (settings.maxAgeDays !== null || settings.maxBytes !== null)}
      />
      {isAsking && (
        <SweepDialog
          preview={preview.data}
          onClose={() => setAsking(false)}
          onSweep={() => {
            setAsking(false);
            sweep.mutate(false);
          }}
        />
      )}
    </form>
  );
}

const isEqual = (one: RetentionSettings | null, other: RetentionSettings): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const draftOf = ({ maxAgeDays, maxBytes, sessionBytes, archiveBytes, keepNamed }: RetentionSettings): Draft => ({
  age: maxAgeDays === null ? "" : String(maxAgeDays),
  most: bytesText(maxBytes),
  session: bytesText(sessionBytes),
  archive: bytesText(archiveBytes),
  keepNamed,
});

/** What was typed, as settings; null where a value is not understood. */
function settingsOf(draft: Draft): RetentionSettings | null {
  const age = daysOf(draft.age);
  const [most, session, archive] = [bytesOf(draft.most), bytesOf(draft.session), bytesOf(draft.archive)];
  if (age === "unknown" || most === "unknown" || session === "unknown" || archive === "unknown") return null;
  const { keepNamed } = draft;
  return { maxAgeDays: age, maxBytes: most, sessionBytes: session, archiveBytes: archive, keepNamed };
}

function sweptWords(answer: GcAnswer): string {
  const ended = answer.expired + answer.swept;
  const held = answer.held === null ? "" : ` ${answer.held}`;
  if (ended === 0 && answer.blobs === 0 && answer.orphans === 0)
    return `Nothing had to go${answer.spared > 0 ? `; ${formatCount(answer.spared, "blob is", "blobs are")} too young to be removed` : ""}.${held}`;
  return `${formatCount(ended, "artifact")} ended, ${formatCount(answer.blobs + answer.orphans, "blob")} removed, ${formatBytes(answer.bytes)} freed in ${formatDuration(answer.ms)}.${held}`;
}

type SweepDialogProps = { preview: RetentionPreview | undefined; onClose: () => void; onSweep: () => void };

/** The question before a sweep: what goes now. */
function SweepDialog({ preview, onClose, onSweep }: SweepDialogProps) {
  const artifacts = preview?.artifacts ?? 0;
  return (
    <Dialog open onClose={onClose} title="Sweep now?">
      <p className="text-ink-2">
        {artifacts === 0 ? (
          "No artifact expires: the sweep only frees unused bytes."
        ) : (
          <>
            <b className="font-semibold text-ink">
              {formatCount(artifacts, "artifact")} of {formatCount(preview?.sessions ?? 0, "session")} end
              {artifacts === 1 ? "s" : ""}, {formatBytes(preview?.bytes ?? 0)} leave the disk.
            </b>{" "}
            Tombstones stay. Bytes without an agent's file cannot be restored.
          </>
        )}
      </p>
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onClose}>Keep all</Button>
        <Button kind="primary" onClick={onSweep}>
          Sweep
        </Button>
      </div>
    </Dialog>
  );
}
