// Events of one row: its time, and its name in copies of the session.
import type { Draft } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { clip } from "../json.ts";

export type RowLine = { readonly ts: number | null; readonly key: string | null };
type EventDraft = Extract<Draft, { kind: "event" }>;

export const draftOf = ({ ts, key }: RowLine, body: EventBody, more: Partial<EventDraft> = {}): EventDraft => ({
  kind: "event",
  lane: "",
  ts,
  body,
  recordKey: key,
  callKey: null,
  startsTurn: false,
  ...more,
});

export const noteOf = (line: RowLine, subtype: string, text = "", callKey: string | null = null): EventDraft =>
  draftOf(line, { type: "meta", subtype, text: clip(text, 300) }, { callKey });

/** Milliseconds since 1970, else null. */
export const asMs = (value: unknown): number | null =>
  typeof value === "number" && value > 0 && value < 1e14 ? Math.round(value) : null;
