"use client";
// Giving an agent its files back: every file with its size and digest first, then the button.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { restoreAnswer, type RestoreAnswer, type RestoreFile } from "#lib/wire/restore-schema.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { api, send, withQuery } from "../ui/api.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { SafeText } from "../ui/safe-text.tsx";

type LayerProps = { readonly id: string; readonly onClose: () => void };

export function RestoreLayer({ id, onClose }: LayerProps) {
  const queries = useQueryClient();
  const path = `/api/sessions/${encodeURIComponent(id)}`;
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState("");
  /** The folder that is shown; empty for the files' own. */
  const [to, setTo] = useState("");
  const preview = useQuery({
    queryKey: ["session", id, "restore-preview", to],
    queryFn: ({ signal }) =>
      api(withQuery(`${path}/restore-preview`, to === "" ? {} : { to }), restoreAnswer, { signal }),
    // What it says of the disk must be true now.
    staleTime: 0,
    gcTime: 0,
  });
  const restore = useMutation({
    mutationFn: () => send("POST", `${path}/restore`, restoreAnswer, to === "" ? {} : { to }),
    onSuccess: () =>
      Promise.all(
        [["sources"], ["sessions"], ["session", id]].map((queryKey) => queries.invalidateQueries({ queryKey })),
      ),
  });
  const answer = restore.data ?? preview.data;
  const failure = preview.error ?? restore.error;
  const waiting = answer?.files.filter(({ state }) => state === "new").length ?? 0;
  return (
    <Dialog open onClose={onClose} title="Restore the agent’s files" width={680} focus={field}>
      <form
        className="mt-1 flex flex-wrap items-end gap-2"
        onSubmit={(happening) => {
          happening.preventDefault();
          restore.reset();
          setTo(typed.trim());
        }}
      >
        <label className="min-w-60 flex-1 text-12 text-ink-2">
          Folder
          <input
            ref={field}
            value={typed}
            onChange={(happening) => setTyped(happening.target.value)}
            placeholder="Where the agent had the files"
            spellCheck={false}
            autoComplete="off"
            className="mono mt-1 block h-8 w-full rounded-2 border border-line-strong bg-raised px-2 text-ink"
          />
        </label>
        <Button type="submit" disabled={typed.trim() === to}>
          Preview folder
        </Button>
      </form>
      <div className="mt-3">
        {answer === undefined
          ? failure === null && <Loading rows={4} height={24} label="Comparing files" />
          : failure === null && <Contents answer={answer} />}
        {failure !== null && (
          <RequestFailure
            error={failure}
            title={restore.error === null ? "The files cannot be listed" : "Nothing was restored"}
          />
        )}
      </div>
      <div className="mt-4 flex flex-wrap items-center justify-end gap-2">
        <Button onClick={onClose}>{restore.isSuccess ? "Close" : "Cancel"}</Button>
        {!restore.isSuccess && (
          <Button
            kind="primary"
            disabled={waiting === 0 || answer?.refusal !== null || restore.isPending}
            title={waiting === 0 ? "All files are there" : undefined}
            onClick={() => restore.mutate()}
          >
            {restore.isPending ? "Restoring…" : `Restore ${formatCount(waiting, "file")}`}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

function Contents({ answer }: { answer: RestoreAnswer }) {
  const { agent, version, files, sizeBytes, missing, notes, refusal, resume } = answer;
  const restored = files.filter(({ state }) => state === "restored").length;
  return (
    <>
      <output className="block text-13 text-ink-2">
        {restored > 0 ? `Restored ${formatCount(restored, "file")}` : formatCount(files.length, "file")} of {agent}
        {version !== null && `, version ${version}`}, {formatBytes(sizeBytes)}
      </output>
      <ul className="mt-2 max-h-56 divide-y divide-line overflow-y-auto rounded-2 border border-line">
        {files.map((file) => (
          <FileRow key={file.path} file={file} />
        ))}
      </ul>
      {refusal !== null && (
        <p className="mt-3 text-13 text-bad wrap-anywhere">
          <SafeText text={refusal.replace(" with --to", " above")} />
        </p>
      )}
      {missing.length > 0 && (
        <>
          <h3 className="mt-3 text-12 font-semibold">Cannot be restored</h3>
          <ul className="mt-1 space-y-1 text-12 text-ink-2">
            {missing.map((one) => (
              <li key={one.path} className="wrap-anywhere">
                <span className="mono">
                  <SafeText text={one.path} />
                </span>
                : <SafeText text={one.reason} />
              </li>
            ))}
          </ul>
        </>
      )}
      {notes.map((note) => (
        <p key={note} className="mt-2 text-12 text-ink-2">
          {note}
        </p>
      ))}
      {refusal === null && resume !== null && (
        <div className="mt-3 flex items-center gap-2 rounded-2 bg-sunk px-2 py-1">
          <code className="mono min-w-0 flex-1 text-12 wrap-anywhere">
            <SafeText text={resume} />
          </code>
          <CopyButton text={() => resume}>Copy command</CopyButton>
        </div>
      )}
    </>
  );
}

const STATES: Readonly<Record<RestoreFile["state"], string>> = {
  new: "to restore",
  same: "already there",
  differs: "differs, stays",
  restored: "restored",
};

function FileRow({ file }: { file: RestoreFile }) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-2 py-1.5 text-12">
      <span className="mono min-w-40 flex-1 truncate" title={shownText(file.path)} dir="rtl">
        <bdi>
          <SafeText text={file.label} />
        </bdi>
      </span>
      <span className="text-ink-2 tabular-nums">{formatBytes(file.sizeBytes)}</span>
      <span className="mono text-ink-3" title={`sha-256 ${file.digest}`}>
        {file.digest.slice(0, 8)}
      </span>
      <Badge tone={file.state === "differs" ? "error" : "plain"}>{STATES[file.state]}</Badge>
    </li>
  );
}
