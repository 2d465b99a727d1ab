"use client";
// The question before an artifact is deleted: what goes, what stays, and who points to it.
import Link from "next/link";
import { deletePreviewAnswer, tombstone, type DeletePreview } from "#lib/wire/retention-schema.ts";
import { formatBytes, formatCount } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { nameOf } from "../shared/copy-as.ts";
import { DeletionLayer } from "../shared/deletion-layer.tsx";

type Deletable = { readonly pointer: string; readonly name: string | null; readonly toolName: string | null };
type DeleteLayerProps = { artifact: Deletable; onClose: () => void };

const NAME_CHARS = 200;

export function DeleteLayer({ artifact, onClose }: DeleteLayerProps) {
  const path = `/api/artifacts/${encodeURIComponent(artifact.pointer)}`;
  return (
    <DeletionLayer
      title="Delete this artifact?"
      preview={{ path: `${path}/delete-preview`, schema: deletePreviewAnswer }}
      deletion={{ path, schema: tombstone }}
      changes={["artifacts", "retention", "session"]}
      failed="It was not deleted"
      keep="Keep it"
      action={(preview) => (preview?.bytesGo ? `Delete ${formatBytes(preview.sizeBytes)}` : "Delete")}
      onClose={onClose}
      onDeleted={onClose}
      subject={
        <p className="line-clamp-2 font-medium break-all">
          <SafeText text={nameOf(artifact).slice(0, NAME_CHARS)} badge />
        </p>
      }
    >
      {(preview) => <Consequences preview={preview} />}
    </DeletionLayer>
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
