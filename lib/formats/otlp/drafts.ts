// Drafts of one session, with the bytes of the record that each comes from.
import type { Draft, Usage } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import type { PlacedRecord } from "./otlp-lines.ts";

type EventDraft = Extract<Draft, { kind: "event" }>;
export type EventOptions = Partial<Pick<EventDraft, "callKey" | "startsTurn" | "fullText" | "ts">> & {
  /** Tells several events of one record apart. */
  readonly part?: string | number;
};

/** What the session page and the lists say of where it comes from. */
export const REPORTED_BY_TELEMETRY =
  "Reported by telemetry (OpenTelemetry): what its spans and events did not carry is not here.";

export function eventOf(record: PlacedRecord, lane: string, body: EventBody, options: EventOptions = {}): EventDraft {
  const { part = body.type, ts = record.endMs ?? record.startMs, ...rest } = options;
  const { byteStart, byteEnd, traceId, spanId, kind } = record;
  // A log event has no id of its own: the archive takes its bytes for one.
  const recordKey = kind === "span" && spanId !== null ? `${traceId}/${spanId}/${part}` : null;
  return { kind: "event", lane, ts, body, recordKey, callKey: null, startsTurn: false, byteStart, byteEnd, ...rest };
}

export const callOf = (
  record: PlacedRecord,
  lane: string,
  { key, model, usage }: { readonly key: string; readonly model: string | null; readonly usage: Usage | null },
): Draft => ({ kind: "call", lane, key, ts: record.startMs, model, usage, outputLowerBound: false });
