"use client";
// The question before an imported session is removed: what goes, and what stays.
import { removedSession, removePreview, type RemovePreview } from "#lib/wire/remove-schema.ts";
import { DeletionLayer } from "../shared/deletion-layer.tsx";
import { formatCount } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";

type LayerProps = { readonly id: string; readonly onClose: () => void; readonly onRemoved: () => void };

export function RemoveSessionLayer({ id, onClose, onRemoved }: LayerProps) {
  const path = `/api/sessions/${encodeURIComponent(id)}`;
  return (
    <DeletionLayer
      title="Remove this session from Plimsoll?"
      preview={{ path: `${path}/remove-preview`, schema: removePreview }}
      deletion={{ path, schema: removedSession }}
      changes={["sessions", "sources", "artifacts"]}
      failed="The session was not removed"
      keep="Keep it"
      action={() => "Remove session"}
      onClose={onClose}
      onDeleted={onRemoved}
    >
      {(preview) => <Consequences preview={preview} />}
    </DeletionLayer>
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
