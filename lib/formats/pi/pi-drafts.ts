// Events of one entry: its time, its name in copies of the file and the run that it belongs to are the same for all of them.
import type { Attachment, Draft } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";

export type Entry = {
  readonly lane: string;
  readonly ts: number | null;
  readonly key: string | null;
  /** A message of a sub-agent's run that stands inside its parent's record. */
  readonly isInside?: boolean;
};

type Options = {
  readonly callKey?: string | null;
  readonly startsTurn?: boolean;
  readonly attachments?: readonly Attachment[];
};

export function draftOf({ lane, ts, key, isInside }: Entry, body: EventBody, options: Options = {}): Draft {
  const { callKey = null, startsTurn = false, attachments = [] } = options;
  return {
    kind: "event",
    lane,
    ts,
    body,
    recordKey: key,
    callKey,
    startsTurn,
    ...(attachments.length > 0 && { attachments }),
    ...(isInside === true && { isRecord: false as const }),
  };
}

/** Known, but not conversation. */
export const noteOf = (entry: Entry, subtype: string, text = ""): Draft =>
  draftOf(entry, { type: "meta", subtype, text });
