"use client";
// The question before an imported session is removed: what goes, and what stays.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { removedSession, removePreview, type RemovePreview } from "#lib/wire/remove-schema.ts";
import { api, send } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatCount } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { SafeText } from "../ui/safe-text.tsx";

type LayerProps = { readonly id: string; readonly onClose: () => void; readonly onRemoved: () => void };

export function RemoveSessionLayer({ id, onClose, onRemoved }: LayerProps) {
  const queries = useQueryClient();
  const path = `/api/sessions/${encodeURIComponent(id)}`;
  const cancel = useRef<HTMLButtonElement>(null);
  const preview = useQuery({
    queryKey: ["session", id, "remove-preview"],
    queryFn: ({ signal }) => api(`${path}/remove-preview`, removePreview, { signal }),
    // What it says must be true now.
    staleTime: 0,
    gcTime: 0,
  });
  const removal = useMutation({
    mutationFn: () => send("DELETE", path, removedSession),
    onSuccess: async () => {
      onRemoved();
      await Promise.all(
        [["sessions"], ["sources"], ["artifacts"]].map((queryKey) => queries.invalidateQueries({ queryKey })),
      );
    },
  });
  const failure = preview.error ?? removal.error;
  return (
    <Dialog open onClose={onClose} title="Remove this session from Plimsoll?" width={520} focus={cancel}>
      {preview.data ? (
        <Consequences preview={preview.data} />
      ) : (
        preview.error === null && <Loading rows={3} height={24} label="Loading the preview" />
      )}
      {failure !== null && (
        <div className="mt-3">
          <RequestFailure
            error={failure}
            title={removal.error === null ? "The preview could not be read" : "The session was not removed"}
          />
        </div>
      )}
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        <Button ref={cancel} onClick={onClose}>
          Keep it
        </Button>
        <Button
          kind="primary"
          disabled={preview.data === undefined || removal.isPending}
          title={preview.data === undefined ? "The preview is loading" : undefined}
          onClick={() => removal.mutate()}
        >
          Remove session
        </Button>
      </div>
    </Dialog>
  );
}

function Consequences({ preview }: { preview: RemovePreview }) {
  const { title, path, isOnDisk, sessions, events, artifacts, related, files } = preview;
  const isAgents = !files.includes(path);
  return (
    <>
      <p className="mt-1 truncate text-13 font-medium">
        <SafeText text={title} />
      </p>
      <ul className="mt-2 list-disc space-y-1 pl-4 text-13 text-ink-2">
        <li>
          {formatCount(events, "event")} and {formatCount(artifacts, "artifact")}
          {sessions > 1 && ` of ${formatCount(sessions, "session")}, its sub-agents among them,`} leave lists, search
          and figures.
        </li>
        {related > 0 && <li>History shared with {formatCount(related, "other session")} stays there.</li>}
        {files.map((file) => (
          <li key={file} className="wrap-anywhere">
            Recorded by Plimsoll, deleted: <SafeText text={file} />
          </li>
        ))}
        {isAgents && (
          <li className="wrap-anywhere">
            {isOnDisk ? "The agent’s file stays as it is: " : "The agent’s file is gone already: "}
            <SafeText text={path} />
          </li>
        )}
        <li>
          {isAgents && isOnDisk ? "It is read again only when you import it by name." : "Nothing can be read again."}{" "}
          The next sweep frees its artifacts.
        </li>
      </ul>
    </>
  );
}
