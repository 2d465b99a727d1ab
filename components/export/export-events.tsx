"use client";
// The events whose beginnings are in a report: those of culprits to tick, and any other by its number.
import { useState } from "react";
import type { LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import type { ExportReview } from "#lib/wire/export-schema.ts";
import { Button } from "../ui/button.tsx";
import { TextInput } from "../ui/field.tsx";
import { formatTokens } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { candidatesOf, withEvent } from "./export-state.ts";

type EventsProps = {
  /** Undefined until it is there: then its culprits are offered. */
  ledger: LedgerAnswer | undefined;
  review: ExportReview;
  onPick: (events: readonly number[]) => void;
};

export function ExportEvents({ ledger, review, onPick }: EventsProps) {
  const chosen = review.events.map(({ seq }) => seq);
  const labels = new Map((ledger === undefined ? [] : candidatesOf(ledger)).map(({ seq, label }) => [seq, label]));
  const rows = [...new Set([...labels.keys(), ...chosen])].toSorted((a, b) => a - b);
  return (
    <>
      {rows.length > 0 && (
        <ul aria-label="Events" className="max-h-44 overflow-y-auto rounded-2 border border-line">
          {rows.map((seq) => (
            <li key={seq} className="border-b border-line last:border-b-0">
              <label className="flex items-center gap-2.5 px-2.5 py-1 text-13 hover:bg-sunk">
                <input
                  type="checkbox"
                  checked={chosen.includes(seq)}
                  onChange={(event) =>
                    onPick(
                      event.target.checked
                        ? (withEvent(chosen, String(seq)) ?? chosen)
                        : chosen.filter((one) => one !== seq),
                    )
                  }
                  className="size-3.5 flex-none accent-ink"
                />
                <span className="flex-none tabular-nums">Event {formatTokens(seq)}</span>
                <span className="min-w-0 flex-1 truncate text-ink-2">
                  <SafeText text={labels.get(seq) ?? nameOf(review, seq)} />
                </span>
              </label>
            </li>
          ))}
        </ul>
      )}
      <AddEvent chosen={chosen} onPick={onPick} />
    </>
  );
}

function nameOf({ events }: ExportReview, seq: number): string {
  const found = events.find((event) => event.seq === seq);
  return found === undefined ? "" : (found.tool ?? found.type.replaceAll("_", " "));
}

function AddEvent({ chosen, onPick }: { chosen: readonly number[]; onPick: EventsProps["onPick"] }) {
  const [text, setText] = useState("");
  const events = withEvent(chosen, text);
  return (
    <form
      className="mt-2 flex items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (events === null) return;
        onPick(events);
        setText("");
      }}
    >
      <span className="w-32">
        <TextInput
          aria-label="Number of an event"
          placeholder="Event number"
          inputMode="numeric"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </span>
      <Button
        type="submit"
        disabled={events === null}
        title={events === null ? "Type the number of an event" : undefined}
      >
        Add event
      </Button>
    </form>
  );
}
