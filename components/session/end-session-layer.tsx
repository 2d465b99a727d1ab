"use client";
// The question before all artifacts of a session are deleted: what goes, and what stays.
import { endAnswer, endPreviewAnswer, type EndPreview } from "#lib/wire/retention-schema.ts";
import { DeletionLayer } from "../shared/deletion-layer.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";

const NAME_CHARS = 200;

export function EndSessionLayer({ id, onClose }: { id: string; onClose: () => void }) {
  const path = `/api/sessions/${encodeURIComponent(id)}/artifacts`;
  return (
    <DeletionLayer
      title="Delete all artifacts of this session?"
      preview={{ path: `${path}/delete-preview`, schema: endPreviewAnswer }}
      deletion={{ path, schema: endAnswer }}
      changes={["artifacts", "retention", "session"]}
      failed="Nothing more was deleted"
      keep="Keep them"
      action={(preview) => (preview === undefined ? "Delete" : `Delete ${formatCount(preview.artifacts, "artifact")}`)}
      refusal={({ artifacts }) => (artifacts === 0 ? "Nothing to delete" : null)}
      onClose={onClose}
      onDeleted={onClose}
    >
      {(preview) => <Consequences preview={preview} />}
    </DeletionLayer>
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
