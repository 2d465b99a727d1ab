"use client";
// When a file was deleted, or when its agent deletes it by itself.
import type { Deletion, SourceRow } from "#lib/wire/sources-schema.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { When } from "../ui/when.tsx";

export function DeletionCell({ row: { deletedAt, deletion } }: { row: SourceRow }) {
  if (deletedAt !== null)
    return (
      <span className="text-ink-2" title="Found deleted; its content is kept here">
        <When ts={deletedAt} />
      </span>
    );
  if (deletion === null) return <span className="text-ink-3">–</span>;
  return (
    <span className="text-ink-2" title={shownText(wordsOf(deletion))}>
      {deletion.at === null ? deletion.when : <When ts={deletion.at} show="line" />}
    </span>
  );
}

function wordsOf({ when, days, setting, settingsFile }: Deletion): string {
  if (when === "never") return "The agent deletes no session files";
  if (when === "unknown")
    return settingsFile === null ? "Not known for this agent" : `${setting} cannot be read in ${settingsFile}`;
  const why = when === "default" ? "by default" : `${setting} in ${settingsFile}`;
  return `The agent deletes it ${days} days after its last change: ${why}`;
}
