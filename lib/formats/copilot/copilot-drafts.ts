// Events of one line: its time, its name in copies of the file and the agent that it belongs to are the same for all of them.
import type { Attachment, Draft } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";

export type Line = { readonly lane: string; readonly ts: number | null; readonly key: string | null };

type Options = {
  readonly callKey?: string | null;
  readonly startsTurn?: boolean;
  readonly attachments?: readonly Attachment[];
};

type EventDraft = Extract<Draft, { kind: "event" }>;

export function draftOf({ lane, ts, key }: Line, body: EventBody, options: Options = {}): EventDraft {
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
  };
}

/** Known, but not conversation. */
export const noteOf = (line: Line, subtype: string, text = "", callKey: string | null = null): EventDraft =>
  draftOf(line, { type: "meta", subtype, text }, { callKey });
