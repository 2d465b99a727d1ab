// Events of one record: its time and its name in copies of the file are the same for all of them.
import type { Attachment, Draft } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";

export type Entry = { readonly ts: number | null; readonly key: string | null };

type Options = {
  readonly callKey?: string | null;
  readonly startsTurn?: boolean;
  readonly attachments?: readonly Attachment[];
  readonly fullText?: string;
};

export function eventOf({ ts, key }: Entry, body: EventBody, options: Options = {}): Draft {
  const { callKey = null, startsTurn = false, attachments = [], fullText } = options;
  return {
    kind: "event",
    lane: "",
    ts,
    body,
    recordKey: key,
    callKey,
    startsTurn,
    ...(attachments.length > 0 && { attachments }),
    ...(fullText !== undefined && { fullText }),
  };
}

/** Known, but not conversation. */
export const noteOf = (entry: Entry, subtype: string, text = "", callKey: string | null = null): Draft =>
  eventOf(entry, { type: "meta", subtype, text }, { callKey });
