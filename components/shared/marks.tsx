"use client";
// A person's marks on a session or an event: the star at once, labels and a note in a layer.
import { Star, StickyNote, Tag } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { useWrites } from "../ui/access-context.ts";
import { failureOf } from "../ui/api.ts";
import { Badge } from "../ui/badge.tsx";
import { IconButton } from "../ui/button.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { labelsIn, noteIn, useMarks } from "./person-marks.ts";

const MarksLayer = lazy(() => import("./marks-layer.tsx").then((layer) => ({ default: layer.MarksLayer })));

type MarksProps = { id: string; seq: number | null; isResult?: boolean };

/** Marks of a tool's result, which is shown with its call: nothing where it has none. */
export function ResultMarks({ id, seq }: { id: string; seq: number }) {
  const { own } = useMarks(id, seq);
  if (own.length === 0) return null;
  return (
    <span className="flex flex-none items-center gap-1 text-12 text-ink-3">
      Result <Marks id={id} seq={seq} isResult />
    </span>
  );
}

export function Marks({ id, seq, isResult = false }: MarksProps) {
  const { own, isStarred, change } = useMarks(id, seq);
  const [isOpen, setOpen] = useState(false);
  const writes = useWrites();
  const note = noteIn(own);
  const of = isResult ? "result" : seq === null ? "session" : "event";
  return (
    <span className="flex min-w-0 flex-none items-center gap-1">
      {labelsIn(own).map((label) => (
        <Badge key={label} title="Label">
          <SafeText text={label} />
        </Badge>
      ))}
      {note !== "" && (
        <span title={shownText(note)} className="inline-flex text-ink-2">
          <StickyNote size={13} aria-label={`Note: ${shownText(note)}`} />
        </span>
      )}
      {writes ? (
        <>
          <IconButton
            label={isStarred ? `Remove the star from this ${of}` : `Star this ${of}`}
            aria-pressed={isStarred}
            onClick={() => change.mutate({ kind: "star", on: !isStarred, seq })}
          >
            <Star size={14} aria-hidden="true" className={isStarred ? "fill-current text-ink" : ""} />
          </IconButton>
          <IconButton label={`Label this ${of}, or write a note`} onClick={() => setOpen(true)}>
            <Tag size={14} aria-hidden="true" />
          </IconButton>
        </>
      ) : (
        isStarred && <Star size={14} aria-label="Starred" className="fill-current text-ink" />
      )}
      {change.error !== null && !isOpen && (
        <span role="alert" title={failureOf(change.error).message}>
          <Badge tone="error">not saved</Badge>
        </span>
      )}
      {isOpen && (
        <Suspense>
          <MarksLayer id={id} seq={seq} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </span>
  );
}
