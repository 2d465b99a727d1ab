"use client";
// The question before an artifact is deleted: what goes, what stays, and who points to it.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useRef } from "react";
import { deletePreviewAnswer, tombstone, type DeletePreview } from "#lib/wire/retention-schema.ts";
import { api, send } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { nameOf } from "../shared/copy-as.ts";

type Deletable = { readonly pointer: string; readonly name: string | null; readonly toolName: string | null };
type DeleteLayerProps = { artifact: Deletable; onClose: () => void };

const NAME_CHARS = 200;

export function DeleteLayer({ artifact, onClose }: DeleteLayerProps) {
  const queries = useQueryClient();
  const path = `/api/artifacts/${encodeURIComponent(artifact.pointer)}`;
  const cancel = useRef<HTMLButtonElement>(null);
  const preview = useQuery({
    queryKey: ["artifacts", "delete-preview", artifact.pointer],
    queryFn: ({ signal }) => api(`${path}/delete-preview`, deletePreviewAnswer, { signal }),
    // What it says must be true now.
    staleTime: 0,
    gcTime: 0,
  });
  const deletion = useMutation({
    mutationFn: () => send("DELETE", path, tombstone),
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
  return (
    <Dialog open onClose={onClose} title="Delete this artifact?" width={520} focus={cancel}>
      <p className="line-clamp-2 font-medium break-all">
        <SafeText text={nameOf(artifact).slice(0, NAME_CHARS)} badge />
      </p>
      {preview.data ? (
        <Consequences preview={preview.data} />
      ) : (
        preview.error === null && <Loading rows={4} height={24} label="Loading the preview" />
      )}
      {failure !== null && (
        <div className="mt-3">
          <RequestFailure
            error={failure}
            title={deletion.error === null ? "The preview could not be loaded" : "It was not deleted"}
          />
        </div>
      )}
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        <Button ref={cancel} onClick={onClose}>
          Keep it
        </Button>
        <Button
          kind="primary"
          disabled={preview.data === undefined || deletion.isPending}
          title={preview.data === undefined ? "Wait for the preview" : undefined}
          onClick={() => deletion.mutate()}
        >
          {preview.data?.bytesGo ? `Delete ${formatBytes(preview.data.sizeBytes)}` : "Delete"}
        </Button>
      </div>
    </Dialog>
  );
}

/** Sentences, the hardest first. */
function Consequences({ preview }: { preview: DeletePreview }) {
  const { sizeBytes, sharedBy, bytesGo, inSource, names, reads, places } = preview;
  const events = new Set(places.map(({ sessionId, seq }) => `${sessionId} ${seq}`)).size;
  return (
    <ul className="mt-2 list-disc space-y-1 pl-4 text-13 text-ink-2">
      <li>
        {bytesGo ? (
          inSource === null ? (
            <>
              <b className="font-semibold text-ink">Its {formatBytes(sizeBytes)} are gone for good</b> after the next
              sweep. Nothing else here has the same bytes.
            </>
          ) : (
            <>Its {formatBytes(sizeBytes)} are freed by the next sweep.</>
          )
        ) : (
          <>
            Its bytes stay: {formatCount(sharedBy, "other artifact has", "other artifacts have")} the same. Only this
            pointer is deleted.
          </>
        )}
      </li>
      {inSource !== null && (
        <li>
          The text itself stays in the kept bytes of the session's file
          {inSource.path !== "" && (
            <>
              {" "}
              (
              <span className="mono break-all">
                <SafeText text={inSource.path} />
              </span>
              {inSource.isOnDisk ? "" : ", gone from the disk since"})
            </>
          )}
          .
        </li>
      )}
      <li>The row stays as a tombstone. Importing the session again does not bring the bytes back.</li>
      {places.length > 0 && (
        <li>
          {formatCount(events, "event points", "events point")} to it:{" "}
          {places.slice(0, 6).map(({ sessionId, seq }, at) => (
            <span key={`${sessionId} ${seq}`}>
              {at > 0 && ", "}
              <Link className="link tabular-nums underline" href={`/sessions/${sessionId}?event=${seq}`}>
                {seq}
              </Link>
            </span>
          ))}
          {places.length > 6 && " …"}
        </li>
      )}
      {(reads > 0 || names.length > 0) && (
        <li>
          {reads > 0 && `It was read back ${reads === 1 ? "once" : `${reads} times`}. `}
          {names.length > 0 && `${formatCount(names.length, "name leads", "names lead")} nowhere then.`}
        </li>
      )}
    </ul>
  );
}
