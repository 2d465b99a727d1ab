"use client";
// The question before all artifacts of a session are deleted: what goes, and what stays.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { endAnswer, endPreviewAnswer, type EndPreview } from "#lib/wire/retention-schema.ts";
import { api, send } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { SafeText } from "../ui/safe-text.tsx";

const NAME_CHARS = 200;

export function EndSessionLayer({ id, onClose }: { id: string; onClose: () => void }) {
  const queries = useQueryClient();
  const path = `/api/sessions/${encodeURIComponent(id)}/artifacts`;
  const cancel = useRef<HTMLButtonElement>(null);
  const preview = useQuery({
    queryKey: ["session", id, "delete-preview"],
    queryFn: ({ signal }) => api(`${path}/delete-preview`, endPreviewAnswer, { signal }),
    // What it says must be true now.
    staleTime: 0,
    gcTime: 0,
  });
  const deletion = useMutation({
    mutationFn: () => send("DELETE", path, endAnswer),
    onSuccess: async () => {
      onClose();
      await Promise.all([
        queries.invalidateQueries({ queryKey: ["artifacts"] }),
        queries.invalidateQueries({ queryKey: ["retention"] }),
        queries.invalidateQueries({ queryKey: ["session"] }),
      ]);
    },
  });
  const failure = preview.error ?? deletion.error;
  const artifacts = preview.data?.artifacts;
  return (
    <Dialog open onClose={onClose} title="Delete all artifacts of this session?" width={520} focus={cancel}>
      {preview.data ? (
        <Consequences preview={preview.data} />
      ) : (
        preview.error === null && <Loading rows={4} height={24} label="Loading the preview" />
      )}
      {failure !== null && (
        <div className="mt-3">
          <RequestFailure
            error={failure}
            title={deletion.error === null ? "The preview could not be read" : "Nothing more was deleted"}
          />
        </div>
      )}
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        <Button ref={cancel} onClick={onClose}>
          Keep them
        </Button>
        <Button
          kind="primary"
          disabled={artifacts === undefined || artifacts === 0 || deletion.isPending}
          title={artifacts === undefined ? "The preview is loading" : artifacts === 0 ? "Nothing to delete" : undefined}
          onClick={() => deletion.mutate()}
        >
          {artifacts === undefined ? "Delete" : `Delete ${formatCount(artifacts, "artifact")}`}
        </Button>
      </div>
    </Dialog>
  );
}

function Consequences({ preview }: { preview: EndPreview }) {
  const { artifacts, sizeBytes, freedBytes, named, namedTotal } = preview;
  return (
    <>
      <ul className="mt-2 list-disc space-y-1 pl-4 text-13 text-ink-2">
        <li>
          <b className="font-semibold text-ink">
            {formatCount(artifacts, "artifact")}, {formatBytes(sizeBytes)}
          </b>
          , can no longer be read.
        </li>
        <li>
          The next sweep frees {formatBytes(freedBytes)}
          {freedBytes < sizeBytes && ": bytes that are stored once, or in use elsewhere, count once or stay"}.
        </li>
        <li>The session and its events stay. Pointers become tombstones.</li>
      </ul>
      {namedTotal > 0 && (
        <>
          <h3 className="mt-3 text-13 font-medium">{formatCount(namedTotal, "artifact")} with a name</h3>
          <ul aria-label="Artifacts with a name" className="mt-1 max-h-48 overflow-y-auto text-13 text-ink-2">
            {named.map(({ pointer, name, sizeBytes: size }) => (
              <li key={pointer} className="flex gap-3">
                <span className="min-w-0 flex-1 truncate">
                  <SafeText text={name.slice(0, NAME_CHARS)} badge />
                </span>
                <span className="flex-none tabular-nums">{formatBytes(size)}</span>
              </li>
            ))}
            {namedTotal > named.length && <li>and {namedTotal - named.length} more</li>}
          </ul>
        </>
      )}
    </>
  );
}
