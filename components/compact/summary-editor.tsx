"use client";
// The summary line by line, before it is kept: changed, removed, added, moved. The dry run follows when a line is left.
import { ArrowDown, ArrowUp, Plus, X } from "lucide-react";
import { useRef, type KeyboardEvent } from "react";
import type { CompactAnswer } from "#lib/wire/memory-schema.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { TextInput } from "../ui/field.tsx";
import { formatCount } from "../ui/format.ts";
import { editLines, linesOf, type LineEdit, type SummaryLine } from "./edit-lines.ts";

/** A field for each line; a summary of 12,000 characters has some 200. */
const MOST_LINES = 500;

type SummaryEditorProps = {
  answer: CompactAnswer;
  /** As a hand has left them; null where nothing is changed. */
  edited: readonly SummaryLine[] | null;
  onEdit: (lines: readonly SummaryLine[] | null) => void;
};

export function SummaryEditor({ answer, edited, onEdit }: SummaryEditorProps) {
  const list = useRef<HTMLUListElement>(null);
  const lines = edited ?? linesOf(answer);
  const byPerson = answer.lines.map(({ by }) => by === "person");
  /** `from`: the lines with what is typed in the field, which is kept when it is left. */
  const edit = (change: LineEdit, focus: number, from = lines) => {
    const next = editLines(from, change);
    if (next !== lines) onEdit(next);
    // The field of the line that the hand is on now, when the list is drawn anew.
    requestAnimationFrame(() => list.current?.querySelectorAll("input")[Math.min(focus, next.length - 1)]?.focus());
  };
  const changed = (at: number, text: string) => {
    const next = editLines(lines, { do: "change", at, text });
    if (next !== lines) onEdit(next);
  };
  const onKey = (event: KeyboardEvent<HTMLInputElement>, at: number) => {
    const text = event.currentTarget.value;
    const typed = editLines(lines, { do: "change", at, text });
    const by = event.altKey ? ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key] : undefined;
    if (by !== undefined) edit({ do: "move", at, by }, at + by, typed);
    else if (event.key === "Enter") edit({ do: "add", at }, at + 1, typed);
    else if (event.key === "Backspace" && text === "") edit({ do: "remove", at }, at - 1, typed);
    else return;
    event.preventDefault();
  };
  return (
    <div className="mt-3" data-testid="summary-editor">
      <div className="flex flex-wrap items-center gap-2 text-12 text-ink-3">
        <span className="flex-1">Enter adds a line, Alt and an arrow moves it.</span>
        {edited !== null && (
          <Button small kind="quiet" onClick={() => onEdit(null)}>
            Reset summary
          </Button>
        )}
      </div>
      <ul ref={list} className="mt-1">
        {lines.slice(0, MOST_LINES).map((line, at) => (
          // Drawn anew where its text came from elsewhere: a field keeps what is typed until it is left.
          // oxlint-disable-next-line react/no-array-index-key -- lines have no name of their own, and two may be alike
          <li key={`${at} ${line.text}`} className="group flex items-center gap-1 border-b border-line py-0.5">
            <TextInput
              aria-label={`Line ${at + 1}`}
              className="h-6! flex-1 border-transparent! bg-transparent! px-1! text-12"
              defaultValue={line.text}
              maxLength={10_000}
              onBlur={(event) => changed(at, event.currentTarget.value)}
              onKeyDown={(event) => onKey(event, at)}
            />
            {edited !== null && byPerson[at] === true && <span className="text-12 text-ink-2">edited</span>}
            <span className="flex flex-none opacity-40 group-focus-within:opacity-100 group-hover:opacity-100">
              <IconButton
                label={`Move line ${at + 1} up`}
                disabled={at === 0}
                onClick={() => edit({ do: "move", at, by: -1 }, at - 1)}
              >
                <ArrowUp size={12} aria-hidden="true" />
              </IconButton>
              <IconButton
                label={`Move line ${at + 1} down`}
                disabled={at === lines.length - 1}
                onClick={() => edit({ do: "move", at, by: 1 }, at + 1)}
              >
                <ArrowDown size={12} aria-hidden="true" />
              </IconButton>
              <IconButton label={`Add a line after ${at + 1}`} onClick={() => edit({ do: "add", at }, at + 1)}>
                <Plus size={12} aria-hidden="true" />
              </IconButton>
              <IconButton
                label={`Remove line ${at + 1}`}
                disabled={lines.length === 1}
                onClick={() => edit({ do: "remove", at }, at)}
              >
                <X size={12} aria-hidden="true" />
              </IconButton>
            </span>
          </li>
        ))}
      </ul>
      {lines.length > MOST_LINES && (
        <p className="mt-1 text-12 text-ink-3">
          First {MOST_LINES} of {formatCount(lines.length, "line")}. A smaller summary shows them all.
        </p>
      )}
    </div>
  );
}
