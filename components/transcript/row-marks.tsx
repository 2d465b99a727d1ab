// What a person marked, above the event that it is of. It is changed in the inspector.
import { Star, StickyNote } from "lucide-react";
import { shownText } from "#lib/kernel/hidden-text.ts";
import type { Mark } from "#lib/wire/marks-schema.ts";
import { labelsIn } from "../shared/person-marks.ts";
import { Badge } from "../ui/badge.tsx";
import { SafeText } from "../ui/safe-text.tsx";

/** Those of a call and of its result, which are one row. */
export function RowMarks({ marks }: { marks: readonly Mark[] }) {
  if (marks.length === 0) return null;
  const notes = marks.flatMap(({ kind, value }) => (kind === "note" ? [value] : []));
  return (
    <p className="mb-0.5 flex min-w-0 items-center gap-1.5 text-12/5 text-ink-3" data-beside>
      {marks.some(({ kind }) => kind === "star") && (
        <span title="Starred" className="flex-none">
          <Star size={12} aria-hidden="true" className="fill-current" />
          <span className="sr-only">Starred</span>
        </span>
      )}
      {[...new Set(labelsIn(marks))].map((label) => (
        <Badge key={label} title="Label">
          <SafeText text={label} />
        </Badge>
      ))}
      {notes.map((note) => (
        <span key={note} title={shownText(note)} className="flex min-w-0 items-center gap-1">
          <StickyNote size={12} aria-hidden="true" className="flex-none" />
          <span className="sr-only">Note: </span>
          <span className="truncate">
            <SafeText text={note.slice(0, NOTE_CHARS)} />
          </span>
        </span>
      ))}
    </p>
  );
}

/** More than a line holds. */
const NOTE_CHARS = 200;
