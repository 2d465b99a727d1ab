"use client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  MASKS,
  sendingAnswer,
  sendingPreview,
  TOKEN_CHARS,
  type SendingAnswer,
  type SendingPreview,
} from "#lib/wire/sending-schema.ts";
import { PlainTable, ROW, type Column } from "../ui/plain-table.tsx";
import { send } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { Check, Choice, Field, Options, TextInput } from "../ui/field.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { showAnswer } from "../ui/show-answer.ts";
import { sendingQuery } from "./sending-query.ts";

const MASK_WORDS = { none: "nothing", secrets: "keys and passwords", all: "all that looks private" } as const;

/** Sets up sending to a fleet. A dry run says what would leave before anything does. */
export function SendingLayer({ onClose }: { onClose: () => void }) {
  const { data, error } = useQuery(sendingQuery);
  return (
    <Dialog open onClose={onClose} title="Send to a fleet" width={820}>
      {error !== null ? (
        <RequestFailure error={error} title="The setting could not be read" />
      ) : data === undefined ? (
        <Loading rows={5} label="Loading the setting" />
      ) : (
        <SendingForm answer={data} onClose={onClose} />
      )}
    </Dialog>
  );
}

function SendingForm({ answer, onClose }: { answer: SendingAnswer; onClose: () => void }) {
  const queries = useQueryClient();
  const [draft, setDraft] = useState(() => ({
    ...answer,
    project: answer.project ?? "",
    exclude: answer.exclude.join("\n"),
    token: "",
  }));
  const change = (part: Partial<typeof draft>): void => setDraft((now) => ({ ...now, ...part }));
  const body = {
    on: draft.on,
    to: draft.to.trim(),
    project: draft.project.trim() === "" ? null : draft.project.trim(),
    exclude: [...new Set(draft.exclude.split("\n").map((line) => line.trim()))].filter((line) => line !== ""),
    mask: draft.mask,
    ...(draft.token !== "" && { token: draft.token.trim() }),
  };
  const trying = useMutation({ mutationFn: () => send("POST", "/api/sending/preview", sendingPreview, body) });
  const saving = useMutation({
    mutationFn: () => send("PUT", "/api/sending", sendingAnswer, body),
    onSuccess: async (saved) => {
      await showAnswer(queries, sendingQuery.queryKey, saved);
      onClose();
    },
  });
  const hasToken = draft.token.trim() !== "" || (answer.hasToken && body.to === answer.to);
  const missing = body.to === "" ? "Enter an address first" : hasToken ? null : "Enter a token first";
  return (
    <form
      aria-label="Sending"
      onSubmit={(event) => {
        event.preventDefault();
        if (missing === null || !draft.on) saving.mutate();
      }}
    >
      <div className="border-t border-line-strong">
        <Field label="Address" about="A node of the fleet: https, or http on this machine.">
          {(props) => (
            <TextInput
              {...props}
              className="mono"
              value={draft.to}
              maxLength={2000}
              placeholder="https://…"
              onChange={(event) => change({ to: event.target.value })}
            />
          )}
        </Field>
        <Field
          label="Token"
          about={
            answer.hasToken
              ? "Kept in sending.key (mode 0600), never shown again. Empty: unchanged."
              : "From an admin of the fleet. Kept in sending.key (mode 0600), never shown again."
          }
        >
          {(props) => (
            <TextInput
              {...props}
              type="password"
              autoComplete="new-password"
              value={draft.token}
              maxLength={TOKEN_CHARS}
              onChange={(event) => change({ token: event.target.value })}
            />
          )}
        </Field>
        <Field label="Project" about="Its members see what you send. Empty: the token's.">
          {(props) => (
            <TextInput
              {...props}
              value={draft.project}
              maxLength={63}
              onChange={(event) => change({ project: event.target.value })}
            />
          )}
        </Field>
        <Field
          label="Kept here"
          about="Folders or globs, one a line. Sessions that ran there stay, with those that share their history."
        >
          {(props) => (
            <textarea
              {...props}
              rows={3}
              spellCheck={false}
              className="mono w-full rounded-2 border border-line-strong bg-raised px-2 py-1 text-13"
              placeholder="/home/me/private"
              value={draft.exclude}
              onChange={(event) => change({ exclude: event.target.value })}
            />
          )}
        </Field>
        <Field label="Masked" about="In place of what is masked stands what kind it was.">
          {(props) => (
            <Choice
              {...props}
              value={draft.mask}
              onChange={(event) => change({ mask: MASKS.find((one) => one === event.target.value)! })}
            >
              <Options values={MASKS} labelOf={(mask) => MASK_WORDS[mask]} />
            </Choice>
          )}
        </Field>
        <Field label="On" about="Sends all sessions but those kept here, and then what they add.">
          {(props) => <Check {...props} checked={draft.on} onChange={(on) => change({ on })} />}
        </Field>
      </div>
      <div className="mt-3 flex gap-2">
        <Button
          type="submit"
          kind="primary"
          disabled={(draft.on && missing !== null) || saving.isPending}
          title={draft.on ? (missing ?? undefined) : undefined}
        >
          Save
        </Button>
        <Button
          disabled={missing !== null || trying.isPending}
          title={missing ?? "Asks the fleet what it lacks; sends nothing"}
          onClick={() => trying.mutate()}
        >
          Dry run
        </Button>
      </div>
      {saving.error !== null && (
        <div className="mt-3">
          <RequestFailure error={saving.error} title="Nothing was saved" />
        </div>
      )}
      <div className="mt-3" aria-live="polite">
        {trying.isPending ? (
          <Loading rows={4} label="Working out what would go" />
        ) : trying.error !== null ? (
          <RequestFailure error={trying.error} title="What would go is not known" />
        ) : (
          trying.data !== undefined && <Preview preview={trying.data} />
        )}
      </div>
    </form>
  );
}

const COLUMNS: readonly Column[] = [
  { name: "Session" },
  { name: "Folder", look: "w-60", isText: true },
  { name: "Result", look: "w-32", isText: true },
  { name: "Bytes", look: "w-24" },
];

const STATE_LABELS: Readonly<Record<string, string>> = {
  excluded: "kept here",
  unchanged: "sent before",
  deleted: "deleted in fleet",
};

function Preview({ preview: { project, rows, total, sums } }: { preview: SendingPreview }) {
  return (
    <>
      <p className="text-13">
        {formatCount(sums.sent, "session")} would go to the project <SafeText text={project} />:{" "}
        {formatCount(sums.objects, "object")}, {formatBytes(sums.bytes)}. {sums.excluded.toLocaleString("en-US")} kept
        here, {sums.unchanged.toLocaleString("en-US")} sent before.
        {rows.length < total && ` The first ${rows.length.toLocaleString("en-US")} are listed.`}
      </p>
      <PlainTable label="Dry run" width="min-w-160" columns={COLUMNS}>
        {rows.map((row) => (
          <tr key={row.id} className={`${ROW} ${row.state === "would send" ? "" : "text-ink-3"}`}>
            <td className="pl-0!" title={row.title}>
              <SafeText text={row.title === "" ? row.id : row.title} />
            </td>
            <td className="mono" title={row.cwd ?? undefined}>
              <SafeText text={row.cwd ?? ""} />
            </td>
            <td title={row.reason ?? undefined}>{STATE_LABELS[row.state] ?? row.state}</td>
            <td className="text-right tabular-nums">{row.state === "would send" && formatBytes(row.bytes)}</td>
          </tr>
        ))}
      </PlainTable>
    </>
  );
}
