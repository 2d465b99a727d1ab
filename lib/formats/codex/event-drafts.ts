// Events of one record, made one at a time: the record's time and identity are the same for all of them.
import type { Attachment, Draft } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";

export type EventOptions = {
  readonly callKey?: string | null;
  readonly startsTurn?: boolean;
  readonly attachments?: readonly Attachment[];
};

/** The record that events are made of. `key` is its identity in copies of the file. */
export type Origin = { readonly ts: number | null; readonly key: string | null };

export function event(origin: Origin, body: EventBody, options: EventOptions = {}): Draft {
  const attachments = options.attachments ?? [];
  return {
    kind: "event",
    lane: "",
    ts: origin.ts,
    body,
    recordKey: origin.key,
    callKey: options.callKey ?? null,
    startsTurn: options.startsTurn ?? false,
    ...(attachments.length > 0 && { attachments }),
  };
}

/** Known, but not conversation. */
export const meta = (origin: Origin, subtype: string, text = ""): Draft =>
  event(origin, { type: "meta", subtype, text });
